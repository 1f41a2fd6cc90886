/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_THREAD_H
#define PROC_THREAD_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/*
 * What the files of a thread in /proc/PID/task/TID say. Parsers of their text: -EINVAL, with a
 * message, for text that the kernel would not write.
 */

/* schedstat: the scheduler's own counters since the thread began. */
struct thread_sched {
	u64 on_ns; /* of a running thread as of the last tick */
	u64 runq_ns; /* waited for a CPU; a wait that goes on is not in it yet */
	u64 runs; /* times it got a CPU */
};

int thread_sched__parse(struct thread_sched *ret, struct view text, struct err *err);

/* stat. */
struct thread_stat {
	char state; /* 'R', 'S', ... */
	u32 flags; /* PF_* of the kernel */
	u64 cpu_ticks; /* user and system time */
	u64 start_boottime_ns; /* exact to a clock tick */
};

#define THREAD_PF_KTHREAD 0x00200000U

u64 thread_ticks_ns(u64 ticks);
int thread_stat__parse(struct thread_stat *ret, struct view text, struct err *err);

/* status: how often it was switched out. */
struct thread_switches {
	u64 voluntary; /* it blocked */
	u64 involuntary; /* it was preempted, or yielded */
};

/* -ENOENT if the text has no such lines, as on other implementations of /proc. */
int thread_switches__parse(struct thread_switches *ret, struct view text, struct err *err);

/* syscall. */
struct thread_call {
	bool is_blocked; /* if not, nothing else is known */
	s32 sysno; /* -1: blocked outside of any system call */
	u64 args[6];
	u64 sp;
	u64 pc;
};

int thread_call__parse(struct thread_call *ret, struct view text, struct err *err);

/*
 * wchan: the function of the kernel that a thread sleeps in. False if there is none ("0"). `sz` of
 * at least THREAD_SYMBOL_SZ.
 */
#define THREAD_SYMBOL_SZ 128
bool thread_wchan_parse(struct view text, char *buf, size_t sz);

/*
 * stack: the next function of "[<0>] futex_wait+0xe6/0x180", leaf first, without its offset. False
 * at the end; other lines are left out.
 */
bool thread_stack_next(struct view *text, char *buf, size_t sz);

#endif
