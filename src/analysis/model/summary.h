/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_SUMMARY_H
#define ANALYSIS_MODEL_SUMMARY_H

#include "analysis/model/top.h"

/*
 * Where the time of the threads went: for the first screen of the terminal, of the report, and of
 * the JSON.
 *
 *	wall == on + runq + blocked + idle + unaccounted
 *
 * Everything except `idle` is a thread total and exact. `idle` is the time of waits for work, and
 * of waiting for a CPU after them, including waits removed by a filter after the recording;
 * `blocked` and `runq` are the rest of those totals. If the list is sampled, `idle` is an estimate,
 * and never more than the totals. If waits were filtered during recording, `idle` is unknown, and
 * `blocked` and `runq` contain it.
 */
struct summary {
	struct profile_budget budget;
	u64 runq_ns; /* waiting for a CPU: preempted, woken or new */
	u64 blocked_ns;
	u64 blocked_by_state_ns[PROFILE_STATES];
	bool idle_known;
	u64 idle_ns; /* 0 if unknown */
	u64 woken_ns; /* of it, waiting for a CPU */
	u64 idle_var_us2; /* see profile/estimate.h; 0: nothing is estimated */
	u64 bad_ns; /* blocked time of waits that blocked an event loop */
	struct top kinds; /* by cause */
	struct top waits; /* by place */
};

/* Everything is in the arena. `memo`: of causes, or NULL (cause_memo.h). -ENOMEM or 0. */
int summary__build(const struct profile *p, struct cause_memo *memo, struct arena *a,
		   struct summary *ret, struct err *err);
/*
 * Waiting for a CPU at the end of waits for work. The sum over their rows; only runq_ns, count and
 * samples are set.
 */
struct top_row summary_woken(const struct top *t);
/*
 * Whether that sum comes before row `row` of those that are not waits for work. False: there is
 * none.
 */
bool summary_woken_is_next(const struct top *t, u32 row, const struct top_row *woken);
/* The time of the rows of a top that are not waits for work: what shares are of. */
u64 summary_busy_ns(const struct top *t);

/*
 * What each request cost, if the number of requests per second (R) is known. By Little's law, R
 * times the time of one request is the number of threads busy with requests, which must not exceed
 * their average number (T). With C the CPU time of a request, T - R * C is the most that can be off
 * the CPU.
 */
struct summary_requests {
	u64 milli_per_s; /* requests per 1000 seconds */
	u64 on_ns; /* of each */
	u64 runq_ns; /* waiting for a CPU */
	u64 blocked_ns; /* both without waits for work */
	u64 threads_milli; /* in thousandths: T, the average number of threads */
	u64 busy_milli; /* R * (on + runq + blocked) */
	u64 on_milli; /* R * C */
};

/* `milli_per_s` is not 0. All zero for a window without length. */
void summary_requests_of(const struct profile *p, const struct summary *s, u64 milli_per_s,
			 struct summary_requests *ret);

#endif
