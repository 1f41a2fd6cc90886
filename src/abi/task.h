/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_TASK_H
#define ABI_TASK_H

#include <linux/types.h>

#include "abi/glob.h"
#include "abi/hist.h"
#include "abi/state.h"

/* What a thread was doing when its state was last updated. */
enum cs_phase {
	CS_PHASE_UNSEEN = 0, /* marked, no switch yet: in the state the iterator found */
	CS_PHASE_ON = 1,
	CS_PHASE_OFF = 2,
	CS_PHASE_CLOSED = 3, /* it has left the CPU for the last time, and sent its totals */
};

/*
 * Exact totals of one thread inside one window, in ns of the trace clock, kept in the thread's task
 * storage. on + preempted + runq + blocked + missed == wall.
 */
struct cs_totals {
	__u64 on_ns;
	__u64 preempted_ns; /* off the CPU while runnable */
	__u64 runq_ns; /* woken, or new, and not yet running */
	__u64 blocked_ns[CS_STATE_CNT]; /* [CS_STATE_R] stays 0 */
	__u64 missed_ns; /* between two switches with one missing: unknown */
	__u64 switches; /* switches away from the CPU */
	__u64 preemptions; /* of these, while runnable */
	__u64 wakeups; /* blocked waits that ended */
	__u64 migrations; /* resumed on another CPU than left */
	__u64 waits; /* all waits with time in the window, of any type and however they ended */
	/*
	 * In the first window, with cfg.gap_from_ns: the part of the wait that was open at its
	 * begin that is in the gap before it. Not part of the wall time. Or CS_GAP_UNKNOWN.
	 */
	__u64 gap_ns;
};

#define CS_GAP_UNKNOWN (~0ULL) /* there was such a wait, but the kernel does not tell its begin */

enum cs_task_flag {
	CS_TASK_KTHREAD = 1,
	CS_TASK_EXITED = 2, /* exited inside the window */
	CS_TASK_EXECED = 4, /* this record ended with an exec; another one continues */
	CS_TASK_BORN = 8, /* born (or exec'ed) inside the window */
	CS_TASK_CUT = 32, /* its window ended; the thread goes on under the same id */
	CS_TASK_MOVED = 64, /* it changed its cgroup, or is no target any more; see task_moves() */
	CS_TASK_LEFT = 128, /* it is no target any more, and sleeps if it is not CS_TASK_MOVED */
};

/* The record is its last: another one of the thread has another id. */
#define CS_TASK_GONE (CS_TASK_EXITED | CS_TASK_EXECED | CS_TASK_MOVED)

/*
 * A thread between two of {start of trace, birth, exec, another cgroup, exit, end of trace}, and
 * the part of that in one window, as sent to user space. `id` is unique in a trace: a reused tid, a
 * thread after exec and one in another cgroup have new ids, and a thread keeps its id from one
 * window to the next.
 */
struct cs_task_record {
	__u32 id;
	__u32 tid; /* in the PID namespace of the profiler */
	__u32 tgid;
	__u32 host_tid;
	__u32 host_tgid;
	__u32 flags;
	__u32 raw_state; /* at the end of the record */
	__u32 pidns_inum; /* PID namespace of its children, if histograms are kept; else 0 */
	__u32 own_tid; /* in its own PID namespace */
	__u32 own_pidns; /* that namespace, as the kernel numbers them */
	__u64 image; /* hash of (tgid, start, exec count): one program in one address space */
	__u64 start_boottime_ns; /* task_struct.start_boottime; with tid the identity of a thread */
	__u64 begin_ns; /* trace clock; may be before the window */
	__u64 end_ns; /* of the record, or the end of the window */
	__u64 cgroup_id; /* cgroup v2 */
	char comm[CS_COMM_LEN];
	char group_comm[CS_COMM_LEN]; /* of the thread group leader */
	struct cs_totals totals;
};

enum cs_task_hist_kind {
	CS_TASK_HIST_ON = 0, /* slices on a CPU */
	CS_TASK_HIST_OFF = 1, /* waits: run queue and blocked together */
	CS_TASK_HIST_RUNQ = 2, /* the run-queue part of each wait */
	CS_TASK_HIST_BLOCKED = 3, /* their blocked part, except preemptions and births */
	CS_TASK_HIST_KINDS = 4,
};

/*
 * Lengths of the slices and waits of one record: all that ended inside the window and began inside
 * the trace and the record, with full length. The sums are their time. The rest of the totals was
 * cut by an end of the trace or of the record, or found a counter at its maximum.
 */
struct cs_task_hist {
	__u64 on_ns;
	__u64 runq_ns;
	__u64 blocked_ns;
	__u32 counts[CS_TASK_HIST_KINDS][CS_FINE_LEN];
};

/* What user space gets for a thread if histograms are kept. */
struct cs_task_hist_record {
	struct cs_task_record task;
	struct cs_task_hist hist;
};

_Static_assert(sizeof(struct cs_task_hist) == 24 + 4 * CS_TASK_HIST_KINDS * CS_FINE_LEN, "");
_Static_assert(sizeof(struct cs_totals) == 8 * (3 + CS_STATE_CNT + 7), "");
_Static_assert(sizeof(struct cs_task_record) == 40 + 40 + 32 + sizeof(struct cs_totals), "");

#endif
