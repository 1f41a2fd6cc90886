/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A histogram has no exact sum, but the exact sum must lie between the shortest and the longest
 * lengths of its buckets. This, and the fact that each wait is in two of the histograms, reveals a
 * missing or misplaced count.
 */
#include "profile/bins.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "profile/profile.h"

#define STEPS 4
/* So that every bucket boundary fits into 64 bits: 1 s * 2^30. */
#define UNIT_MAX_NS 1000000000

typedef unsigned __int128 wide;

static int by_bin(const void *a, const void *b)
{
	const struct profile_bin *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->bucket < y->bucket ? -1 : x->bucket > y->bucket;
}

void bins_sort(struct profile_bin *bins, u32 len)
{
	qsort(bins + 1, len - 1, sizeof(*bins), by_bin);
}

u64 bins_floor_ns(u32 unit_ns, u32 bucket)
{
	u32 step = bucket ? bucket - 1 : 0;

	return bucket ? (u64)(unit_ns / STEPS) * (STEPS + step % STEPS) << step / STEPS : 0;
}

u64 bins_ceil_ns(u32 unit_ns, u32 bucket)
{
	return bucket + 1 < HIST_BINS ? bins_floor_ns(unit_ns, bucket + 1) : ~0ULL;
}

const char *hist_kind_name(enum hist_kind kind)
{
	static const char *const names[] = { "on", "off", "runq", "blocked" };

	return (u32)kind < HIST_KINDS ? names[kind] : "unknown";
}

