/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts are gone through twice: first their threads, because the totals of a thread must be whole
 * before a builder takes it; then all that hangs on them. Strings, modules, frames, stacks and
 * waits find their like in the builder.
 *
 * Whether the record of a thread goes on in the next window is not written anywhere. It does unless
 * it ended, or another program runs now: that is told by the end of a record where the exec was
 * seen, and by the names where it fell between two windows. Two records that should have been one
 * do no harm, the sums are the same; one record for two programs would be wrong.
 */
#include "profile/merge.h"

#include <errno.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/mem.h"
#include "profile/builder.h"
#include "profile/merge_header.h"
#include "profile/merge_time.h"

struct thread {
	u64 start_boottime_ns;
	u32 machine;
	u32 tid;
	/* the last record of it */
	u32 task;
	u32 window;
};

#define THREAD_KEY_SZ offsetof(struct thread, task)

struct merging {
	const struct profile *const *parts;
	size_t len;
	struct merge_times times;
	struct builder *b;
	struct intern threads;
	struct vec tasks; /* struct profile_task; index + 1 is the id in the builder */
	u32 **task_ids; /* by window: id in the builder by id in the part */
};

/* Ids in the builder by ids in one part. */
struct part_ids {
	const struct profile *p;
	u32 *strings;
	u32 *modules;
	u32 *frames;
	u32 *stacks;
};

static int check_parts(const struct profile *const *parts, size_t len, struct err *err)
{
	const char *arch = NULL, *other;
	size_t i;

	if (!len)
		return err__set(err, -EINVAL, "there is no profile to merge");
	for (i = 0; i < len; i++) {
		other = profile__str(parts[i], parts[i]->hdr.arch);
		if (!*other)
			continue;
		if (arch && strcmp(arch, other) != 0)
			return err__set(err, -EINVAL,
					"recordings of %s and %s cannot be one: their system calls "
					"have other numbers",
					arch, other);
		arch = other;
	}
	return 0;
}

/* False when a sum leaves its type. */
static bool add_task(struct profile_task *sum, const struct profile_task *t)
{
	static const size_t fields[] = {
		offsetof(struct profile_task, wall_ns),
		offsetof(struct profile_task, on_ns),
		offsetof(struct profile_task, preempted_ns),
		offsetof(struct profile_task, runq_ns),
		offsetof(struct profile_task, unaccounted_ns),
		offsetof(struct profile_task, switches),
		offsetof(struct profile_task, preemptions),
		offsetof(struct profile_task, wakeups),
		offsetof(struct profile_task, migrations),
	};
	bool wrapped = false;
	size_t i;

	for (i = 0; i < ARRAY_LEN(fields); i++) {
		u64 *to = (u64 *)((char *)sum + fields[i]);

		wrapped |= __builtin_add_overflow(*to, *(const u64 *)((const char *)t + fields[i]),
						  to);
	}
	for (i = 0; i < PROFILE_STATES; i++)
		wrapped |= __builtin_add_overflow(sum->blocked_ns[i], t->blocked_ns[i],
						  &sum->blocked_ns[i]);
	sum->flags |= t->flags;
	return !wrapped;
}

static bool goes_on(const struct merging *m, const struct thread *th, u32 window,
		    const struct profile_task *t)
{
	const struct profile_task *last;

	if (!th->task || th->window == window)
		return false;
	last = vec__at(&m->tasks, th->task - 1);
	return !(last->flags & (TASK_EXITED | TASK_EXECED)) && !(t->flags & TASK_BORN) &&
	       last->tgid == t->tgid && last->comm == t->comm && last->group_comm == t->group_comm;
}

static int merge_task(struct merging *m, u32 window, u32 id)
{
	const struct merge_window *w = &m->times.windows[window];
	const struct profile *p = m->parts[w->part];
	struct profile_task t = p->tasks[id], *sum;
	struct thread key = { .start_boottime_ns = t.start_boottime_ns,
			      .machine = w->machine,
			      .tid = t.tid },
		      *th;
	u32 thread;
	int r;

	t.begin_ns += w->begin_ns - m->times.windows[0].begin_ns;
	r = builder__str(m->b, profile__str(p, t.comm), &t.comm);
	if (!r)
		r = builder__str(m->b, profile__str(p, t.group_comm), &t.group_comm);
	if (!r)
		r = intern__add(&m->threads, &key, &thread);
	if (r)
		return r;
	th = intern__at(&m->threads, thread);
	if (!goes_on(m, th, window, &t)) {
		sum = vec__push(&m->tasks);
		if (!sum)
			return -ENOMEM;
		*sum = t;
		th->task = (u32)m->tasks.len;
	} else if (!add_task(vec__at(&m->tasks, th->task - 1), &t)) {
		return -EOVERFLOW;
	}
	th->window = window;
	m->task_ids[window][id] = th->task;
	return 0;
}

