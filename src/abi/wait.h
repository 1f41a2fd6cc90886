/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_WAIT_H
#define ABI_WAIT_H

#include <linux/types.h>

#include "abi/hist.h"
#include "abi/stack.h"

enum cs_wait_flag {
	CS_WAIT_IOWAIT = 1, /* task_struct.in_iowait was set: block I/O */
	CS_WAIT_KILLABLE = 2, /* D that a fatal signal ends */
	CS_WAIT_PREEMPTED = 4, /* state R: the kernel took the CPU away inside kernel code */
	CS_WAIT_NEW = 8, /* first wait of a new thread for a CPU */
	CS_WAIT_PRE = 16, /* began before the window: only the part inside is counted */
	CS_WAIT_OPEN = 32, /* not over at the end of the window: the part inside is counted */
	CS_WAIT_NO_RESUME = 64, /* resume hook or switch was missed: stacks are not known */
	/* No wait: samples of the thread on a CPU; only `samples` of the sum counts. */
	CS_WAIT_ON_CPU = 128,
	CS_WAIT_THROTTLED = 1024, /* state R: its cgroup had used up its CPU quota */
};

/* System call number of a wait that was not in one: a page fault, an interrupt, kernel thread. */
#define CS_SYSNO_NONE (-1)
#define CS_SYSNO_MAX 0x7fff

/*
 * One listed sum. Stacks are hashes into the table of stacks; 0 is no stack. Without objects the
 * table is of the first CS_WAIT_KEY_SZ bytes only.
 */
struct cs_wait_key {
	__u64 kstack;
	__u64 ustack;
	__u32 task; /* cs_task_record.id */
	__s16 sysno;
	__u16 state : 4; /* enum cs_state */
	__u16 flags : 12; /* enum cs_wait_flag */
	__u32 object; /* cs_object.id, CS_OBJECT_OTHER, or 0 */
	__u32 owner; /* thread that held it: its number and CS_OWNER_* of abi/object.h; 0: none */
};

#define CS_WAIT_KEY_SZ 24

/*
 * With a sampling period P, a wait of P or longer is always chosen and counts as it is. The others
 * of a thread, one behind the other, are cut into periods, and in each of these one point is drawn:
 * the wait that has it is chosen and stands for P, or, at the edge of two periods and with the
 * points of both, for 2 P. So blocked_ns, runq_ns, count and hist are estimates without bias, each
 * with the weight P / d of a wait of length d. var_us2 is the estimated variance of blocked_ns +
 * runq_ns: P^2 (1 - d / P) for each (Horvitz and Thompson, 1952).
 */
struct cs_wait_sum {
	__u64 blocked_ns;
	__u64 runq_ns;
	__u64 count;
	__u64 max_ns; /* blocked + run queue, the part inside the window; of those chosen */
	__u64 samples; /* waits that were chosen: count, where nothing is estimated */
	__u64 var_us2; /* us^2 */
	__u32 hist[CS_HIST_LEN]; /* of blocked + run queue */
};

/* Longest sampling period: products of two times below it fit into 64 bits. */
#define CS_PERIOD_MAX_NS 4000000000ULL

_Static_assert(sizeof(struct cs_wait_key) == 32, "no padding in a map key");
_Static_assert(__builtin_offsetof(struct cs_wait_key, object) == CS_WAIT_KEY_SZ, "");
_Static_assert(sizeof(struct cs_wait_sum) == 48 + 4 * CS_HIST_LEN, "");

#endif
