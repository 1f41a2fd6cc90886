/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each hot gets the time between two marks on the time of its thread: before its samples and after
 * them. The last mark is the end, so rounding can neither lose nor add a ns.
 */
#include "profile/hot_share.h"

typedef unsigned __int128 wide;

static u64 mark_ns(u64 on_ns, u64 passed, u64 samples)
{
	return (u64)((wide)on_ns * passed / samples);
}

static u64 variance_us2(u64 on_ns, u64 hit, u64 samples)
{
	double us = (double)on_ns / 1000, n = (double)samples + 2;
	double share = ((double)hit + 1) / n, var = us * us * share * (1 - share) / n;

	return var < 9e18 ? (u64)var : 9000000000000000000ULL;
}

void hot_share(struct profile_hot *hots, u32 hots_len, const struct profile_task *tasks,
	       struct hot_tally *by_task)
{
	u32 i;

	for (i = 1; i < hots_len; i++)
		by_task[hots[i].task].samples += hots[i].samples;
	for (i = 1; i < hots_len; i++) {
		struct profile_hot *h = &hots[i];
		struct hot_tally *t = &by_task[h->task];
		u64 on_ns = tasks[h->task].on_ns, before;

		h->on_ns = h->var_us2 = 0;
		if (!h->samples)
			continue;
		before = mark_ns(on_ns, t->passed, t->samples);
		t->passed += h->samples;
		h->on_ns = mark_ns(on_ns, t->passed, t->samples) - before;
		h->var_us2 = variance_us2(on_ns, h->samples, t->samples);
	}
}
