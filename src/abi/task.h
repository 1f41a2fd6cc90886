/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_TASK_H
#define ABI_TASK_H

#include <linux/types.h>

#include "abi/glob.h"
#include "abi/hist.h"
#include "abi/state.h"

/* What a thread was doing when its clock was last read. */
enum cs_phase {
	CS_PHASE_UNSEEN = 0, /* marked, no switch yet: as the iterator found it */
	CS_PHASE_ON = 1,
	CS_PHASE_OFF = 2,
	CS_PHASE_CLOSED = 3, /* the window is over for it and its totals are whole */
	CS_PHASE_LATE = 4, /* came back after the window: its wait is listed, its totals are not */
};

/*
 * Exact totals of one thread inside the window, in ns of the trace clock. They are kept in the
 * thread's own storage. on + preempted + runq + blocked + missed == wall.
 */
struct cs_totals {
	__u64 on_ns;
	__u64 preempted_ns; /* off the CPU while runnable */
	__u64 runq_ns; /* woken, or new, and not yet running */
	__u64 blocked_ns[CS_STATE_CNT]; /* [CS_STATE_R] stays 0 */
	__u64 missed_ns; /* between two switches with one missing: not known */
	__u64 switches; /* switches away from the CPU */
	__u64 preemptions; /* of them while runnable */
	__u64 wakeups; /* blocked waits that ended */
	__u64 migrations; /* resumed on another CPU than left */
};

enum cs_task_flag {
	CS_TASK_KTHREAD = 1,
	CS_TASK_EXITED = 2, /* died inside the window */
	CS_TASK_EXECED = 4, /* this record ended with an exec: another one goes on */
	CS_TASK_BORN = 8, /* born (or exec'ed) inside the window */
	CS_TASK_LAST = 16, /* last record of its thread group's leader: the process is gone */
};

/*
 * A thread between two of {start of trace, birth, exec, death, end of trace}: what user space
 * gets for it. `id` is unique in a trace: a reused tid and a thread after exec have new ids.
 */
struct cs_task_record {
	__u32 id;
	__u32 tid; /* in the PID namespace of the profiler */
	__u32 tgid;
	__u32 host_tid;
	__u32 host_tgid;
	__u32 flags;
	__u32 raw_state; /* at the end of the record */
	__u32 pidns_inum; /* PID namespace of its children, where histograms are kept; else 0 */
	__u32 own_tid; /* in its own PID namespace: what it calls itself */
	__u32 own_pidns; /* that namespace, as the kernel numbers them */
	__u64 image; /* hash of (tgid, start, exec count): one program in one address space */
	__u64 start_boottime_ns; /* task_struct.start_boottime, with tid the identity of a thread */
	__u64 begin_ns; /* trace clock, clipped to the window */
	__u64 end_ns;
	__u64 cgroup_id; /* cgroup v2 */
	char comm[CS_COMM_LEN];
	char group_comm[CS_COMM_LEN]; /* of the thread group leader */
	struct cs_totals totals;
};

enum cs_task_hist_kind {
	CS_TASK_HIST_ON = 0, /* slices on a CPU */
	CS_TASK_HIST_OFF = 1, /* waits: run queue and blocked together */
	CS_TASK_HIST_RUNQ = 2, /* their part on a run queue, of each of them */
	CS_TASK_HIST_BLOCKED = 3, /* their blocked part, of those that are no preemption or birth */
	CS_TASK_HIST_KINDS = 4,
};

/*
 * How long slices and waits of one record were, of every one that began and ended inside the
 * window and the record, with its full length. The sums are the time of these: what totals have
 * beyond them was cut, by an end of the window or of the record, or found a counter at its end.
 */
struct cs_task_hist {
	__u64 on_ns;
	__u64 runq_ns;
	__u64 blocked_ns;
	__u32 counts[CS_TASK_HIST_KINDS][CS_FINE_LEN];
};

/* What user space gets for a thread where histograms are kept. */
struct cs_task_hist_record {
	struct cs_task_record task;
	struct cs_task_hist hist;
};

_Static_assert(sizeof(struct cs_task_hist) == 24 + 4 * CS_TASK_HIST_KINDS * CS_FINE_LEN, "");
_Static_assert(sizeof(struct cs_totals) == 8 * (3 + CS_STATE_CNT + 5), "");
_Static_assert(sizeof(struct cs_task_record) == 40 + 40 + 32 + sizeof(struct cs_totals), "");

#endif
