/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The estimate is that of abi/sample.h, which may change: a row that does not have its numbers is
 * stored with all of them. So this file alone says what files mean.
 */
#include "recording/single.h"

#include <stdint.h>
#include <string.h>

/* Keeps products in range; no sampling period is that long. */
#define WEIGHT_MAX_NS (1ULL << 40)
#define BUCKET_SHIFT 10

typedef unsigned __int128 wide;

static u32 bucket_of(u64 ns)
{
	u64 v = ns >> BUCKET_SHIFT;
	u32 bucket = v ? 64 - (u32)__builtin_clzll(v) : 0;

	return bucket < PROFILE_HIST_LEN ? bucket : PROFILE_HIST_LEN - 1;
}

/* Also of times that add up to 0. */
static bool expand_exact(const struct single *s, u64 ns, struct profile_wait *w)
{
	w->blocked_ns = s->blocked_ns;
	w->runq_ns = s->runq_ns;
	w->count = 1;
	w->var_us2 = 0;
	w->hist[bucket_of(ns)] = 1;
	return !s->round_up;
}

static bool expand_estimate(const struct single *s, u64 ns, struct profile_wait *w)
{
	u64 us = s->weight_ns / 1000;

	if (!ns || ns >= s->weight_ns || s->weight_ns > WEIGHT_MAX_NS)
		return false;
	w->blocked_ns = (u64)((wide)s->blocked_ns * s->weight_ns / ns);
	w->runq_ns = s->weight_ns - w->blocked_ns;
	w->count = s->weight_ns / ns + s->round_up;
	w->var_us2 = us * us - us * (ns / 1000);
	w->hist[bucket_of(ns)] = (u32)w->count;
	return w->count <= UINT32_MAX;
}

bool single__expand(const struct single *s, struct profile_wait *w)
{
	u64 ns;

	if (__builtin_add_overflow(s->blocked_ns, s->runq_ns, &ns))
		return false;
	memset(w->hist, 0, sizeof(w->hist));
	w->max_ns = ns;
	w->samples = 1;
	return s->weight_ns ? expand_estimate(s, ns, w) : expand_exact(s, ns, w);
}

static bool has_values(const struct profile_wait *w, const struct profile_wait *seen)
{
	return w->blocked_ns == seen->blocked_ns && w->runq_ns == seen->runq_ns &&
	       w->count == seen->count && w->max_ns == seen->max_ns &&
	       w->samples == seen->samples && w->var_us2 == seen->var_us2 &&
	       !memcmp(w->hist, seen->hist, sizeof(w->hist));
}

bool single__of(const struct profile_wait *w, struct single *ret)
{
	u64 sum = w->blocked_ns + w->runq_ns, ns = w->max_ns;
	struct profile_wait seen;

	if (w->samples != 1 || w->flags & (WAIT_NO_LENGTHS | WAIT_VISITED) || ns > sum)
		return false;
	*ret = (struct single){ .blocked_ns = w->blocked_ns, .runq_ns = w->runq_ns };
	if (ns < sum) {
		ret->weight_ns = sum;
		/* the only length that may become this one, because estimates are longer */
		ret->blocked_ns = (u64)(((wide)w->blocked_ns * ns + sum - 1) / sum);
		ret->runq_ns = ns - ret->blocked_ns;
		ret->round_up = ns && w->count > sum / ns;
	}
	return single__expand(ret, &seen) && has_values(w, &seen);
}

u32 single_weights__find(struct single_weights *weights, u64 weight_ns)
{
	u32 i;

	for (i = 0; i < weights->len && weights->at[i] != weight_ns; i++)
		;
	if (i == weights->len && i < SINGLE_WEIGHTS)
		weights->at[weights->len++] = weight_ns;
	return i;
}
