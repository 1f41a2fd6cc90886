/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From rows to waits. Cause and class are those that the host decided, by its own rules.
 */
#include <errno.h>
#include <string.h>

#include "analysis/cause/cause.h"
#include "analysis/name/label.h"
#include "analysis/view/wait_stacks.h"
#include "fleet/sums.h"
#include "profile/state.h"

/* Who may be an owner. */
struct named_thread {
	u32 host;
	u32 comm;
	u32 tid;
	u32 task; /* no key */
};

struct gathering {
	struct fleet_sums *s;
	struct gather *g;
	struct intern threads; /* struct named_thread */
	struct vec tasks; /* u32, of each row */
};

static const char *str(const struct gathering *gg, u32 id)
{
	return strtab__get(&gg->s->strings, id);
}

static struct view view_of(const struct gathering *gg, u32 id)
{
	return view__of_str(str(gg, id));
}

static int add_thread(struct gathering *gg, const struct fleet_sum *row)
{
	const struct gather_thread t = {
		.comm = view_of(gg, row->thread),
		.process = view_of(gg, row->service),
		.cgroup = view_of(gg, row->cgroup),
		.container = view_of(gg, row->container),
		.host = view_of(gg, row->host),
		.tgid = row->pid,
		.tid = row->tid,
	};
	struct named_thread key = { row->host, row->thread, row->tid, 0 }, *named;
	u32 *task = vec__push(&gg->tasks), id;
	int r = task ? gather__thread(gg->g, &t, task) : -ENOMEM;

	if (!r)
		r = intern__add(&gg->threads, &key, &id);
	if (r)
		return r;
	named = intern__at(&gg->threads, id);
	named->task = *task;
	return 0;
}

/* "comm/TID", or only a TID. */
static int find_owner(struct gathering *gg, const struct fleet_sum *row, struct gather_wait *w)
{
	const char *owner = str(gg, row->owner), *slash = strrchr(owner, '/');
	struct view tid = view__of_str(slash ? slash + 1 : owner);
	struct named_thread key = { .host = row->host };
	u64 n = *owner ? view__dec(&tid) : 0;
	int r;

	if (tid.bad || view__left(&tid) || !n || n > ~0U)
		return 0;
	w->owner_tid = key.tid = (u32)n;
	if (!slash)
		return 0;
	r = strtab__add_len(&gg->s->strings, owner, (size_t)(slash - owner), &key.comm);
	if (!r) {
		u32 id = intern__find(&gg->threads, &key);

		w->owner = id ? ((struct named_thread *)intern__at(&gg->threads, id))->task : 0;
	}
	return r;
}

static u32 flag_of_note(const char *frame)
{
	if (!strcmp(frame, NOTE_MISSED_USER) || !strcmp(frame, NOTE_MISSED_KERNEL))
		return WAIT_NO_RESUME;
	return strcmp(frame, NOTE_LOST) ? 0 : WAIT_LOST;
}

static enum gather_side side_of(const struct fleet_stack *stack, u32 i)
{
	if (stack->kernel == STACK_SIDES_UNKNOWN)
		return GATHER_SIDE_GUESS;
	return i + stack->kernel < stack->len ? GATHER_SIDE_USER : GATHER_SIDE_KERNEL;
}

static const char *frame_at(const struct gathering *gg, u32 i)
{
	return str(gg, *(u32 *)vec__at(&gg->s->frames, i));
}

/* "[libc.so.6+0x1f]": a frame without a name, as label.c writes it. */
static bool is_address(struct view name, const char *file, u64 *ret_addr)
{
	const char *base = label_basename(file);
	struct view off;

	if (!view__accept(&name, '[') || view__left(&name) < strlen(base))
		return false;
	off = view__sub(&name, strlen(base), view__left(&name) - strlen(base));
	if (memcmp(name.p, base, strlen(base)) != 0 || !view__accept(&off, '+') ||
	    !view__accept(&off, '0') || !view__accept(&off, 'x'))
		return false;
	*ret_addr = view__hex(&off);
	return view__accept(&off, ']') && !view__left(&off) && !off.bad;
}

