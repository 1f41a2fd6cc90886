/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which thread a path begins with. A recording does not keep which process was started, but the
 * text of its target says that one was: all others descend from it, so it was there first.
 */
#include "analysis/path/path_thread.h"

#include <errno.h>
#include <string.h>

#define NO_LANE 0xffffffff

int path_thread_check(const struct profile *p, struct err *err)
{
	if (p->hdr.max_moments && p->hdr.wakers)
		return 0;
	if (p->hdr.source)
		return err__set(err, -EINVAL,
				"%s does not say when waits happened and who ended them",
				profile__str(p, p->hdr.source));
	return err__set(err, -EINVAL,
			"the recording does not say when waits happened and who ended them: record "
			"with --events --wakers");
}

int path_wakers_check(const struct profile *p, struct err *err)
{
	if (p->hdr.wakers)
		return 0;
	if (p->hdr.source)
		return err__set(err, -EINVAL, "%s does not say who ended waits",
				profile__str(p, p->hdr.source));
	return err__set(err, -EINVAL,
			"the recording does not say who ended waits: record with --wakers, and "
			"with --events to follow waits from thread to thread");
}

static bool is_of_command(const struct profile *p)
{
	return strncmp(profile__str(p, p->hdr.target), "command ", 8) == 0;
}

static u64 length(const struct lane *lane)
{
	return lane->end_ns - lane->begin_ns;
}

/* A TID may have been used twice: the thread that lasted longer. */
static u32 with_tid(const struct lanes *l, u32 tid)
{
	u32 best = NO_LANE, i;

	for (i = 0; i < l->len; i++) {
		if (l->p->tasks[l->lanes[i].task].tid == tid &&
		    (best == NO_LANE || length(&l->lanes[i]) > length(&l->lanes[best])))
			best = i;
	}
	return best;
}

static bool is_before(const struct lanes *l, u32 x, u32 y)
{
	const struct lane *a = &l->lanes[x], *b = &l->lanes[y];

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns;
	return l->p->tasks[a->task].tid < l->p->tasks[b->task].tid;
}

/* The main thread that was there first. */
static u32 first_main(const struct lanes *l)
{
	u32 best = NO_LANE, i;

	for (i = 0; i < l->len; i++) {
		const struct profile_task *t = &l->p->tasks[l->lanes[i].task];

		if (l->lanes[i].len && t->tid == t->tgid &&
		    (best == NO_LANE || is_before(l, i, best)))
			best = i;
	}
	return best;
}

int path_thread_find(const struct lanes *l, u32 tid, struct path_range *ret, struct err *err)
{
	u32 lane = NO_LANE;
	int r = path_thread_check(l->p, err);

	if (r)
		return r;
	if (tid)
		lane = with_tid(l, tid);
	else if (l->len == 1)
		lane = 0;
	else if (is_of_command(l->p))
		lane = first_main(l);
	if (lane == NO_LANE && tid)
		return err__set(err, -ENOENT, "the recording has no thread %u", tid);
	if (lane == NO_LANE)
		return err__set(err, -ENOENT,
				"the path of which thread? give its TID with --tid: `report --by "
				"thread` lists them");
	if (!l->lanes[lane].len)
		return err__set(err, -ENOENT, "the recording has no instants of thread %u",
				l->p->tasks[l->lanes[lane].task].tid);
	*ret = (struct path_range){ lane, l->lanes[lane].begin_ns, l->lanes[lane].end_ns };
	return 0;
}

int path_thread_cut(const struct lanes *l, u64 begin_ns, u64 end_ns, struct path_range *range,
		    struct err *err)
{
	if (begin_ns > range->begin_ns)
		range->begin_ns = begin_ns;
	if (end_ns < range->end_ns)
		range->end_ns = end_ns;
	if (range->begin_ns < range->end_ns)
		return 0;
	return err__set(err, -ENOENT, "thread %u was not recorded in that time range",
			l->p->tasks[l->lanes[range->lane].task].tid);
}
