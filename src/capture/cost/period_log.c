/* SPDX-License-Identifier: Apache-2.0 */

/* Only sums: a trace of days may change its period any number of times. */
#include "capture/cost/period_log.h"

void period_log__begin(struct period_log *log, u64 at_ns, u64 period_ns)
{
	*log = (struct period_log){
		.begin_ns = at_ns,
		.since_ns = at_ns,
		.now_ns = period_ns,
		.min_ns = period_ns,
		.max_ns = period_ns,
		.sum_ns = period_ns,
	};
}

static unsigned __int128 area_until(const struct period_log *log, u64 at_ns)
{
	u64 len_ns = at_ns > log->since_ns ? at_ns - log->since_ns : 0;

	return log->area + (unsigned __int128)log->now_ns * len_ns;
}

void period_log__change(struct period_log *log, u64 at_ns, u64 period_ns)
{
	if (period_ns == log->now_ns)
		return;
	log->area = area_until(log, at_ns);
	if (at_ns > log->since_ns)
		log->since_ns = at_ns;
	log->now_ns = period_ns;
	log->sum_ns += period_ns;
	log->changes++;
	if (period_ns < log->min_ns)
		log->min_ns = period_ns;
	if (period_ns > log->max_ns)
		log->max_ns = period_ns;
}

u64 period_log__mean_ns(const struct period_log *log, u64 end_ns)
{
	u64 len_ns = end_ns > log->begin_ns ? end_ns - log->begin_ns : 0;
	u64 mean_ns;

	if (!len_ns)
		return log->now_ns;
	mean_ns = (u64)(area_until(log, end_ns) / len_ns);
	if (mean_ns < log->min_ns)
		mean_ns = log->min_ns;
	return mean_ns || !log->max_ns ? mean_ns : 1;
}
