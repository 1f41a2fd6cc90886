/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariants of wakers. A wake has the key of its wait and not its id, so its sums are compared
 * with those of all waits with that key.
 */
#include <errno.h>

#include "base/mem.h"
#include "profile/check/check_priv.h"
#include "profile/wake_wait.h"

#define WAKER_FLAGS (WAKER_KTHREAD | WAKER_EXITING | WAKER_SELF)

typedef unsigned __int128 wide;

static int check_chain(const struct profile_waker *w, u32 i, struct err *err)
{
	if (w->next >= i)
		return err__set(err, -EINVAL, "waker %u comes before the one behind it, %u", i,
				w->next);
	if (!w->next == (w->end == CHAIN_GOES_ON))
		return err__set(err, -EINVAL, "waker %u goes on and has an end, or neither", i);
	return 0;
}

static int check_thread(const struct profile *p, u32 i, struct err *err)
{
	const struct profile_waker *w = &p->wakers[i];

	if (!has_str(p, w->comm) || !has_str(p, w->group_comm))
		return err__set(err, -EINVAL, "waker %u has a string that does not exist", i);
	if (w->task >= p->tasks_len)
		return err__set(err, -EINVAL, "waker %u has a thread that does not exist", i);
	if (w->task && p->tasks[w->task].tid != w->tid)
		return err__set(err, -EINVAL, "waker %u is another thread than it says", i);
	if (w->context != WAKER_THREAD &&
	    (w->task || w->tid || w->tgid || w->comm || w->group_comm))
		return err__set(err, -EINVAL, "waker %u is an interrupt and a thread", i);
	return 0;
}

static int check_waker(const struct profile *p, u32 i, struct err *err)
{
	const struct profile_waker *w = &p->wakers[i];
	int r;

	if (w->context >= WAKER_CONTEXTS || w->end >= CHAIN_ENDS || w->flags & ~(u32)WAKER_FLAGS)
		return err__set(err, -EINVAL, "waker %u is of an unknown kind", i);
	if (w->ustack >= p->stacks_len || w->kstack >= p->stacks_len)
		return err__set(err, -EINVAL, "waker %u has a stack that does not exist", i);
	if (profile__stack_end(p, w->kstack, NULL) != STACK_END_ROOT)
		return err__set(err, -EINVAL, "the kernel stack of waker %u is truncated", i);
	r = check_chain(w, i, err);
	return r ? r : check_thread(p, i, err);
}

static int check_wake(const struct profile *p, u32 i, struct err *err)
{
	const struct profile_wake *w = &p->wakes[i];
	int r = check_row(p, &wake_row_type, w, i, err);

	if (!r && w->doing != DOING_WOKEN && w->count)
		r = err__set(err, -EINVAL, "wake %u counts waits twice", i);
	if (!r && (w->bursts > w->count || w->crowd > w->count || w->brief > w->count ||
		   w->again > w->brief))
		r = err__set(err, -EINVAL, "wake %u has more of a kind than it counts", i);
	if (!r && !w->brief && w->brief_ns)
		r = err__set(err, -EINVAL, "wake %u has brief runs without a wakeup", i);
	if (!r && w->doing != DOING_BLOCKED && wake_has_own_wait(w))
		r = err__set(err, -EINVAL, "wake %u has a wait of a waker that was not blocked", i);
	return r;
}

/* What wakes say of the waits with one key, and what these have. */
struct wake_sums {
	wide blocked_ns;
	wide runq_ns;
	wide count;
};

static void add_wake(struct wake_sums *sums, const struct profile_wake *w)
{
	if (w->doing == DOING_WOKEN)
		sums->runq_ns += w->ns;
	else
		sums->blocked_ns += w->ns;
	sums->count += w->count;
}

static int compare(const struct profile *p, const u32 *waits, struct wake_sums *by_wait,
		   struct err *err)
{
	u32 i;

	for (i = 1; i < p->wakes_len; i++) {
		if (!waits[i])
			return err__set(err, -EINVAL, "wake %u is of a wait that does not exist",
					i);
		add_wake(&by_wait[waits[i]], &p->wakes[i]);
	}
	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];
		const struct wake_sums *sums = &by_wait[i];

		if (sums->blocked_ns > w->blocked_ns || sums->runq_ns > w->runq_ns)
			return err__set(err, -EINVAL, "the wakes of wait %u are more than its sum",
					i);
		if (sums->count > w->count)
			return err__set(err, -EINVAL, "the wakes of wait %u count more than it", i);
	}
	return 0;
}

static int check_sums(const struct profile *p, struct err *err)
{
	struct wake_sums *by_wait;
	u32 *waits;
	int r;

	if (p->wakes_len == 1)
		return 0;
	by_wait = mem_array(p->waits_len, sizeof(*by_wait));
	r = wake_waits(p, &waits);
	r = r || !by_wait ? err__nomem(err) : compare(p, waits, by_wait, err);
	mem_free(waits);
	mem_free(by_wait);
	return r;
}

int check_wakers(const struct profile *p, struct err *err)
{
	int r = check_zero("wakers", p->wakers, p->wakers_len, sizeof(*p->wakers), err);
	u32 i;

	if (!r)
		r = check_zero("wakes", p->wakes, p->wakes_len, sizeof(*p->wakes), err);
	if (!r && !p->hdr.wakers && (p->wakers_len > 1 || p->wakes_len > 1))
		r = err__set(err, -EINVAL, "there are wakers, and none were recorded");
	for (i = 1; !r && i < p->wakers_len; i++)
		r = check_waker(p, i, err);
	for (i = 1; !r && i < p->wakes_len; i++)
		r = check_wake(p, i, err);
	return r ? r : check_sums(p, err);
}
