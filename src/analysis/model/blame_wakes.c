/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From wakes to sums. A waker that waited for work, or for another process, did nothing by itself
 * that explains the wait: those behind it did. Their time is added up by group first, because the
 * wakes of a busy server are many, and each would have to be divided by all wakes of its group.
 */
#include "analysis/model/blame_priv.h"

#include "analysis/name/object_label.h"
#include "analysis/view/wait_stacks.h"
#include "base/text/units.h"
#include "profile/wake_wait.h"

static int add_sum(struct blaming *b, const struct sum *key, u64 ns, u32 waker)
{
	u32 id;
	int r = ns ? intern__add(&b->sums, key, &id) : 0;

	if (r || !ns)
		return r;
	((struct sum *)intern__at(&b->sums, id))->ns += ns;
	return waker ? link_threads__add(&b->sum_threads, id, waker) : 0;
}

static int put_place(struct blaming *b, u32 place, struct sum *key)
{
	return strtab__add(&b->texts, places__text(&b->places, place), &key->place);
}

static int put_running_place(struct blaming *b, u32 waker, struct sum *key)
{
	const struct profile_waker *w = &b->p->wakers[waker];
	u32 place = b->top_place[w->task];
	int r = place ? 0 : places__user(&b->places, w->ustack, &place);

	key->sampled = b->top_place[w->task] != 0;
	return r ? r : put_place(b, place, key);
}

static int put_own_wait(struct blaming *b, u32 i, struct sum *key)
{
	const struct profile_wake *wake = &b->p->wakes[i];
	char label[OBJECT_LABEL_SZ];
	u32 place;
	int r;

	if (!wake_has_own_wait(wake)) {
		key->cause = CAUSE_UNKNOWN;
		key->class = CLASS_NONE;
		return 0;
	}
	key->cause = causes__of(&b->causes, i);
	key->class = causes__class(&b->causes, i);
	if (key->class == CLASS_IDLE)
		return 0;
	if (object_says_something(b->p, wake->did_object)) {
		object_label_without_device(b->p, wake->did_object, label, sizeof(label));
		r = strtab__add(&b->texts, label, &key->object);
		if (r || *label)
			return r;
	}
	r = places__user(&b->places, wake->did_ustack, &place);
	return r ? r : put_place(b, place, key);
}

static enum blame_kind kind_of(const struct profile_wake *wake)
{
	static const enum blame_kind kinds[DOING_CNT] = {
		[DOING_WOKEN] = BLAME_WOKEN,	 [DOING_RUNNING] = BLAME_RUNNING,
		[DOING_RUNQ] = BLAME_RUNQ,	 [DOING_BLOCKED] = BLAME_BLOCKED,
		[DOING_UNBORN] = BLAME_UNBORN,	 [DOING_INTERRUPT] = BLAME_INTERRUPT,
		[DOING_UNKNOWN] = BLAME_UNKNOWN,
	};

	return wake->doing < DOING_CNT ? kinds[wake->doing] : BLAME_UNKNOWN;
}

/* The group of what ended the own wait of a waker: a recorded thread that did it for others. */
static u32 find_behind(const struct blaming *b, u32 i)
{
	const struct profile_wake *wake = &b->p->wakes[i];
	const struct profile_waker *waker = &b->p->wakers[wake->waker];
	const struct profile_waker *behind = &b->p->wakers[waker->next];

	if (wake->doing != DOING_BLOCKED || !wake_has_own_wait(wake) || !behind->task ||
	    behind->context != WAKER_THREAD || behind->flags & (WAKER_KTHREAD | WAKER_SELF))
		return 0;
	if (behind->tgid == waker->tgid && causes__class(&b->causes, i) != CLASS_IDLE)
		return 0;
	return wake_index__behind(&b->index, i);
}

