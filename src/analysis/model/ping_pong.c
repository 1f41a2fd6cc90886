/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads that wake each other in turn: each ends most waits of the other, about as often, and
 * runs only briefly before it waits again. A request and its reply are the same pattern, but take
 * work, so their runs are not brief.
 */
#include <errno.h>

#include "analysis/model/wake_pattern_priv.h"
#include "base/mem.h"

#define OFTEN_PER_S 100

/* Wakeups between two threads, the lower id first. */
struct pair {
	u32 a;
	u32 b;
	u64 to_a;
	u64 to_b;
	struct found_pattern found;
};

static struct pair pair_of(const struct finding *f, const struct profile_wake *wake)
{
	u32 waker = f->p->wakers[wake->waker].task;

	if (!waker || waker == wake->task)
		return (struct pair){ 0 };
	return wake->task < waker ? (struct pair){ .a = wake->task, .b = waker } :
				    (struct pair){ .a = waker, .b = wake->task };
}

static bool is_most(u64 part, u64 whole)
{
	return part && part * 2 >= whole;
}

/* `woken`: by task, by anybody. */
static bool is_ping_pong(const struct finding *f, const struct pair *pair, const u64 *woken)
{
	u64 less = pair->to_a < pair->to_b ? pair->to_a : pair->to_b;
	const struct wake_pattern *sums = &pair->found.sums;

	return is_most(less, sums->wakes - less) && is_most(sums->brief, sums->wakes) &&
	       is_most(pair->to_a, woken[pair->a]) && is_most(pair->to_b, woken[pair->b]) &&
	       finding__is_often(f, sums->wakes, OFTEN_PER_S);
}

static int add_pairs(struct finding *f, struct intern *pairs, u32 *pair_of_wake, u64 *woken)
{
	u32 i;

	for (i = 1; i < f->p->wakes_len; i++) {
		const struct profile_wake *wake = &f->p->wakes[i];
		struct pair key = pair_of(f, wake), *pair;

		woken[wake->task] += wake->count;
		if (!key.a)
			continue;
		if (intern__add(pairs, &key, &pair_of_wake[i]))
			return -ENOMEM;
		pair = intern__at(pairs, pair_of_wake[i]);
		found_pattern__add(&pair->found, wake);
		*(wake->task == pair->a ? &pair->to_a : &pair->to_b) += wake->count;
	}
	return 0;
}

static int push_pairs(struct finding *f, const struct intern *pairs, const u32 *pair_of_wake,
		      const u64 *woken)
{
	u32 i;
	int r = 0;

	for (i = 1; i < intern__len(pairs) && !r; i++) {
		struct pair *pair = intern__at(pairs, i);

		if (!is_ping_pong(f, pair, woken))
			continue;
		pair->found.sums.kind = PATTERN_PING_PONG;
		pair->found.sums.wakers = pair->found.sums.sleepers = 2;
		r = finding__push(f, &pair->found);
	}
	for (i = 1; i < f->p->wakes_len; i++) {
		const struct pair *pair = intern__at(pairs, pair_of_wake[i]);

		if (pair_of_wake[i] && pair->found.sums.sleepers)
			f->taken[i] = true;
	}
	return r;
}

int find_ping_pongs(struct finding *f)
{
	u32 *pair_of_wake = mem_array(f->p->wakes_len, sizeof(*pair_of_wake));
	u64 *woken = mem_array(f->p->tasks_len, sizeof(*woken));
	struct intern pairs = { 0 };
	int r = intern__init(&pairs, sizeof(struct pair), offsetof(struct pair, to_a));

	r = r || !pair_of_wake || !woken ? -ENOMEM : add_pairs(f, &pairs, pair_of_wake, woken);
	if (!r)
		r = push_pairs(f, &pairs, pair_of_wake, woken);
	intern__done(&pairs);
	mem_free(pair_of_wake);
	mem_free(woken);
	return r;
}
