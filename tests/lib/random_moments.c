/* SPDX-License-Identifier: Apache-2.0 */
/* No thread did this: wakers are blocked, and threads wake themselves. What adds up has to. */
#include "lib/random_moments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "profile/builder.h"

static u32 chance(u64 *seed, u32 below)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(*seed >> 33) % below;
}

/* Waits of a thread at random instants, ended by anybody. */
static void add_waits(struct builder *b, u64 *seed, u32 task, const u32 *wakers, u32 wakers_len)
{
	struct profile_wait w = { .task = task, .sysno = -1, .state = 1, .count = 1, .samples = 1 };
	u64 at_ns = chance(seed, 200), end_ns;

	for (; at_ns < 900; at_ns = end_ns + chance(seed, 100)) {
		struct profile_moment m = { .blocked_ns = chance(seed, 90),
					    .runq_ns = 1 + chance(seed, 10) };

		end_ns = at_ns + m.blocked_ns + m.runq_ns;
		m.end_ns = end_ns;
		m.waker = chance(seed, 8) ? wakers[chance(seed, wakers_len)] : 0;
		w.blocked_ns = m.blocked_ns;
		w.runq_ns = m.runq_ns;
		w.max_ns = m.blocked_ns + m.runq_ns;
		w.hist[0] = 1;
		assert_int_equal(builder__wait(b, &w), 0);
		m.wait = builder__last_wait(b);
		assert_int_equal(builder__moment(b, &m), 0);
	}
}

struct profile *random_moments(u64 seed, u32 threads)
{
	struct builder *b = builder__new();
	u32 tasks[8], wakers[10], i;
	struct profile *p;
	struct err err = { 0 };

	builder__header(b)->window_ns = 1000;
	builder__header(b)->max_moments = 1000;
	builder__header(b)->wakers = 1;
	for (i = 0; i < threads; i++) {
		struct profile_task t = { .tid = i + 1, .tgid = 1, .wall_ns = 1000 };

		assert_int_equal(builder__task(b, &t, &tasks[i]), 0);
	}
	for (i = 0; i < threads + 2; i++) {
		struct profile_waker w = { .tid = i + 1, .tgid = 1, .end = CHAIN_RUNNING };

		w.task = i < threads ? tasks[i] : 0;
		if (i == threads)
			w = (struct profile_waker){ .context = WAKER_HARDIRQ,
						    .end = CHAIN_INTERRUPT };
		if (i > threads)
			w.end = CHAIN_UNRECORDED;
		assert_int_equal(builder__waker(b, &w, &wakers[i]), 0);
	}
	for (i = 0; i < threads; i++)
		add_waits(b, &seed, tasks[i], wakers, threads + 2);
	if (builder__freeze(b, &p, &err))
		fail_msg("%s", err.msg);
	builder__free(b);
	return p;
}
