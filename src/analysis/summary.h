/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include "analysis/top.h"

/*
 * Where the time of the threads went, in the order in which a person asks: for the first screen of
 * the terminal, of the report, and of the JSON.
 *
 *	wall == on + preempted + runq + blocked + idle + unaccounted
 *
 * All but `idle` are totals of threads and exact. `idle` is the blocked time of waits that a rule
 * calls waits for work, also of those that a filter of waits left out after the recording;
 * `blocked` is what the totals have beside it. Where the list is sampled it is an estimate, and
 * never more than there is. Where waits were left out while it was recorded nobody knows it: then
 * `blocked` is both.
 */
struct summary {
	struct profile_budget budget;
	u64 blocked_ns;
	u64 blocked_by_state_ns[PROFILE_STATES];
	bool idle_known;
	u64 idle_ns; /* 0 unless it is known */
	u64 idle_var_us2; /* see profile/estimate.h; 0: nothing is estimated */
	u64 bad_ns; /* blocked, of waits that held up an event loop */
	struct top kinds; /* by cause */
	struct top waits; /* by place */
};

/* Everything lives in the arena. `memo`: of causes, or NULL (cause_memo.h). -ENOMEM or 0. */
int summary__build(const struct profile *p, struct cause_memo *memo, struct arena *a,
		   struct summary *ret, struct err *err);
/*
 * What waits for work ended with: there was work, and no CPU. The sum over their rows, of which
 * runq_ns, count and samples are known.
 */
struct top_row summary_woken(const struct top *t);
/* Does it come before that row of those that are no waits for work? False: there is none of it. */
bool summary_woken_is_next(const struct top *t, u32 row, const struct top_row *woken);
/* The time of the rows of a top that are no waits for work, and of the one above. */
u64 summary_busy_ns(const struct top *t);

/*
 * What each request cost, where the number of requests a second is known (R). By Little's law as
 * many threads are busy with requests as R times the time of one, which must be no more than there
 * are; T - R * C is what they can be off the CPU at most, C being the CPU time of a request.
 */
struct summary_requests {
	u64 milli_per_s; /* requests in 1000 seconds */
	u64 on_ns; /* of each */
	u64 runq_ns; /* waiting for a CPU, both ways */
	u64 blocked_ns; /* that is no wait for work */
	u64 threads_milli; /* in thousandths: T, threads there were on the average */
	u64 busy_milli; /* R * (on + runq + blocked) */
	u64 on_milli; /* R * C */
};

/* `milli_per_s` is not 0. All zero for a window without length. */
void summary_requests_of(const struct profile *p, const struct summary *s, u64 milli_per_s,
			 struct summary_requests *ret);

#endif
