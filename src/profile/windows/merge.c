/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts are gone through twice: first their threads, because the totals of a thread must be whole
 * before a builder takes it; then all that hangs on them. Strings, modules, frames, stacks and
 * waits find their like in the builder.
 *
 * Whether the record of a thread goes on in the next window is not written anywhere. It does unless
 * it ended, or another program runs now: the end of a record says so where the exec was
 * seen, and by the names where it fell between two windows. In another cgroup it is another record
 * too. Two records that should have been one do no harm, the sums are the same; one record for two
 * programs would be wrong.
 *
 * Hooks know more than visits: how many waits there were, how long each was, and who was preempted.
 * The sum of both knows only what both know, so the rest is left out, as if all threads had been
 * visited. The windows themselves keep it. docs/adr/0051.
 */
#include "profile/windows/merge.h"

#include <errno.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/mem.h"
#include "profile/builder.h"
#include "profile/windows/merge_header.h"
#include "profile/windows/merge_time.h"
#include "profile/windows/part.h"
#include "profile/windows/task_sum.h"

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
	struct part *windows; /* in the order of time */
	struct intern threads;
	struct vec tasks; /* struct profile_task; index + 1 is the id in the builder */
	u32 **task_ids; /* by window: id in the builder by id in the part */
	bool mixed; /* some parts are of hooks, some of visits */
};

/* Counts of different steps do not add up. */
static int check_units(const struct profile *const *parts, size_t len, struct err *err)
{
	u32 unit = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		u32 other = parts[i]->hdr.hist_unit_ns;

		if (unit && other && other != unit)
			return err__set(
				err, -EINVAL,
				"histograms with steps of %u ns and of %u ns cannot be merged",
				unit, other);
		if (other)
			unit = other;
	}
	return 0;
}

static bool is_mixed(const struct profile *const *parts, size_t len)
{
	size_t i;

	for (i = 1; i < len; i++)
		if (!parts[i]->hdr.visit_hz != !parts[0]->hdr.visit_hz)
			return true;
	return false;
}

/* Time of threads and time of tasks have no sum. */
static bool mixes_tasks(const struct profile *const *parts, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (profile_header__is_of_tasks(&parts[i]->hdr) !=
		    profile_header__is_of_tasks(&parts[0]->hdr))
			return true;
	return false;
}

static int check_parts(const struct profile *const *parts, size_t len, struct err *err)
{
	const char *arch = NULL, *other;
	size_t i;

	if (!len)
		return err__set(err, -EINVAL, "there is no profile to merge");
	if (mixes_tasks(parts, len))
		return err__set(err, -EINVAL,
				"a recording of tasks and one of threads have no sum: report them "
				"apart");
	for (i = 0; i < len; i++) {
		if (parts[i]->hdr.wakers && is_mixed(parts, len))
			return err__set(
				err, -EINVAL,
				"a recording with wakers and one by visits cannot be merged: "
				"report them apart, or compare them with diff");
		other = profile__str(parts[i], parts[i]->hdr.arch);
		if (!*other)
			continue;
		if (arch && strcmp(arch, other) != 0)
			return err__set(
				err, -EINVAL,
				"recordings of %s and %s cannot be merged: their system calls "
				"have other numbers",
				arch, other);
		arch = other;
	}
	return check_units(parts, len, err);
}

static bool goes_on(const struct merging *m, const struct thread *th, u32 window,
		    const struct profile_task *t)
{
	const struct profile_task *last;

	if (!th->task || th->window == window)
		return false;
	last = vec__at(&m->tasks, th->task - 1);
	return !(last->flags & (TASK_EXITED | TASK_EXECED)) && !(t->flags & TASK_BORN) &&
	       last->tgid == t->tgid && last->comm == t->comm &&
	       last->group_comm == t->group_comm && last->cgroup_id == t->cgroup_id;
}

