/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_CAPTURE_WINDOW_H
#define CAPTURE_CAPTURE_WINDOW_H

#include "abi/stats.h"
#include "abi/task.h"
#include "base/types.h"
#include "base/vec.h"
#include "capture/cost/period_log.h"
#include "capture/cost/replicates.h"
#include "capture/moments.h"
#include "capture/object/peers.h"
#include "capture/program/programs.h"
#include "capture/program/sampler.h"
#include "capture/runtime/readers.h"
#include "capture/task_hists.h"

/* One window of a trace: records of threads, and the numbers of its header. */
struct capture_window {
	u64 begin_ns; /* CLOCK_MONOTONIC */
	u64 end_ns; /* 0: still open */
	u64 begin_wall_ns;
	struct vec records; /* struct cs_task_record, of threads that ended or were cut off */
	struct task_hists hists; /* of the records, in their order; empty if none are kept */
	u64 records_lost; /* our own memory had no room for them */
	u64 records_lost_ns;
	u64 records_missing; /* never arrived */
	bool counted; /* closed: the next window has counted its threads */
	struct moments moments;
	struct peers peers; /* of objects; empty without them */
	u64 peers_left_out; /* objects with peers that may not have been found */
	struct period_log periods;
	struct replicates replicates;
	u64 self_cpu_ns; /* CPU time of our own process */
	u64 memory_bytes; /* kernel memory at its end */
	/* How much the counters grew in it. */
	struct cs_stats stats;
	struct programs_cost cost;
	u64 tables_full;
	struct sampler_counts passes;
	struct readers_lost functions_lost;
};

/* -ENOMEM or 0. Release with capture_window__done() in either case. */
int capture_window__init(struct capture_window *w, u64 interval_ns, u64 max_moments);
/* All zero is fine. */
void capture_window__done(struct capture_window *w);

/* How much of [from_ns, to_ns) is in the window. */
u64 capture_window__clip(const struct capture_window *w, u64 from_ns, u64 to_ns);

/*
 * How many threads have no record in a finished window. Every thread that existed at its start, or
 * got its number since, must have a record or be counted as lost.
 */
struct roll_call {
	u64 there; /* at the start */
	u64 last_id; /* the last thread number assigned by its end */
	u64 last_id_before; /* by its start */
	u64 records; /* in the window */
	u64 younger; /* threads with such a number that began after the end */
	u64 lost;
};
u64 roll_call__missing(const struct roll_call *rc);

/* The difference of two readings of counters that only grow. */
void stats_since(const struct cs_stats *now, const struct cs_stats *before, struct cs_stats *ret);

#endif
