/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_KERNEL_KERNEL_LOCK_BPF_H
#define LIB_KERNEL_KERNEL_LOCK_BPF_H

/*
 * The part of lib/kernel.bpf.h about locks that threads sleep for; see there. Read in the sources
 * of 6.1, 6.12 and 6.18. With PREEMPT_RT mutexes and rwsems are built of an rt_mutex and have other
 * fields: who reads one of these looks first whether it exists.
 */
#include <linux/types.h>

/* include/trace/events/lock.h, 5.19+ */
#define LCB_F_SPIN 1U
#define LCB_F_READ 2U
#define LCB_F_WRITE 4U
#define LCB_F_RT 8U
#define LCB_F_PERCPU 16U
#define LCB_F_MUTEX                                                                                \
	32U /* 6.1 has it; without it a mutex is taken for a semaphore, which has no owner */

/* kernel/locking/mutex.c: bits of `owner`; this one is set for as long as threads wait */
#define MUTEX_FLAG_WAITERS 1
/* kernel/locking/rwsem.c: bits of `owner` and of `count` */
#define RWSEM_READER_OWNED 1
#define RWSEM_WRITER_LOCKED 1
#define RWSEM_FLAG_WAITERS 2 /* likewise */
#define RWSEM_READER_SHIFT 8
#define RWSEM_FLAG_HANDOFF 4 /* nobody but the first that waits may take it */
/* kernel/locking/rtmutex_common.h: bit of `owner`; likewise */
#define RT_MUTEX_HAS_WAITERS 1
/* A task is aligned to a line of the cache: bits for flags. */
#define LOCK_OWNER_FLAGS 7

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	__s64 counter;
} atomic_long_t;

struct mutex {
	atomic_long_t owner; /* not with PREEMPT_RT */
};

struct rt_mutex_base {
	struct task_struct *owner; /* CONFIG_RT_MUTEXES */
};

struct rwbase_rt {
	struct rt_mutex_base rtmutex;
};

struct list_head {
	struct list_head *next; /* all */
};

struct rwsem_waiter { /* kernel/locking/rwsem.c */
	struct list_head list;
	struct task_struct *task;
};

struct rw_semaphore {
	atomic_long_t count; /* not with PREEMPT_RT */
	atomic_long_t owner;
	struct list_head wait_list; /* likewise */
	struct rwbase_rt rwbase; /* PREEMPT_RT only */
};

#pragma clang attribute pop

#endif
