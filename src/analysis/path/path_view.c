/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of all threads on the way would make towers of hundreds of frames. Of a wait that the path
 * left, its cause and place are one frame; only the last one has its code.
 */
#include "analysis/path/path_view.h"

#include <errno.h>
#include <string.h>

#include "analysis/name/place.h"
#include "base/mem.h"
#include "base/sink.h"

#define ROW_STATE 1 /* S */
#define NO_STACK 0xffffffff

struct viewing {
	struct path_view *v;
	const struct critical_path *path;
	const struct profile *p;
	struct labels labels;
	struct places places;
	struct causes causes;
	u32 *of_link; /* node by link; NO_STACK: not made yet */
	struct vec cause_of_row; /* u8 */
	struct map64 rows; /* node << 32 | kind: row */
};

static int add_stack(struct viewing *s, u32 leaf, u32 *stack)
{
	const struct profile_stack *at = &s->p->stacks[leaf];
	int r = 0;

	if (!leaf)
		return 0;
	r = add_stack(s, at->parent, stack);
	return r ? r : grown_code__add_frame(&s->v->code, at->frame, 0, stack);
}

/* "pipe, at read_all < main" */
static int add_left_wait(struct viewing *s, u32 wait, u32 *stack)
{
	const struct profile_wait *w = &s->p->waits[wait];
	struct sink name;
	u32 text;
	int r = places__user(&s->places, w->ustack, &text);

	if (!r && !*places__text(&s->places, text))
		r = places__kernel(&s->places, w->kstack, &text);
	if (r)
		return r;
	sink__init_mem(&name);
	sink__puts(&name, cause_name(causes__of(&s->causes, wait)));
	if (*places__text(&s->places, text))
		sink__printf(&name, ", at %s", places__text(&s->places, text));
	r = sink__finish(&name, NULL);
	if (!r)
		r = grown_code__add_note(&s->v->code, name.buf, 0, stack);
	sink__done(&name);
	return r;
}

/* The waits that the path left until there, and the thread that it is in. */
static int stack_of_link(struct viewing *s, u32 link, u32 task, u32 *ret)
{
	const struct path_link *l = vec__at(&s->path->links, link);
	u32 parent = 0;
	int r = 0;

	*ret = 0;
	if (!link)
		return 0;
	if (s->of_link[link] == NO_STACK) {
		r = stack_of_link(s, l->parent, l->task, &parent);
		if (!r)
			r = add_left_wait(s, s->p->moments[l->moment].wait, &parent);
		s->of_link[link] = parent;
	}
	*ret = s->of_link[link];
	return r ? r :
		   grown_code__add_note(&s->v->code, profile__str(s->p, s->p->tasks[task].comm), 0,
					ret);
}

static int add_leaf(struct viewing *s, const struct path_part *part, u32 *stack)
{
	const struct profile_wait *w;
	int r;

	if (part->kind == PATH_RUNNING)
		return grown_code__add_note(&s->v->code, PATH_NOTE_ON_CPU, 0, stack);
	if (part->kind == PATH_RUNQ)
		return grown_code__add_note(&s->v->code, PATH_NOTE_RUNQ, 0, stack);
	if (!part->moment)
		return grown_code__add_note(&s->v->code, PATH_NOTE_LOST, 0, stack);
	w = &s->p->waits[s->p->moments[part->moment - 1].wait];
	r = add_stack(s, w->ustack, stack);
	if (!r)
		r = add_stack(s, w->kstack, stack);
	if (!r && !w->ustack && !w->kstack)
		r = add_left_wait(s, s->p->moments[part->moment - 1].wait, stack);
	return r;
}

static u8 cause_of(const struct viewing *s, const struct path_part *part)
{
	if (part->kind == PATH_RUNNING)
		return CAUSE_ON_CPU;
	if (part->kind == PATH_RUNQ)
		return CAUSE_RUNNABLE;
	if (!part->moment)
		return CAUSE_LOST;
	return (u8)causes__of(&s->causes, s->p->moments[part->moment - 1].wait);
}

static struct profile_wait *new_row(struct viewing *s, u32 stack, u8 cause)
{
	u64 key = (u64)stack << 32 | cause, known;
	struct profile_wait *row;
	u8 *to;

	if (map64__get(&s->rows, key, &known))
		return vec__at(&s->v->rows, known);
	row = vec__push(&s->v->rows);
	to = vec__push(&s->cause_of_row);
	if (!row || !to || map64__set(&s->rows, key, s->v->rows.len - 1))
		return NULL;
	*to = cause;
	*row = (struct profile_wait){
		.task = 1,
		.ustack = stack,
		.sysno = -1,
		.state = ROW_STATE,
	};
	return row;
}

static int add_part(struct viewing *s, const struct path_part *part)
{
	struct profile_wait *row;
	u32 stack;
	int r = stack_of_link(s, part->link, part->task, &stack);

	if (!r)
		r = add_leaf(s, part, &stack);
	row = r ? NULL : new_row(s, stack, cause_of(s, part));
	if (!row)
		return -ENOMEM;
	if (part->kind == PATH_RUNQ)
		row->runq_ns += part->ns;
	else
		row->blocked_ns += part->ns;
	if (part->ns > row->max_ns)
		row->max_ns = part->ns;
	return 0;
}