/* Of interpreted code it is the name of the interpreter: "[python]". */
static void put_file(struct gather_frame *f, const char *file)
{
	f->code = strcmp(file, "[python]") == 0;
	if (!f->code)
		f->module = view__of_str(file);
	if ((f->code && view__eq(&f->name, "[python: unread function]")) ||
	    (*file && is_address(f->name, file, &f->addr)))
		f->name = view__of_str("");
}

static int push_frames(struct gathering *gg, const struct fleet_sum *row, struct gather_wait *w)
{
	const struct fleet_stack key = { .stack = row->stack }, *stack;
	u32 id = intern__find(&gg->s->stacks, &key);
	int r = 0;

	if (!id) {
		gg->s->unknown_stacks += row->count ? row->count : 1;
		w->flags |= WAIT_NO_RESUME;
		return 0;
	}
	stack = intern__at(&gg->s->stacks, id);
	for (u32 i = 0; i < stack->len && !r; i++) {
		struct gather_frame f = { .side = side_of(stack, i) };
		const char *name = frame_at(gg, stack->first + i);
		u32 flag = flag_of_note(name);

		w->flags |= flag;
		f.name = view__of_str(name);
		if (stack->files_len == stack->len)
			put_file(&f, frame_at(gg, stack->first + stack->len + i));
		if (!flag)
			r = gather__frame(gg->g, &f);
	}
	return r;
}

static u32 told_by(const struct gathering *gg, const struct fleet_sum *row)
{
	const enum cause cause = cause_find(str(gg, row->cause));
	u32 class = CLASS_CNT - 1;

	while (class && strcmp(class_name((enum wait_class) class), str(gg, row->class)) != 0)
		class --;
	return WAIT_TOLD(cause < CAUSE_CNT ? cause : CAUSE_UNKNOWN, class);
}

/* Hooks count every wait, except in the rest of a thread whose waits were lost. */
static u32 flags_of_visit(const struct gathering *gg, const struct fleet_sum *row)
{
	if (row->count || cause_find(str(gg, row->cause)) == CAUSE_LOST)
		return 0;
	return WAIT_VISITED | (*str(gg, row->state) == 'R' ? WAIT_RUNNABLE : 0);
}

static int add_wait(struct gathering *gg, const struct fleet_sum *row, u32 task)
{
	const struct import_options *opt = gg->g->opt;
	struct gather_wait w = { .task = task, .sysno = -1, .count = row->count };
	const char *state = str(gg, row->state),
		   *at = *state ? strchr(PROFILE_STATE_LETTERS, *state) : NULL;
	struct view object = view_of(gg, row->object);
	int r = gather__object(gg->g, &object, &w.object);

	w.flags = told_by(gg, row) | flags_of_visit(gg, row);
	w.state = at ? (u32)(at - PROFILE_STATE_LETTERS) : 1;
	w.runq_ns = w.state ? row->runq_ns : row->ns;
	w.blocked_ns = row->ns - w.runq_ns;
	if (opt->syscall_number && *str(gg, row->syscall))
		w.sysno = opt->syscall_number(str(gg, row->syscall));
	if (!r)
		r = find_owner(gg, row, &w);
	if (!r)
		r = push_frames(gg, row, &w);
	return r ? r : gather__wait(gg->g, &w);
}

int fleet_sums__gather(struct fleet_sums *s, struct gather *g)
{
	struct gathering gg = { .s = s, .g = g };
	int r = intern__init(&gg.threads, sizeof(struct named_thread),
			     offsetof(struct named_thread, task));

	vec__init(&gg.tasks, sizeof(u32));
	s->unknown_stacks = 0;
	for (size_t i = 0; i < s->sums.len && !r; i++)
		r = add_thread(&gg, vec__at(&s->sums, i));
	for (size_t i = 0; i < s->sums.len && !r; i++)
		r = add_wait(&gg, vec__at(&s->sums, i), *(u32 *)vec__at(&gg.tasks, i));
	vec__done(&gg.tasks);
	intern__done(&gg.threads);
	return r;
}
