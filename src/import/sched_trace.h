/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_SCHED_TRACE_H
#define IMPORT_SCHED_TRACE_H

#include "base/map64.h"
#include "import/gather.h"

/*
 * Threads of a trace of the scheduler: context switches and wakeups in the order of time, from
 * which every thread gets its exact times. Errors are -ENOMEM and -EOVERFLOW.
 */
struct sched_trace {
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

int sched_trace__init(struct sched_trace *s, struct gather *g);
void sched_trace__done(struct sched_trace *s);
/* An event of any kind: the window has it. */
void sched_trace__see(struct sched_trace *s, u64 time_ns);
/* The frames that were pushed are the stack of the previous thread. */
int sched_trace__switch(struct sched_trace *s, const struct sched_switch *sw);
int sched_trace__wake(struct sched_trace *s, u64 time_ns, u32 tid, const struct view *comm,
		      bool is_new);
/*
 * What is known of a thread besides: its name, if no event had it, and its process. Empty or 0: not
 * known. Nothing for a thread that was not seen yet.
 */
int sched_trace__know(struct sched_trace *s, u32 tid, const struct view *comm, u32 tgid,
		      const struct view *process);
/* Nothing for a thread that was not seen yet. */
void sched_trace__migrate(struct sched_trace *s, u64 time_ns, u32 tid);
/* What goes on at the end; gives the totals to the gather. */
int sched_trace__end(struct sched_trace *s);

#endif
