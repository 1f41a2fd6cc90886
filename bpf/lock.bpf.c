/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Which kernel lock a thread is about to sleep for, and its owner. The kernel reports the lock when
 * a thread has to wait for it. The owner is in a word of the lock until it releases it. It is read
 * each time the thread leaves the CPU, because a thread that wakes up and finds the lock taken
 * sleeps again, for another owner.
 *
 * Spinlocks are reported here too: they are filtered out first.
 */
#include "lib/filter.bpf.h"
#include "lib/lock.bpf.h"
#include "lib/task.bpf.h"

/* In place of an owner: no thread waits for the lock. */
#define LOCK_UNWAITED 1

static __always_inline u32 lock_kind(u32 flags)
{
	if (flags & LCB_F_MUTEX)
		return CS_LOCK_MUTEX;
	if (flags & LCB_F_PERCPU)
		return CS_LOCK_PERCPU_RWSEM;
	if (flags & (LCB_F_READ | LCB_F_WRITE))
		return CS_LOCK_RWSEM;
	return flags & LCB_F_RT ? CS_LOCK_RT : CS_LOCK_SEMAPHORE;
}

/*
 * Since 5.19: 16edd9b511a1 ("locking: Add lock contention tracepoints"). A mutex is first reported
 * as one to spin for, and again if spinning failed.
 */
SEC("tp_btf/contention_begin")
int BPF_PROG(on_contention_begin, void *lock, unsigned int flags)
{
	struct task_slot *slot;

	if (flags & LCB_F_SPIN)
		return 0;
	slot = task_slot(bpf_get_current_task_btf());
	if (!slot)
		return 0;
	slot->lock = (u64)lock;
	slot->lock_kind = lock_kind(flags);
	return 0;
}

/* Between the two, other locks are taken and released: those that protect the list of waiters. */
SEC("tp_btf/contention_end")
int BPF_PROG(on_contention_end, void *lock)
{
	struct task_slot *slot = task_slot(bpf_get_current_task_btf());

	if (slot && slot->lock == (u64)lock)
		slot->lock = 0;
	return 0;
}

/* These three: the owner, 0 if unknown, or LOCK_UNWAITED. */
static __always_inline u64 mutex_owner(u64 lock)
{
	const struct mutex *m = (const void *)lock;
	u64 owner;

	if (!bpf_core_field_exists(m->owner))
		return 0;
	owner = BPF_CORE_READ(m, owner.counter);
	return owner & MUTEX_FLAG_WAITERS ? owner & ~(u64)LOCK_OWNER_FLAGS : LOCK_UNWAITED;
}

/* A rwsem that is free, but reserved for its first waiter, which has not taken it yet. */
static __always_inline u64 heir_of_rwsem(const struct rw_semaphore *sem)
{
	struct list_head *first = BPF_CORE_READ(sem, wait_list.next);
	const struct rwsem_waiter *waiter;
	u64 task;

	if (!bpf_core_field_exists(struct rwsem_waiter, task))
		return 0;
	waiter = (const void *)first - bpf_core_field_offset(struct rwsem_waiter, list);
	task = (u64)BPF_CORE_READ(waiter, task);
	/* It is on the waiter's stack: it is valid while it is in the list. */
	return BPF_CORE_READ(sem, wait_list.next) == first ? task : 0;
}

/*
 * The two words of a rwsem are not written at once: if they disagree, it is changing owners. For
 * readers it contains the last one that took it, and most kernels leave it there on release.
 */
static __always_inline u64 rwsem_owner(u64 lock)
{
	const struct rw_semaphore *sem = (const void *)lock;
	u64 count, owner;

	if (!bpf_core_field_exists(sem->count))
		return 0;
	count = BPF_CORE_READ(sem, count.counter);
	owner = BPF_CORE_READ(sem, owner.counter);
	/* Readers are removed from the list before they are woken. */
	if (!(count & RWSEM_FLAG_WAITERS))
		return count >> RWSEM_READER_SHIFT ? 0 : LOCK_UNWAITED;
	if (count & RWSEM_WRITER_LOCKED)
		return owner & RWSEM_READER_OWNED ? 0 : owner & ~(u64)LOCK_OWNER_FLAGS;
	if (count & RWSEM_FLAG_HANDOFF && !(count >> RWSEM_READER_SHIFT))
		return heir_of_rwsem(sem);
	return cfg.lock_readers && owner & RWSEM_READER_OWNED ? owner & ~(u64)LOCK_OWNER_FLAGS : 0;
}

static __always_inline u64 rt_mutex_owner(u64 lock)
{
	const struct rt_mutex_base *rt = (const void *)lock;
	u64 owner;

	if (!bpf_core_field_exists(rt->owner))
		return 0;
	owner = (u64)BPF_CORE_READ(rt, owner);
	return owner & RT_MUTEX_HAS_WAITERS ? owner & ~(u64)LOCK_OWNER_FLAGS : LOCK_UNWAITED;
}

/* A semaphore has no owner, and a percpu_rw_semaphore does not record it. */
static __always_inline u64 kernel_lock_owner(const struct task_slot *slot)
{
	switch (slot->lock_kind) {
	case CS_LOCK_MUTEX:
		return mutex_owner(slot->lock);
	case CS_LOCK_RWSEM:
		return rwsem_owner(slot->lock);
	case CS_LOCK_RT:
		return rt_mutex_owner(slot->lock);
	default:
		return 0;
	}
}

__noinline u32 owner_of_lock(struct task_slot *slot)
{
	const struct task_struct *owner;
	u32 tid;

	if (!slot)
		return 0;
	owner = (const void *)kernel_lock_owner(slot);
	if ((u64)owner == LOCK_UNWAITED) {
		slot->lock = 0;
		STAT_INC(lock_stale);
		return 0;
	}
	if (!owner)
		return 0;
	tid = BPF_CORE_READ(owner, pid);
	/* It was just handed to this thread. */
	if (tid == slot->rec.host_tid)
		return 0;
	if (cfg.pidns_inum)
		tid = pid_in_namespace(BPF_CORE_READ(owner, thread_pid));
	return tid ? tid | CS_OWNER_SURE : 0;
}
