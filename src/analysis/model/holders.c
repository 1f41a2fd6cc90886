/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/model/holders.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/name/label.h"
#include "analysis/name/place.h"
#include "analysis/view/wait_stacks.h"
#include "base/intern.h"
#include "profile/estimate.h"

/* Time of a task by where it ran. */
struct part {
	u32 task;
	u32 text;
	u64 ns;
};

struct build {
	const struct profile *p;
	struct arena *a;
	struct labels labels;
	struct places places;
	struct intern parts; /* struct part */
	struct holder *rows; /* by task */
};

static int add_run(struct build *b, u32 task, u32 stack, u64 ns, u64 var_us2)
{
	struct holder *row = &b->rows[task];
	struct part part = { .task = task };
	int r = places__user(&b->places, stack, &part.text);
	u32 id;

	row->on_ns += ns;
	row->var_us2 = estimate_add_var(row->var_us2, var_us2);
	if (!r)
		r = intern__add(&b->parts, &part, &id);
	if (!r)
		((struct part *)intern__at(&b->parts, id))->ns += ns;
	return r;
}

/*
 * Its runtime says that it ran, but its thread was blocked, or had no CPU: a note at the inner end
 * of its stack says so.
 */
static bool ran_meanwhile(const struct profile *p, const struct profile_wait *w)
{
	const struct profile_frame *leaf = &p->frames[p->stacks[w->ustack].frame];
	const char *name = profile__str(p, leaf->name);

	return w->ustack && p->modules[leaf->module].kind == MODULE_NOTE &&
	       (strcmp(name, NOTE_TASK_STOPPED) == 0 || strcmp(name, NOTE_TASK_STALLED) == 0);
}

static int add_up(struct build *b)
{
	int r = 0;

	for (u32 i = 1; !r && i < b->p->waits_len; i++) {
		const struct profile_wait *w = &b->p->waits[i];

		if (ran_meanwhile(b->p, w))
			r = add_run(b, w->task, w->ustack, wait_ns(w), w->var_us2);
		if (w->owner && w->flags & WAIT_RUNNABLE)
			b->rows[w->owner].others_ns += w->runq_ns;
	}
	for (u32 i = 1; !r && i < b->p->hots_len; i++) {
		const struct profile_hot *h = &b->p->hots[i];

		r = add_run(b, h->task, h->ustack, h->on_ns, h->var_us2);
	}
	return r;
}

/* The place of each with most of its time. */
static int choose_places(struct build *b)
{
	u64 *best = arena__alloc(b->a, b->p->tasks_len * sizeof(*best));

	if (!best)
		return -ENOMEM;
	memset(best, 0, b->p->tasks_len * sizeof(*best));
	for (u32 i = 1; i < intern__len(&b->parts); i++) {
		const struct part *part = intern__at(&b->parts, i);

		if (part->ns <= best[part->task] || !b->rows[part->task].others_ns)
			continue;
		best[part->task] = part->ns;
		b->rows[part->task].place =
			arena__strdup(b->a, places__text(&b->places, part->text));
		if (!b->rows[part->task].place)
			return -ENOMEM;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct holder *x = a, *y = b;

	if (x->others_ns != y->others_ns)
		return x->others_ns > y->others_ns ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static u32 keep_holders(struct build *b)
{
	u32 len = 0;

	for (u32 i = 1; i < b->p->tasks_len; i++) {
		if (b->rows[i].others_ns)
			b->rows[len++] = b->rows[i];
	}
	if (len)
		qsort(b->rows, len, sizeof(*b->rows), compare);
	return len;
}

static int build(struct build *b, struct holders *ret)
{
	int r = labels__init(&b->labels, b->p, NULL);

	if (!r)
		r = places__init(&b->places, b->p, &b->labels, NULL);
	if (!r)
		r = intern__init(&b->parts, sizeof(struct part), offsetof(struct part, ns));
	if (!r)
		r = add_up(b);
	if (!r)
		r = choose_places(b);
	if (!r)
		*ret = (struct holders){ b->rows, keep_holders(b) };
	if (b->parts.items.elem_sz)
		intern__done(&b->parts);
	places__done(&b->places);
	labels__done(&b->labels);
	return r;
}

int holders__build(const struct profile *p, struct arena *a, struct holders *ret)
{
	struct build b = { .p = p, .a = a };

	*ret = (struct holders){ 0 };
	if (!profile_header__is_of_tasks(&p->hdr))
		return 0;
	b.rows = arena__alloc(a, p->tasks_len * sizeof(*b.rows));
	if (!b.rows)
		return -ENOMEM;
	for (u32 i = 0; i < p->tasks_len; i++)
		b.rows[i] = (struct holder){ .task = i, .place = "" };
	return build(&b, ret);
}
