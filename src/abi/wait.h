/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_WAIT_H
#define ABI_WAIT_H

#include <linux/types.h>

#include "abi/hist.h"
#include "abi/stack.h"

/*
 * Flags of a key: X(NAME, bit). The profile has flags of its own (capture/wait_flags.c).
 *
 * IOWAIT: task_struct.in_iowait was set, block I/O
 * KILLABLE: D that a fatal signal ends
 * PREEMPTED: state R, the kernel took the CPU away inside kernel code
 * NEW: first wait of a new thread for a CPU
 * PRE: began before the window, only the part inside is counted
 * OPEN: not over at the end of the window, the part inside is counted
 * NO_RESUME: resume hook or switch was missed, stacks are unknown
 * ON_CPU: not a wait, but samples of the thread on a CPU; only `samples` of the sum counts
 * THROTTLED: state R, its cgroup had used up its CPU quota
 * STACK_LOST: a stack of it was dropped because the tables of stacks were full
 * OWNER_UNKNOWN: for a kernel lock whose owner is unknown
 * RUNNABLE: state R, found by a visit: woken, or it lost the CPU
 *
 * What a wait lacks is in its key, so it is counted once, and only for listed waits: a wait that
 * found the table of waits full is lost as a whole.
 */
#define CS_WAIT_FLAGS(X)                                                                           \
	X(IOWAIT, 0)                                                                               \
	X(KILLABLE, 1)                                                                             \
	X(PREEMPTED, 2)                                                                            \
	X(NEW, 3)                                                                                  \
	X(PRE, 4)                                                                                  \
	X(OPEN, 5)                                                                                 \
	X(NO_RESUME, 6)                                                                            \
	X(ON_CPU, 7)                                                                               \
	X(THROTTLED, 8)                                                                            \
	X(STACK_LOST, 9)                                                                           \
	X(OWNER_UNKNOWN, 10)                                                                       \
	X(RUNNABLE, 11)

enum cs_wait_flag {
#define X(NAME, bit) CS_WAIT_##NAME = 1 << (bit),
	CS_WAIT_FLAGS(X)
#undef X
};

/* All of them. */
enum {
#define X(NAME, bit) | CS_WAIT_##NAME
	CS_WAIT_FLAGS_ALL = 0 CS_WAIT_FLAGS(X),
#undef X
};

#define CS_WAIT_FLAGS_BITS 12 /* of a key */

/* System call number of a wait outside system calls: page fault, interrupt, kernel thread. */
#define CS_SYSNO_NONE (-1)
#define CS_SYSNO_MAX 0x7fff

/*
 * One listed sum. Stacks are hashes into the table of stacks; 0 is no stack. Without objects, the
 * table uses only the first CS_WAIT_KEY_SZ bytes.
 */
struct cs_wait_key {
	__u64 kstack;
	__u64 ustack;
	__u32 task; /* cs_task_record.id */
	__s16 sysno;
	__u16 state : 4; /* enum cs_state */
	__u16 flags : CS_WAIT_FLAGS_BITS; /* enum cs_wait_flag */
	__u32 object; /* cs_object.id, CS_OBJECT_OTHER, or 0 */
	__u32 owner; /* thread of its owner: its number and CS_OWNER_* of abi/object.h; 0: none */
};

#define CS_WAIT_KEY_SZ 24

/*
 * With a sampling period P, a wait of P or longer is always chosen and counts as it is. The other
 * waits of a thread, laid end to end, are divided into periods, and one random point is drawn in
 * each: the wait that contains it is chosen and stands for P, or, if it contains the points of two
 * periods, for 2 P. So blocked_ns, runq_ns, count and hist are unbiased estimates, each with weight
 * P / d for a wait of length d. var_us2 is the estimated variance of blocked_ns + runq_ns: P^2 (1 -
 * d / P) for each (Horvitz and Thompson, 1952).
 */
struct cs_wait_sum {
	__u64 blocked_ns;
	__u64 runq_ns;
	__u64 count;
	__u64 max_ns; /* blocked + run queue, the part inside the window; of chosen waits */
	__u64 samples; /* number of chosen waits; equals count if nothing is estimated */
	__u64 var_us2; /* us^2 */
	__u32 hist[CS_HIST_LEN]; /* of blocked + run queue */
};

/* Longest sampling period: products of two shorter times fit into 64 bits. */
#define CS_PERIOD_MAX_NS 4000000000ULL

_Static_assert(sizeof(struct cs_wait_key) == 32, "no padding in a map key");
_Static_assert(CS_WAIT_FLAGS_ALL < 1 << CS_WAIT_FLAGS_BITS, "a key has room for every flag");
_Static_assert(__builtin_offsetof(struct cs_wait_key, object) == CS_WAIT_KEY_SZ, "");
_Static_assert(sizeof(struct cs_wait_sum) == 48 + 4 * CS_HIST_LEN, "");

#endif
