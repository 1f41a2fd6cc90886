/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_STATE_H
#define ABI_STATE_H

#include <linux/types.h>

/*
 * Task states as one small number, in the order and with the letters of perf and ps
 * ("RSDTtXZPI", TASK_STATE_TO_CHAR_STR in include/linux/sched.h).
 */
enum cs_state {
	CS_STATE_R = 0, /* still runnable: preempted or yielded */
	CS_STATE_S = 1,
	CS_STATE_D = 2,
	CS_STATE_T = 3, /* stopped by a signal */
	CS_STATE_t = 4, /* stopped by a tracer */
	CS_STATE_X = 5,
	CS_STATE_Z = 6,
	CS_STATE_P = 7, /* parked kernel thread */
	CS_STATE_I = 8, /* idle kernel thread */
	CS_STATE_CNT = 9,
};

#define CS_STATE_LETTERS "RSDTtXZPI"

/*
 * Raw bits of task_struct.__state, the same from 5.15 to 6.18 (include/linux/sched.h). FREEZABLE
 * and FROZEN came with 6.1 (f5d39b020809 "freezer,sched: Rewrite core freezer logic"), RTLOCK_WAIT
 * with 5.15 (cd781d0ce8cb "sched/wakeup: Introduce the TASK_RTLOCK_WAIT state bit").
 */
enum cs_raw_state {
	CS_RAW_INTERRUPTIBLE = 0x1,
	CS_RAW_UNINTERRUPTIBLE = 0x2,
	CS_RAW_STOPPED = 0x4,
	CS_RAW_TRACED = 0x8,
	CS_RAW_EXIT_DEAD = 0x10,
	CS_RAW_EXIT_ZOMBIE = 0x20,
	CS_RAW_PARKED = 0x40,
	CS_RAW_DEAD = 0x80,
	CS_RAW_WAKEKILL = 0x100,
	CS_RAW_WAKING = 0x200,
	CS_RAW_NOLOAD = 0x400,
	CS_RAW_NEW = 0x800,
	CS_RAW_RTLOCK_WAIT = 0x1000,
	CS_RAW_FREEZABLE = 0x2000,
	CS_RAW_FROZEN = 0x8000,
};

/*
 * The state that perf would print, like __task_state_index() of include/linux/sched.h: idle kernel
 * threads are D with NOLOAD; a lock of an RT kernel and a frozen task show as D.
 */
static inline enum cs_state cs_state_of(__u32 raw)
{
	if ((raw & (CS_RAW_UNINTERRUPTIBLE | CS_RAW_NOLOAD)) ==
	    (CS_RAW_UNINTERRUPTIBLE | CS_RAW_NOLOAD))
		return CS_STATE_I;
	if (raw & CS_RAW_PARKED)
		return CS_STATE_P;
	if (raw & CS_RAW_EXIT_ZOMBIE)
		return CS_STATE_Z;
	if (raw & (CS_RAW_EXIT_DEAD | CS_RAW_DEAD))
		return CS_STATE_X;
	if (raw & CS_RAW_TRACED)
		return CS_STATE_t;
	if (raw & CS_RAW_STOPPED)
		return CS_STATE_T;
	if (raw & (CS_RAW_UNINTERRUPTIBLE | CS_RAW_RTLOCK_WAIT | CS_RAW_FROZEN))
		return CS_STATE_D;
	if (raw & CS_RAW_INTERRUPTIBLE)
		return CS_STATE_S;
	return CS_STATE_R;
}

#endif
