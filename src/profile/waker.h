/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_WAKER_H
#define PROFILE_WAKER_H

#include "base/types.h"

/* What ended a wait. */
enum profile_waker_context {
	WAKER_THREAD, /* a thread, by a system call, by exiting, or as a kernel thread */
	WAKER_SOFTIRQ, /* a soft interrupt: no thread's doing */
	WAKER_HARDIRQ, /* a hard interrupt */
	WAKER_NMI,
	WAKER_OTHER, /* the table of wakers was full */
	WAKER_CONTEXTS,
};

/* Why a chain of wakers has no further link. */
enum profile_chain_end {
	CHAIN_GOES_ON, /* it has: `next` is not 0 */
	CHAIN_RUNNING, /* no wait of the waker ended inside the wait that it ended */
	CHAIN_INTERRUPT, /* an interrupt ended the wait */
	CHAIN_DEPTH, /* longer than the limit of 8 links */
	CHAIN_UNRECORDED, /* the waker is not a recorded thread */
	/* Who ended the waker's own wait is not known: not sampled, missed, or table full. */
	CHAIN_UNKNOWN,
	CHAIN_ENDS,
};

enum profile_waker_flag {
	WAKER_KTHREAD = 1,
	WAKER_EXITING = 2, /* it was exiting */
	WAKER_SELF = 4, /* woke itself */
};

/* A link of a chain of wakers; equal ones are one. Element 0 is all zero: no waker known. */
struct profile_waker {
	u32 task; /* 0: not recorded, or an interrupt */
	u32 tid; /* these four of a thread, recorded or not; 0 for an interrupt */
	u32 tgid;
	u32 comm;
	u32 group_comm;
	u32 context; /* enum profile_waker_context */
	u32 end; /* enum profile_chain_end */
	u32 ustack; /* leaf nodes: where it was when it woke the sleeper; 0: none */
	u32 kstack;
	u32 next; /* who ended its own last wait, if inside; below its own id; 0: none */
	u32 flags; /* enum profile_waker_flag */
};

/* What the waker did during a part of the wait that it ended. */
enum profile_doing {
	DOING_WOKEN, /* the part after the wakeup: the sleeper waits for a CPU */
	DOING_RUNNING, /* the waker was on a CPU */
	DOING_RUNQ, /* the waker waited for a CPU */
	DOING_BLOCKED, /* the waker was blocked itself: the did_ members say in which wait */
	DOING_UNBORN, /* it did not exist yet */
	DOING_INTERRUPT, /* an interrupt ended the wait: no thread is to blame */
	DOING_UNKNOWN, /* not recorded, or too long ago to be known */
	DOING_CNT,
};

/*
 * A part of a wait (or of waits with an equal key) by who ended it and what that one did meanwhile.
 * Rows with equal keys are one. The rows of one wait and waker add up to the time of the waits that
 * this waker ended. Time that is in no row was not ended by a known waker: preemptions, births,
 * waits open at the end, lost wakers.
 */
struct profile_wake {
	/* Of the wait, as in struct profile_wait: wake_wait.h finds it. */
	u32 task;
	u32 ustack;
	u32 kstack;
	s32 sysno;
	u32 state;
	u32 flags;
	u32 object;
	u32 owner;
	u32 owner_tid;
	u32 waker; /* not 0 */
	u32 doing; /* enum profile_doing */
	/*
	 * DOING_BLOCKED: the waker's own wait, as in struct profile_wait. All 0, and did_sysno -1,
	 * if that wait is not listed, or the waker did something else.
	 */
	u32 did_ustack;
	u32 did_kstack;
	s32 did_sysno;
	u32 did_state;
	u32 did_flags;
	u32 did_object;
	u32 pad;
	u64 ns; /* DOING_WOKEN: of the run queue time of the wait; else of its blocked time */
	u64 count; /* DOING_WOKEN: waits; else 0 */
	/*
	 * Of the count, also only of DOING_WOKEN. In a burst, wakeups of one waker follow each
	 * other less than WAKE_BURST_NS apart, without a wait of the waker. 0 in recordings of
	 * older versions.
	 */
	u64 bursts; /* the first wakeup of a burst */
	u64 crowd; /* number WAKE_CROWD in its burst, or a later one */
	u64 brief; /* the thread ran less than WAKE_BRIEF_NS, and waited again */
	u64 again; /* of these: in the same place */
	u64 brief_ns; /* time on a CPU of the brief runs */
};

#define WAKE_BURST_NS 50000
#define WAKE_CROWD 8
#define WAKE_BRIEF_NS 50000

/* "softirq", "running", "blocked": stable words for formats; "unknown" beyond the last. */
const char *waker_context_name(enum profile_waker_context context);
const char *chain_end_name(enum profile_chain_end end);
const char *doing_name(enum profile_doing doing);

#endif
