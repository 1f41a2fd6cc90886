/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_PERF_SCHED_H
#define IMPORT_PERF_SCHED_H

#include "base/map64.h"
#include "import/gather.h"

/*
 * Threads of a trace of the scheduler: context switches and wakeups in the order of time, from
 * which every thread gets its exact times. Errors are -ENOMEM and -EOVERFLOW.
 */
struct perf_sched {
	struct gather *g;
	struct vec threads; /* struct sched_thread; 0 is unused */
	struct map64 of_tid; /* index */
	struct map64 cpus; /* the last switch on a CPU */
	u64 begin_ns, end_ns; /* of what was seen */
	bool begun;
	bool has_wakeups, has_births;
	bool has_tgids;
	u64 unsplit, unsplit_ns; /* waits whose wakeup was not seen */
};

struct sched_switch {
	u64 time_ns;
	u64 cpu;
	u32 prev, next; /* TID; 0: idle */
	struct view prev_comm, next_comm;
	u32 prev_tgid; /* 0: unknown */
	u32 prev_state; /* index into PROFILE_STATE_LETTERS */
};

int perf_sched__init(struct perf_sched *s, struct gather *g);
void perf_sched__done(struct perf_sched *s);
/* An event of any kind: the window has it. */
void perf_sched__see(struct perf_sched *s, u64 time_ns);
/* The frames that were pushed are the stack of the previous thread. */
int perf_sched__switch(struct perf_sched *s, const struct sched_switch *sw);
int perf_sched__wake(struct perf_sched *s, u64 time_ns, u32 tid, const struct view *comm,
		     bool is_new);
/* Nothing for a thread that was not seen yet. */
void perf_sched__migrate(struct perf_sched *s, u64 time_ns, u32 tid);
/* What goes on at the end; gives the totals to the gather. */
int perf_sched__end(struct perf_sched *s);

#endif