/* The one thread of the view, whose totals are those of the path. */
static void make_task(struct viewing *s)
{
	struct profile_task *t = &s->v->tasks[1];
	u32 i;

	*t = s->p->tasks[s->path->lanes->lanes[s->path->range.lane].last_task];
	t->on_ns = t->preempted_ns = t->runq_ns = t->unaccounted_ns = 0;
	t->hist_on_ns = t->hist_runq_ns = t->hist_blocked_ns = 0;
	memset(t->blocked_ns, 0, sizeof(t->blocked_ns));
	for (i = 1; i < s->v->rows.len; i++) {
		const struct profile_wait *row = vec__at(&s->v->rows, i);

		t->runq_ns += row->runq_ns;
		t->blocked_ns[ROW_STATE] += row->blocked_ns;
	}
	t->begin_ns = s->path->range.begin_ns;
	t->wall_ns = s->path->range.end_ns - s->path->range.begin_ns;
}

static int make_causes(struct viewing *s)
{
	struct causes *c = &s->v->memo.causes;
	size_t len = s->v->rows.len, i;

	c->of_wait = mem_array(len, sizeof(*c->of_wait));
	c->class_of_wait = mem_array(len, sizeof(*c->class_of_wait));
	c->kind_rule = mem_array(len, sizeof(*c->kind_rule));
	c->class_rule = mem_array(len, sizeof(*c->class_rule));
	if (!c->of_wait || !c->class_of_wait || !c->kind_rule || !c->class_rule)
		return -ENOMEM;
	for (i = 1; i < len; i++) {
		c->of_wait[i] = *(u8 *)vec__at(&s->cause_of_row, i);
		c->class_of_wait[i] = CLASS_WORK;
	}
	c->waits_len = c->rows_len = (u32)len;
	s->v->memo.found = true;
	return 0;
}

static void finish(struct viewing *s)
{
	struct profile *copy = &s->v->copy;

	make_task(s);
	*copy = *s->p;
	grown_code__lend(&s->v->code, copy);
	copy->tasks = s->v->tasks;
	copy->tasks_len = 2;
	copy->waits = s->v->rows.data;
	copy->waits_len = (u32)s->v->rows.len;
	copy->hots_len = copy->wakers_len = copy->wakes_len = copy->bins_len = 1;
	copy->intervals_len = copy->replicates_len = 0;
	copy->moments_len = copy->marks_len = 0;
	copy->hdr.wakers = copy->hdr.on_cpu_hz = copy->hdr.hist_unit_ns = 0;
	copy->hdr.max_moments = copy->hdr.idle_known = copy->hdr.source = 0;
	/* parts of the path are not waits */
	copy->hdr.unknown |= UNKNOWN_COUNTS;
	/* a part has one stack, with all of its frames */
	copy->hdr.sides = SIDE_USER;
	s->v->memo.p = copy;
}

static int view(struct viewing *s, struct cause_memo *memo)
{
	size_t i;
	int r = causes__recall(&s->causes, s->p, memo, NULL);

	if (!r)
		r = labels__init(&s->labels, s->p, NULL);
	if (!r)
		r = places__init(&s->places, s->p, &s->labels, NULL);
	if (!r)
		r = grown_code__init(&s->v->code, s->p);
	s->of_link = mem_array(s->path->links.len, sizeof(*s->of_link));
	if (r || !s->of_link || !vec__push(&s->v->rows) || !vec__push(&s->cause_of_row))
		return -ENOMEM;
	for (i = 0; i < s->path->links.len; i++)
		s->of_link[i] = NO_STACK;
	for (i = 0; i < s->path->parts.len && !r; i++)
		r = add_part(s, vec__at(&s->path->parts, i));
	if (!r)
		r = make_causes(s);
	if (!r)
		finish(s);
	return r;
}

int path_view__init(struct path_view *v, const struct critical_path *path, struct cause_memo *memo,
		    struct err *err)
{
	struct viewing s = { .v = v, .path = path, .p = path->lanes->p };
	int r;

	memset(v, 0, sizeof(*v));
	vec__init(&v->rows, sizeof(struct profile_wait));
	vec__init(&s.cause_of_row, sizeof(u8));
	map64__init(&s.rows);
	v->memo.rules = memo ? memo->rules : NULL;
	r = view(&s, memo);
	map64__done(&s.rows);
	vec__done(&s.cause_of_row);
	mem_free(s.of_link);
	places__done(&s.places);
	labels__done(&s.labels);
	causes__done(&s.causes);
	return r ? err__nomem(err) : 0;
}

void path_view__done(struct path_view *v)
{
	if (!v)
		return;
	cause_memo__done(&v->memo);
	grown_code__done(&v->code);
	vec__done(&v->rows);
}