static int add_pending(struct blaming *b, const struct path *key, u32 waker, u32 group, u64 ns)
{
	struct pending pending = { .group = group };
	u32 id;
	int r = intern__add(&b->paths, key, &pending.path);

	if (!r)
		r = link_threads__add(&b->path_threads, pending.path, waker);
	if (!r)
		r = intern__add(&b->pending, &pending, &id);
	if (!r)
		((struct pending *)intern__at(&b->pending, id))->ns += ns;
	return r;
}

/* What the waker of wake `i` did in `ns`. Others waited for it on `path`. */
static int add_doing(struct blaming *b, u32 i, u32 set, u32 path, u64 ns)
{
	const struct profile_wake *wake = &b->p->wakes[i];
	u32 depth = ((const struct path *)intern__at(&b->paths, path))->depth;
	u32 who = b->who_of_waker[wake->waker];
	u32 group = depth + 1 < BLAME_LINKS ? find_behind(b, i) : 0;
	struct sum key = { .set = set, .kind = kind_of(wake), .path = path, .who = who };
	const struct path next = { .set = set, .before = path, .who = who, .depth = depth + 1 };
	int r = 0;

	if (group)
		return ns ? add_pending(b, &next, wake->waker, group, ns) : 0;
	if (key.kind == BLAME_RUNNING)
		r = put_running_place(b, wake->waker, &key);
	if (key.kind == BLAME_BLOCKED)
		r = put_own_wait(b, i, &key);
	return r ? r : add_sum(b, &key, ns, wake->waker);
}

int blame_add_wake(struct blaming *b, u32 i)
{
	const struct profile_wake *wake = &b->p->wakes[i];
	u32 wait = b->wait_of_wake[i];
	const struct sum key = { .set = b->set_of_wait[wait], .kind = BLAME_WOKEN };

	if (!wait || key.set == BLAME_NO_SET)
		return 0;
	if (wake->doing == DOING_WOKEN) {
		b->left[wait].runq_ns -= wake->ns;
		return add_sum(b, &key, wake->ns, 0);
	}
	b->left[wait].blocked_ns -= wake->ns;
	return add_doing(b, i, key.set, 0, wake->ns);
}

/* The last wake of the group has what is left, so that nothing is lost. */
static int divide(struct blaming *b, const struct pending *pending)
{
	const struct path *path = intern__at(&b->paths, pending->path);
	u64 left_ns = wake_index__ns(&b->index, pending->group), ns = pending->ns, part_ns;
	u32 set = path->set, i = wake_index__first(&b->index, pending->group);
	int r = 0;

	for (; i && !r; i = b->index.next[i]) {
		const struct profile_wake *wake = &b->p->wakes[i];

		part_ns = units_part(ns, wake->ns, left_ns);
		left_ns -= wake->ns;
		ns -= part_ns;
		r = add_doing(b, i, set, pending->path, part_ns);
	}
	return r;
}

int blame_follow(struct blaming *b)
{
	u32 i;
	int r = 0;

	/* What is added meanwhile is behind: a path has a lower depth than those after it. */
	for (i = 1; i < intern__len(&b->pending) && !r; i++) {
		const struct pending pending = *(const struct pending *)intern__at(&b->pending, i);

		r = divide(b, &pending);
	}
	return r;
}

static enum blame_kind kind_without_waker(const struct profile_wait *w)
{
	if (w->flags & WAIT_LOST)
		return BLAME_UNSEEN;
	if (w->flags & WAIT_NEW)
		return BLAME_NEW;
	if (w->flags & WAIT_PREEMPTED || !w->state)
		return BLAME_PREEMPTED;
	return w->flags & WAIT_OPEN ? BLAME_OPEN : BLAME_UNSEEN;
}

int blame_add_rest(struct blaming *b, u32 wait)
{
	const struct profile_wait *left = &b->left[wait];
	struct sum key = { .set = b->set_of_wait[wait], .kind = kind_without_waker(left) };

	return key.set == BLAME_NO_SET ? 0 : add_sum(b, &key, wait_ns(left), 0);
}