static int by_begin(const void *a, const void *b, void *arg)
{
	const struct profile *p = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	if (p->tasks[x].begin_ns != p->tasks[y].begin_ns)
		return p->tasks[x].begin_ns < p->tasks[y].begin_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* The records of one window in the order of time: an exec ends one and begins the next. */
static int merge_tasks(struct merging *m, u32 window)
{
	const struct profile *p = m->parts[m->times.windows[window].part];
	u32 *order = mem_array(p->tasks_len, sizeof(*order)), i;
	int r = 0;

	m->task_ids[window] = mem_array(p->tasks_len, sizeof(u32));
	if (!order || !m->task_ids[window]) {
		mem_free(order);
		return -ENOMEM;
	}
	for (i = 1; i < p->tasks_len; i++)
		order[i] = i;
	qsort_r(order + 1, p->tasks_len - 1, sizeof(*order), by_begin, (void *)(uintptr_t)p);
	for (i = 1; i < p->tasks_len && !r; i++)
		r = merge_task(m, window, order[i]);
	mem_free(order);
	return r;
}

static int add_tasks(struct merging *m)
{
	u32 id;
	size_t i;
	int r = 0;

	for (i = 0; i < m->len && !r; i++)
		r = merge_tasks(m, (u32)i);
	for (i = 0; i < m->tasks.len && !r; i++)
		r = builder__task(m->b, vec__at(&m->tasks, i), &id);
	return r;
}

static int add_modules(struct merging *m, struct part_ids *ids)
{
	u32 i;
	int r = 0;

	for (i = 1; i < ids->p->modules_len && !r; i++) {
		struct profile_module module = ids->p->modules[i];

		module.path = ids->strings[module.path];
		module.build_id = ids->strings[module.build_id];
		r = builder__module(m->b, &module, &ids->modules[i]);
	}
	return r;
}

static int add_frames(struct merging *m, struct part_ids *ids)
{
	u32 i;
	int r = 0;

	for (i = 1; i < ids->p->frames_len && !r; i++) {
		struct profile_frame f = ids->p->frames[i];

		f.module = ids->modules[f.module];
		f.name = ids->strings[f.name];
		f.file = ids->strings[f.file];
		r = builder__known_frame(m->b, &f, &ids->frames[i]);
	}
	return r;
}

static int add_stacks(struct merging *m, struct part_ids *ids)
{
	u32 i;
	int r = 0;

	for (i = 1; i < ids->p->stacks_len && !r; i++) {
		const struct profile_stack *s = &ids->p->stacks[i];

		r = builder__stack(m->b, ids->stacks[s->parent], ids->frames[s->frame],
				   &ids->stacks[i]);
		if (!r && s->flags)
			r = builder__stack_flags(m->b, ids->stacks[i], s->flags);
	}
	return r;
}

static int add_waits(struct merging *m, const struct part_ids *ids, const u32 *task_ids)
{
	u32 i;
	int r = 0;

	for (i = 1; i < ids->p->waits_len && !r; i++) {
		struct profile_wait w = ids->p->waits[i];

		w.task = task_ids[w.task];
		w.ustack = ids->stacks[w.ustack];
		w.kstack = ids->stacks[w.kstack];
		r = builder__wait(m->b, &w);
	}
	for (i = 0; i < LOSS_CNT && !r; i++)
		r = builder__loss(m->b, (enum profile_loss_kind)i, ids->p->losses[i].events,
				  ids->p->losses[i].ns);
	return r;
}

static int add_part(struct merging *m, u32 window)
{
	const struct profile *p = m->parts[m->times.windows[window].part];
	u32 strings_len = strtab__len(&p->strings), i;
	struct part_ids ids = {
		.p = p,
		.strings = mem_array(strings_len, sizeof(u32)),
		.modules = mem_array(p->modules_len, sizeof(u32)),
		.frames = mem_array(p->frames_len, sizeof(u32)),
		.stacks = mem_array(p->stacks_len, sizeof(u32)),
	};
	int r = ids.strings && ids.modules && ids.frames && ids.stacks ? 0 : -ENOMEM;

	for (i = 1; i < strings_len && !r; i++)
		r = builder__str(m->b, profile__str(p, i), &ids.strings[i]);
	if (!r)
		r = add_modules(m, &ids);
	if (!r)
		r = add_frames(m, &ids);
	if (!r)
		r = add_stacks(m, &ids);
	if (!r)
		r = add_waits(m, &ids, m->task_ids[window]);
	mem_free(ids.strings);
	mem_free(ids.modules);
	mem_free(ids.frames);
	mem_free(ids.stacks);
	return r;
}

static int merge(struct merging *m)
{
	u32 i;
	int r = merge_times__init(&m->times, m->parts, m->len);

	if (!r)
		r = intern__init(&m->threads, sizeof(struct thread), THREAD_KEY_SZ);
	m->b = builder__new();
	m->task_ids = mem_array(m->len, sizeof(*m->task_ids));
	if (!m->b || !m->task_ids)
		r = -ENOMEM;
	if (!r)
		r = merge_header(m->b, m->parts, m->len, &m->times);
	if (!r)
		r = add_tasks(m);
	for (i = 0; i < m->len && !r; i++)
		r = add_part(m, i);
	return r;
}

int profile_merge(const struct profile *const *parts, size_t len, struct profile **ret,
		  struct err *err)
{
	struct merging m = { .parts = parts, .len = len };
	size_t i;
	int r = check_parts(parts, len, err);

	if (r)
		return r;
	vec__init(&m.tasks, sizeof(struct profile_task));
	r = merge(&m);
	/* the builder has the sentence for what it refused */
	if (!r || r == -EINVAL)
		r = builder__freeze(m.b, ret, err);
	else if (r == -EOVERFLOW)
		r = err__set(err, -EINVAL,
			     "times of a thread add up to more than a number can "
			     "hold");
	else
		r = err__nomem(err);
	for (i = 0; i < len && m.task_ids; i++)
		mem_free(m.task_ids[i]);
	mem_free(m.task_ids);
	builder__free(m.b);
	vec__done(&m.tasks);
	intern__done(&m.threads);
	merge_times__done(&m.times);
	return r;
}
