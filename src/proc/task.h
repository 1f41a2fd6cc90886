/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_TASK_H
#define PROC_TASK_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/*
 * What /proc says about one process or thread. PIDs and TIDs are those of our own PID namespace.
 * All readers return -ESRCH with a message if the task has exited (or never existed), -EACCES if
 * access is denied, -EINVAL for text that the kernel would not write.
 */

/* A comm of the kernel has at most 15 bytes, a kernel worker's up to 63. */
#define PROC_COMM_SZ 64

/* From /proc/PID/status. */
struct task_status {
	u32 tgid;
	u32 pid;
	u32 ppid; /* of the parent; 0: it is outside of our namespace, or there is none */
	u32 uid; /* real */
	u32 euid;
	u32 ns_pid; /* PID in the task's own, innermost PID namespace */
	u32 ns_depth; /* how many namespaces below ours that is; 0: ours */
};

int task_status__parse(struct task_status *ret, struct view text, struct err *err);
int task_status__read(struct task_status *ret, u32 tid, struct err *err);

/* Without the newline, raw bytes. PROC_COMM_SZ is always large enough. */
int proc_task_comm(u32 tid, char *buf, size_t sz, struct err *err);

/*
 * Start time in ns since boot: with the PID it identifies a process. Exact to a clock tick. The
 * parser takes the text of /proc/PID/stat.
 */
int proc_task_start(u32 tid, u64 *ret_boottime_ns, struct err *err);
int proc_task_start_parse(struct view text, u64 *ret_boottime_ns, struct err *err);

/* A process or thread with that ID exists (a zombie does). */
bool proc_task_exists(u32 tid);

#endif
