/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_TASK_H
#define PROC_TASK_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/*
 * What /proc says about one process or thread. Process and thread ids are those of our own PID
 * namespace. All readers return -ESRCH with a sentence when the task is gone (or never was),
 * -EACCES when we may not look, -EINVAL for text that the kernel does not write.
 */

/* A comm of the kernel has at most 15 bytes, a kernel worker's up to 63. */
#define PROC_COMM_SZ 64

/* From /proc/PID/status. */
struct task_status {
	u32 tgid;
	u32 pid;
	u32 uid; /* real */
	u32 euid;
	u32 ns_pid; /* number in the task's own, innermost PID namespace */
	u32 ns_depth; /* how many namespaces below ours that is; 0: ours */
};

int task_status__parse(struct task_status *ret, struct view text, struct err *err);
int task_status__read(struct task_status *ret, u32 tid, struct err *err);

/* Without the newline, raw bytes. `sz` of PROC_COMM_SZ never cuts. */
int proc_task_comm(u32 tid, char *buf, size_t sz, struct err *err);

/*
 * When it started, in ns since boot: with the number this tells processes apart. Exact to a clock
 * tick. The parser takes the text of /proc/PID/stat.
 */
int proc_task_start(u32 tid, u64 *ret_boottime_ns, struct err *err);
int proc_task_start_parse(struct view text, u64 *ret_boottime_ns, struct err *err);

/* A process or thread of that number exists (a zombie does). */
bool proc_task_exists(u32 tid);

#endif
