/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_WINDOW_SUMS_H
#define WEB_SOURCE_WINDOW_SUMS_H

#include "analysis/cause/cause.h"
#include "profile/profile.h"

/*
 * The totals of a window: what lists of windows show. They are small, so they are kept in memory
 * even if the profile of the window stays in its file.
 */
struct cause_sum {
	u8 cause; /* enum cause */
	u8 class; /* enum wait_class */
	u64 ns; /* blocked and run queue, of the listed waits */
};

struct window_sums {
	u64 begin_wall_ns;
	u64 length_ns;
	u32 threads;
	u64 on_ns;
	u64 runq_ns; /* waiting for a CPU: preempted, woken or new */
	u64 blocked_ns;
	u64 idle_ns; /* waits for work, and waiting for a CPU after them */
	u64 lost_ns; /* unaccounted, or of waits that are not listed one by one */
	struct cause_sum *causes; /* only those that occurred, by cause, then class */
	u32 causes_len;
	/* Intervals of the window (profile/replicate.h), if they are shorter than a second. */
	u64 *interval_ns; /* length of each */
	u64 *interval_cause_ns; /* of the first: by `causes`; then of the next */
	u32 intervals_len; /* 0: there are none */
};

/* `rules` as for causes__init(). -ENOMEM or 0; window_sums__done() in either case. */
int window_sums__init(struct window_sums *s, const struct profile *p, const struct ruleset *rules,
		      struct err *err);
void window_sums__done(struct window_sums *s);

#endif
