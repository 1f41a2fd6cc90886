/* SPDX-License-Identifier: Apache-2.0 */

/* The arithmetic of windows, separate from the programs that fill them. */
#include "capture/capture_window.h"

#include <errno.h>
#include <string.h>

int capture_window__init(struct capture_window *w, u64 interval_ns, u64 max_moments)
{
	memset(w, 0, sizeof(*w));
	vec__init(&w->records, sizeof(struct cs_task_record));
	task_hists__init(&w->hists);
	replicates__init(&w->replicates, interval_ns);
	moments__init(&w->moments, max_moments);
	return peers__init(&w->peers) ? -ENOMEM : 0;
}

void capture_window__done(struct capture_window *w)
{
	vec__done(&w->records);
	task_hists__done(&w->hists);
	replicates__done(&w->replicates);
	moments__done(&w->moments);
	peers__done(&w->peers);
	memset(w, 0, sizeof(*w));
}

u64 capture_window__clip(const struct capture_window *w, u64 from_ns, u64 to_ns)
{
	if (from_ns < w->begin_ns)
		from_ns = w->begin_ns;
	if (w->end_ns && to_ns > w->end_ns)
		to_ns = w->end_ns;
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

u64 roll_call__missing(const struct roll_call *rc)
{
	u64 due = rc->there + rc->last_id - rc->last_id_before;
	u64 known = rc->records + rc->younger + rc->lost;

	return due > known ? due - known : 0;
}

void stats_since(const struct cs_stats *now, const struct cs_stats *before, struct cs_stats *ret)
{
	for (size_t i = 0; i < sizeof(*ret) / sizeof(u64); i++)
		((u64 *)ret)[i] = ((const u64 *)now)[i] - ((const u64 *)before)[i];
}
