/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wakeups that led to little. They are grouped by where the waker woke and what the sleepers waited
 * for, so that the threads of a pool are one group. A group whose wakeups came in crowds is a herd,
 * another one is a storm if the sleepers went back to the same place. An interrupt makes no storm:
 * a thread that its own timer wakes asked for it.
 */
#include <errno.h>

#include "analysis/model/wake_pattern_priv.h"
#include "base/mem.h"

#define HERD_THREADS WAKE_CROWD
#define OFTEN_PER_S 100

struct group {
	u32 tgid; /* of the waker; 0: an interrupt */
	u32 context;
	u32 place; /* of the waker */
	u32 object; /* text */
	u32 waited; /* place of the sleeper, if the object is not known */
	u32 pad;
	u64 crowd;
	bool is_of_lock;
	bool is_herd;
	struct found_pattern found;
};

/* A thread of a group. */
struct member {
	u32 group;
	u32 thread;
};

struct grouping {
	struct finding *f;
	struct intern groups;
	struct intern sleepers; /* by task */
	struct intern wakers; /* by TID */
	u32 *group_of_wake;
};

static int add_wake(struct grouping *g, u32 i)
{
	struct finding *f = g->f;
	const struct profile_wake *wake = &f->p->wakes[i];
	const struct profile_waker *w = &f->p->wakers[wake->waker];
	struct group key = { .tgid = w->tgid,
			     .context = w->context,
			     .place = f->place_of_waker[wake->waker],
			     .object = f->object_text[wake->object] };
	struct member sleeper = { .thread = wake->task }, waker = { .thread = w->tid };
	struct group *group;
	u32 id, known;
	int r = key.object ? 0 : places__user(&f->places, wake->ustack, &key.waited);

	if (!r)
		r = intern__add(&g->groups, &key, &id);
	if (r)
		return r;
	g->group_of_wake[i] = sleeper.group = waker.group = id;
	group = intern__at(&g->groups, id);
	found_pattern__add(&group->found, wake);
	group->found.object = key.object;
	group->crowd += wake->crowd;
	group->is_of_lock = finding__is_for_lock(f, i);
	known = intern__len(&g->sleepers);
	r = intern__add(&g->sleepers, &sleeper, &id);
	group->found.sums.sleepers += intern__len(&g->sleepers) - known;
	known = intern__len(&g->wakers);
	if (!r)
		r = intern__add(&g->wakers, &waker, &id);
	group->found.sums.wakers += intern__len(&g->wakers) - known;
	return r;
}

static int begin(struct grouping *g, struct finding *f)
{
	u32 i;
	int r;

	*g = (struct grouping){ .f = f };
	g->group_of_wake = mem_array(f->p->wakes_len, sizeof(*g->group_of_wake));
	r = intern__init(&g->groups, sizeof(struct group), offsetof(struct group, crowd));
	if (!r)
		r = intern__init(&g->sleepers, sizeof(struct member), sizeof(struct member));
	if (!r)
		r = intern__init(&g->wakers, sizeof(struct member), sizeof(struct member));
	if (r || !g->group_of_wake)
		return -ENOMEM;
	for (i = 1; i < f->p->wakes_len && !r; i++) {
		if (!f->taken[i])
			r = add_wake(g, i);
	}
	return r;
}

static void end(struct grouping *g)
{
	mem_free(g->group_of_wake);
	intern__done(&g->groups);
	intern__done(&g->sleepers);
	intern__done(&g->wakers);
}

/*
 * A lock goes to one of its waiters at a time, in a burst with what else its owner wakes. In a
 * burst of n wakeups, n - (WAKE_CROWD - 1) are in a crowd: one of WAKE_CROWD in the smallest.
 */
static bool is_herd(const struct group *g)
{
	const struct wake_pattern *sums = &g->found.sums;

	return !g->is_of_lock && sums->sleepers >= HERD_THREADS && sums->brief * 2 > sums->wakes &&
	       g->crowd * WAKE_CROWD >= sums->wakes;
}

/* The largest herd of a thread counts; the last one found is at the end. */
static void join_herd(struct finding *f, u32 task)
{
	u32 *herd = &f->herd_of_task[task];
	const struct found_pattern *old = *herd ? vec__at(&f->found, *herd - 1) : NULL;
	const struct found_pattern *last = vec__at(&f->found, f->found.len - 1);

	if (!old || old->sums.wakes < last->sums.wakes)
		*herd = (u32)f->found.len;
}

static int push_herd(struct grouping *g, u32 id)
{
	struct group *group = intern__at(&g->groups, id);
	u32 i;

	group->is_herd = true;
	group->found.sums.kind = PATTERN_HERD;
	if (finding__push(g->f, &group->found))
		return -ENOMEM;
	for (i = 1; i < intern__len(&g->sleepers); i++) {
		const struct member *m = intern__at(&g->sleepers, i);

		if (m->group == id)
			join_herd(g->f, m->thread);
	}
	return 0;
}

int find_herds(struct finding *f)
{
	struct grouping g;
	u32 i;
	int r = begin(&g, f);

	for (i = 1; !r && i < intern__len(&g.groups); i++) {
		const struct group *group = intern__at(&g.groups, i);

		if (is_herd(group))
			r = push_herd(&g, i);
	}
	for (i = 1; !r && i < f->p->wakes_len; i++) {
		const struct group *group = intern__at(&g.groups, g.group_of_wake[i]);

		if (group->is_herd)
			f->taken[i] = true;
	}
	end(&g);
	return r;
}

static bool is_storm(const struct finding *f, const struct group *g)
{
	const struct wake_pattern *sums = &g->found.sums;

	return g->context == WAKER_THREAD && sums->again * 2 > sums->wakes &&
	       finding__is_often(f, sums->wakes, OFTEN_PER_S);
}

int find_storms(struct finding *f)
{
	struct grouping g;
	u32 i;
	int r = begin(&g, f);

	for (i = 1; !r && i < intern__len(&g.groups); i++) {
		struct group *group = intern__at(&g.groups, i);

		if (!is_storm(f, group))
			continue;
		group->found.sums.kind = PATTERN_STORM;
		r = finding__push(f, &group->found);
	}
	end(&g);
	return r;
}