static int merge_task(struct merging *m, u32 window, u32 id)
{
	const struct merge_window *w = &m->times.windows[window];
	struct thread key = { .machine = w->machine }, *th;
	struct profile_task t, *sum;
	u32 thread;
	int r = part__task(&m->windows[window], id, &t);

	if (m->mixed) {
		t.runq_ns += t.preempted_ns;
		t.preempted_ns = 0;
	}
	t.begin_ns += w->begin_ns - m->times.windows[0].begin_ns;
	key.start_boottime_ns = t.start_boottime_ns;
	key.tid = t.tid;
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
	} else if (!task_sum__add(vec__at(&m->tasks, th->task - 1), &t)) {
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
	const struct profile *p = m->windows[window].p;
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

/* Of several machines, or of one twice, they do not lie one behind the other. */
static bool have_replicates(const struct merging *m)
{
	bool all = m->times.machines == 1 && !m->times.overlap_ns;
	size_t i;

	for (i = 0; i < m->len; i++)
		all &= m->parts[i]->intervals_len > 0;
	return all;
}

static int add_rows(struct merging *m, u32 window)
{
	u64 shift_ns = m->times.windows[window].begin_ns - m->times.windows[0].begin_ns;
	struct part *pt = &m->windows[window];
	u32 i;
	int r = 0;

	for (i = 1; i < pt->p->waits_len && !r; i++)
		r = part__wait(pt, i, m->task_ids[window]);
	if (!r && have_replicates(m))
		r = part__replicates(pt, shift_ns);
	if (!r)
		r = part__moments(pt, shift_ns, m->task_ids[window]);
	if (!r)
		r = part__marks(pt, shift_ns, m->task_ids[window]);
	for (i = 1; i < pt->p->hots_len && !r; i++)
		r = part__hot(pt, i, m->task_ids[window]);
	for (i = 1; i < pt->p->bins_len && !r; i++)
		r = part__bin(pt, i, m->task_ids[window][pt->p->bins[i].task]);
	for (i = 1; i < pt->p->wakes_len && !r; i++)
		r = part__wake(pt, i, m->task_ids[window]);
	for (i = 1; i < pt->p->measured_len && !r; i++)
		r = part__measured(pt, i, m->task_ids[window]);
	return r ? r : part__losses(pt);
}

static int begin(struct merging *m)
{
	u32 i;
	int r = merge_times__init(&m->times, m->parts, m->len);

	if (!r)
		r = intern__init(&m->threads, sizeof(struct thread), THREAD_KEY_SZ);
	m->b = builder__new();
	m->windows = mem_array(m->len, sizeof(*m->windows));
	m->task_ids = mem_array(m->len, sizeof(*m->task_ids));
	if (!m->b || !m->windows || !m->task_ids)
		r = -ENOMEM;
	for (i = 0; i < m->len && !r; i++)
		r = part__init(&m->windows[i], m->parts[m->times.windows[i].part], m->b);
	for (i = 0; i < m->len && !r; i++)
		m->windows[i].uncounted = m->mixed;
	return r;
}

static void end(struct merging *m)
{
	size_t i;

	for (i = 0; i < m->len && m->windows; i++)
		part__done(&m->windows[i]);
	for (i = 0; i < m->len && m->task_ids; i++)
		mem_free(m->task_ids[i]);
	mem_free(m->windows);
	mem_free(m->task_ids);
	builder__free(m->b);
	vec__done(&m->tasks);
	intern__done(&m->threads);
	merge_times__done(&m->times);
}

static int merge(struct merging *m)
{
	u32 i;
	int r = begin(m);

	if (!r)
		r = merge_header(m->b, m->parts, m->len, &m->times);
	if (!r)
		r = add_tasks(m);
	for (i = 0; i < m->len && !r; i++)
		r = add_rows(m, i);
	return r;
}

int profile_merge(const struct profile *const *parts, size_t len, struct profile **ret,
		  struct err *err)
{
	struct merging m = { .parts = parts, .len = len, .mixed = is_mixed(parts, len) };
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
			     "times of a thread add up to more than a number can hold");
	else
		r = err__nomem(err);
	end(&m);
	return r;
}