/* The first one of this thread or of a later one. */
static u32 first_of(const struct profile *p, u32 task)
{
	u32 lo = 1, hi = p->bins_len;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (p->bins[mid].task < task)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

u64 bins_task_ns(const struct profile_task *t, enum hist_kind kind)
{
	switch (kind) {
	case HIST_ON:
		return t->hist_on_ns;
	case HIST_RUNQ:
		return t->hist_runq_ns;
	case HIST_BLOCKED:
		return t->hist_blocked_ns;
	default:
		return t->hist_runq_ns + t->hist_blocked_ns;
	}
}

void bins_of_task(const struct profile *p, u32 task, u32 *ret_first, u32 *ret_end)
{
	*ret_first = first_of(p, task);
	*ret_end = first_of(p, task + 1);
}

/* Of one thread and kind. */
struct bounds {
	wide least;
	wide most;
	u64 count;
	bool endless;
};

struct task_bounds {
	struct bounds at[HIST_KINDS];
};

static void add_bin(const struct profile *p, const struct profile_bin *b, struct bounds *to)
{
	u32 unit = p->hdr.hist_unit_ns;

	to->least += (wide)b->count * bins_floor_ns(unit, b->bucket);
	to->most += (wide)b->count * (bins_ceil_ns(unit, b->bucket) - 1);
	to->endless |= b->bucket + 1 == HIST_BINS;
	to->count += b->count;
}

static int check_sums(const struct profile *p, u32 task, const struct task_bounds *bounds,
		      struct err *err)
{
	const struct profile_task *t = &p->tasks[task];
	const u64 sums[] = { t->hist_on_ns, t->hist_runq_ns + t->hist_blocked_ns, t->hist_runq_ns,
			     t->hist_blocked_ns };
	u32 kind;

	for (kind = 0; kind < HIST_KINDS; kind++) {
		const struct bounds *b = &bounds->at[kind];

		if (sums[kind] < b->least || (!b->endless && sums[kind] > b->most))
			return err__set(err, -EINVAL,
					"the histogram '%s' of task %u (tid %u) cannot have a sum "
					"of %llu ns",
					hist_kind_name((enum hist_kind)kind), task, t->tid,
					sums[kind]);
	}
	return 0;
}

/*
 * Whether the thread may have existed when its first window began: a slice or a wait that ends in
 * it may then be longer than its part inside. Of several windows only the first one's start is
 * known.
 */
static bool was_there(const struct profile *p, const struct profile_task *t)
{
	return !(t->flags & TASK_BORN) && (!t->begin_ns || p->hdr.windows > 1);
}

/*
 * Every slice ends with a switch, except the last; every wait begins with one, or a birth. In a sum
 * of threads, each has a birth and a last slice.
 */
static int check_counts(const struct profile *p, u32 task, const struct task_bounds *b,
			struct err *err)
{
	const struct profile_task *t = &p->tasks[task];
	u64 off = b->at[HIST_OFF].count, last = t->parts, births = t->parts;

	last += !!(t->flags & TASK_EXITED);
	births += t->flags & TASK_BORN || was_there(p, t);
	if (off != b->at[HIST_RUNQ].count || b->at[HIST_BLOCKED].count > off)
		return err__set(err, -EINVAL,
				"the histograms of task %u (tid %u) count %llu waits, %llu for a "
				"CPU and %llu blocked",
				task, t->tid, off, b->at[HIST_RUNQ].count,
				b->at[HIST_BLOCKED].count);
	if (b->at[HIST_ON].count > t->switches + last || off > t->switches + births)
		return err__set(err, -EINVAL,
				"the histograms of task %u (tid %u) count %llu slices and %llu "
				"waits, it has %llu switches",
				task, t->tid, b->at[HIST_ON].count, off, t->switches);
	return 0;
}

/*
 * A wait that was cut by windows is split between blocked and run queue at the cut and at its end.
 * The two may put its wakeup some ns apart, but agree on its length.
 */
static bool holds_too_much(const struct profile *p, const struct profile_task *t)
{
	u64 blocked_ns = 0, runq_ns = t->preempted_ns + t->runq_ns;
	u32 s;

	for (s = 0; s < PROFILE_STATES; s++)
		blocked_ns += t->blocked_ns[s];
	if (t->hist_on_ns > t->on_ns)
		return true;
	if (p->hdr.windows > 1)
		return t->hist_runq_ns + t->hist_blocked_ns > runq_ns + blocked_ns;
	return t->hist_runq_ns > runq_ns || t->hist_blocked_ns > blocked_ns;
}

static int check_task(const struct profile *p, u32 task, const struct task_bounds *bounds,
		      struct err *err)
{
	const struct profile_task *t = &p->tasks[task];
	int r;

	if (!was_there(p, t) && holds_too_much(p, t))
		return err__set(err, -EINVAL,
				"the histograms of task %u (tid %u) hold more than its totals",
				task, t->tid);
	r = check_sums(p, task, bounds, err);
	return r ? r : check_counts(p, task, bounds, err);
}

static int check_unit(const struct profile *p, struct err *err)
{
	u32 unit = p->hdr.hist_unit_ns;

	if (!unit && p->bins_len > 1)
		return err__set(err, -EINVAL, "there are histograms of threads without a unit");
	if (unit % STEPS || unit > UNIT_MAX_NS)
		return err__set(err, -EINVAL, "histograms of threads cannot have a unit of %u ns",
				unit);
	return 0;
}

/* Sorted, and no duplicates. */
static int check_bin(const struct profile *p, u32 i, struct err *err)
{
	const struct profile_bin *b = &p->bins[i], *before = b - 1;

	if (!b->task || b->task >= p->tasks_len || b->kind >= HIST_KINDS ||
	    b->bucket >= HIST_BINS || !b->count)
		return err__set(err, -EINVAL, "count %u of the histograms is impossible", i);
	if (b->task < before->task ||
	    (b->task == before->task &&
	     (b->kind < before->kind || (b->kind == before->kind && b->bucket <= before->bucket))))
		return err__set(err, -EINVAL, "count %u of the histograms is out of order", i);
	return 0;
}

int bins_check(const struct profile *p, struct err *err)
{
	struct task_bounds *bounds;
	int r = check_unit(p, err);
	u32 i;

	if (r)
		return r;
	bounds = mem_array(p->tasks_len, sizeof(*bounds));
	if (!bounds)
		return err__nomem(err);
	for (i = 1; i < p->bins_len && !r; i++) {
		r = check_bin(p, i, err);
		if (!r)
			add_bin(p, &p->bins[i], &bounds[p->bins[i].task].at[p->bins[i].kind]);
	}
	for (i = 1; i < p->tasks_len && !r; i++)
		r = check_task(p, i, &bounds[i], err);
	mem_free(bounds);
	return r;
}
