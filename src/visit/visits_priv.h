/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_VISITS_PRIV_H
#define VISIT_VISITS_PRIV_H

#include "base/notices.h"
#include "proc/ended.h"
#include "visit/roster.h"
#include "visit/rounds.h"
#include "visit/visits.h"

/* A thread in a window that is over, or that ended before it. */
struct closed_thread {
	u32 tgid;
	u32 tid;
	u32 flags; /* enum profile_task_flag */
	char comm[PROC_COMM_SZ];
	char group_comm[PROC_COMM_SZ];
	u64 start_boottime_ns;
	u64 switches;
	u64 preemptions;
	struct visit_tally tally; /* finished */
};

/* A window, and how visits kept time in it. */
struct visit_window {
	u64 begin_ns; /* CLOCK_MONOTONIC */
	u64 begin_wall_ns;
	u64 end_ns;
	u64 begin_cpu_ns; /* of ourselves */
	u64 cpu_ns;
	struct round_counts kept;
	u64 visits; /* of threads */
	u64 looks;
	u64 python_unread; /* stacks without all of their Python functions */
	struct vec threads; /* struct closed_thread */
	struct ended ended; /* programs that no later window has */
};

struct visits {
	struct looker looker;
	struct whom whom;
	struct roster roster;
	struct visit_window window;
	struct visit_window closed;
	struct ended past; /* programs that `closed` does not have any more */
	struct rounds rounds;
	u32 expected; /* a process that is about to run its program; 0: none */
	u64 functions_lost; /* of interpreters, in all windows so far */
	u64 search_ns; /* when threads were last searched for */
	bool keeps_user;
	bool keeps_kernel;
	struct notices notices;
};

#endif
