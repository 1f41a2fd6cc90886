/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_WAKER_H
#define ABI_WAKER_H

#include <linux/types.h>

#include "abi/task.h"
#include "abi/wait.h"

/* In what context a wakeup ran. Like enum profile_waker_context. */
enum cs_waker_context {
	CS_WAKER_THREAD = 0,
	CS_WAKER_SOFTIRQ,
	CS_WAKER_HARDIRQ,
	CS_WAKER_NMI,
	CS_WAKER_OTHER, /* the table of wakers was full */
};

/* Why a chain of wakers ends. Like enum profile_chain_end. */
enum cs_chain_end {
	CS_CHAIN_GOES_ON = 0,
	CS_CHAIN_RUNNING, /* no wait of the waker ended inside the wait that it ended */
	CS_CHAIN_INTERRUPT,
	CS_CHAIN_DEPTH,
	CS_CHAIN_UNRECORDED, /* the waker is not traced */
	CS_CHAIN_UNKNOWN, /* the waker of its wait is not known */
};

/* What a waker did during the wait that it ended. Like enum profile_doing. */
enum cs_doing {
	CS_DOING_WOKEN = 0, /* not the waker: the sleeper was woken, and waits for a CPU */
	CS_DOING_RUNNING,
	CS_DOING_RUNQ,
	CS_DOING_BLOCKED,
	CS_DOING_UNBORN,
	CS_DOING_INTERRUPT,
	CS_DOING_UNKNOWN,
	CS_DOING_CNT,
};

enum cs_waker_flag {
	CS_WAKER_KTHREAD = 1,
	CS_WAKER_EXITING = 2,
	CS_WAKER_SELF = 4, /* a thread woke itself */
	CS_WAKER_OUTSIDE = 8, /* not traced: `thread` is its host TID, see struct cs_outsider_key */
	CS_WAKER_STACK_LOST = 16, /* a stack of it was dropped: table full */
};

/*
 * A waker at one place, and the chain behind it. Its id in the table is a hash of it, except for
 * the lowest bits, which count the links behind it, and CS_STACK_SIDE, as for stacks. A chain is
 * made from its far end on, so the programs keep more links than a profile shows.
 */
struct cs_waker {
	__u64 next; /* id of who ended the waker's own last wait, if inside; 0: none */
	__u64 kstack;
	__u64 ustack;
	__u64 start_boottime_ns; /* CS_WAKER_OUTSIDE; else 0 */
	__u32 thread; /* id of its record, or see CS_WAKER_OUTSIDE; 0: an interrupt */
	__u8 context; /* enum cs_waker_context */
	__u8 end; /* enum cs_chain_end */
	__u8 flags; /* enum cs_waker_flag */
	__u8 pad;
};

#define CS_WAKER_DEPTH_MASK 63ULL
/* Stands for all wakers that found no room in the table. */
#define CS_WAKER_ID_OTHER 0x40ULL

/* A waker that is not traced. */
struct cs_outsider_key {
	__u64 start_boottime_ns;
	__u32 host_tid;
	__u32 pad;
};

struct cs_outsider {
	__u64 image; /* as of struct cs_task_record */
	__u32 tid; /* in the PID namespace of the profiler; 0: not visible there */
	__u32 tgid;
	char comm[CS_COMM_LEN];
	char group_comm[CS_COMM_LEN];
};

/*
 * A sum of the wakeups of waits. `did` is 0, or cs_wait_hash() of the waker's own wait: then the
 * sum has only the time that the waker was blocked in it meanwhile.
 */
struct cs_wake_key {
	__u64 wait; /* cs_wait_hash() of the key of the wait that was ended */
	__u64 waker; /* id */
	__u64 did;
};

/*
 * Weighted like struct cs_wait_sum: for each key of a wait, ns[CS_DOING_WOKEN] of its wakeups is at
 * most its runq_ns, and the others together are at most its blocked_ns.
 */
struct cs_wake_sum {
	__u64 count;
	__u64 ns[CS_DOING_CNT];
	__u64 bursts; /* of the count: the first wakeup of a burst of the waker */
	__u64 crowd; /* of the count: the wakeup of number CS_CROWD in its burst, or a later one */
	__u64 brief; /* of the count: the sleeper ran less than CS_BRIEF_NS, and waited again */
	__u64 again; /* of these: in the same place */
	__u64 brief_ns; /* on a CPU in these runs */
};

/* A wakeup follows another one of its waker in a burst: so soon, and with no wait in between. */
#define CS_BURST_NS 50000
/* Like WAKE_CROWD. */
#define CS_CROWD 8
/* Like WAKE_BRIEF_NS. */
#define CS_BRIEF_NS 50000

/* Identifies a key of the table of waits; 64 bits have practically no collisions. Never 0. */
static inline __attribute__((always_inline)) __u64 cs_wait_hash(const struct cs_wait_key *key)
{
	const __u64 *word = (const __u64 *)key;
	__u64 h = 0x9e3779b97f4a7c15ULL;

	for (int i = 0; i < (int)(sizeof(*key) / sizeof(*word)); i++) {
		h = (h ^ word[i]) * 0xd6e8feb86659fd93ULL;
		h ^= h >> 32;
	}
	return h | 1;
}

_Static_assert(sizeof(struct cs_waker) == 40, "no padding in what is hashed");
_Static_assert(sizeof(struct cs_wait_key) == 32, "four words");

#endif
