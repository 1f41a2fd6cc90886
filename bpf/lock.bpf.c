/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Which lock of the kernel a thread is about to sleep for, and who has it. The kernel says which
 * when a thread has to wait for one. The owner is in a word of the lock, until it lets go: that is
 * read when the thread leaves the CPU, each time again, for a thread that is woken and finds the
 * lock taken by another one sleeps for that one.
 *
 * Locks that threads spin for come along here too: they are sorted out first.
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
 * Since 5.19: 16edd9b511a1 ("locking: Add lock contention tracepoints"). A mutex is announced first
 * as one to spin for, and again when that was in vain.
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

/* Between the two, other locks come and go: those that guard the list of who waits. */
SEC("tp_btf/contention_end")
int BPF_PROG(on_contention_end, void *lock)
{
	struct task_slot *slot = task_slot(bpf_get_current_task_btf());

	if (slot && slot->lock == (u64)lock)
		slot->lock = 0;
	return 0;
}

/* These three: the owner, 0 where it cannot be told, or LOCK_UNWAITED. */
static __always_inline u64 holder_of_mutex(u64 lock)
{
	const struct mutex *m = (const void *)lock;
	u64 owner;

	if (!bpf_core_field_exists(m->owner))
		return 0;
	owner = BPF_CORE_READ(m, owner.counter);
	return owner & MUTEX_FLAG_WAITERS ? owner & ~(u64)LOCK_OWNER_FLAGS : LOCK_UNWAITED;
}

/* A rwsem that is free, but for one: the first that waits, which has not come to it yet. */
static __always_inline u64 heir_of_rwsem(const struct rw_semaphore *sem)
{
	struct list_head *first = BPF_CORE_READ(sem, wait_list.next);
	const struct rwsem_waiter *waiter;
	u64 task;

	if (!bpf_core_field_exists(struct rwsem_waiter, task))
		return 0;
	waiter = (const void *)first - bpf_core_field_offset(struct rwsem_waiter, list);
	task = (u64)BPF_CORE_READ(waiter, task);
	/* It is on the stack of who waits: while it is in the list, it is that. */
	return BPF_CORE_READ(sem, wait_list.next) == first ? task : 0;
}

/*
 * The two words of a rwsem are not written at once: where they disagree it is changing hands. Of
 * readers there is the last that came, and most kernels leave it there when it goes.
 */
static __always_inline u64 holder_of_rwsem(u64 lock)
{
	const struct rw_semaphore *sem = (const void *)lock;
	u64 count, owner;

	if (!bpf_core_field_exists(sem->count))
		return 0;
	count = BPF_CORE_READ(sem, count.counter);
	owner = BPF_CORE_READ(sem, owner.counter);
	/* Readers are off the list before they are woken. */
	if (!(count & RWSEM_FLAG_WAITERS))
		return count >> RWSEM_READER_SHIFT ? 0 : LOCK_UNWAITED;
	if (count & RWSEM_WRITER_LOCKED)
		return owner & RWSEM_READER_OWNED ? 0 : owner & ~(u64)LOCK_OWNER_FLAGS;
	if (count & RWSEM_FLAG_HANDOFF && !(count >> RWSEM_READER_SHIFT))
		return heir_of_rwsem(sem);
	return cfg.lock_readers && owner & RWSEM_READER_OWNED ? owner & ~(u64)LOCK_OWNER_FLAGS : 0;
}

static __always_inline u64 holder_of_rt_mutex(u64 lock)
{
	const struct rt_mutex_base *rt = (const void *)lock;
	u64 owner;

	if (!bpf_core_field_exists(rt->owner))
		return 0;
	owner = (u64)BPF_CORE_READ(rt, owner);
	return owner & RT_MUTEX_HAS_WAITERS ? owner & ~(u64)LOCK_OWNER_FLAGS : LOCK_UNWAITED;
}

/* A semaphore has no holder, and a percpu_rw_semaphore does not say. */
static __always_inline u64 holder_of_lock(const struct task_slot *slot)
{
	switch (slot->lock_kind) {
	case CS_LOCK_MUTEX:
		return holder_of_mutex(slot->lock);
	case CS_LOCK_RWSEM:
		return holder_of_rwsem(slot->lock);
	case CS_LOCK_RT:
		return holder_of_rt_mutex(slot->lock);
	default:
		return 0;
	}
}

__noinline u32 owner_of_lock(struct task_slot *slot)
{
	const struct task_struct *holder;
	u32 tid;

	if (!slot)
		return 0;
	holder = (const void *)holder_of_lock(slot);
	if ((u64)holder == LOCK_UNWAITED) {
		slot->lock = 0;
		STAT_INC(lock_stale);
		return 0;
	}
	if (!holder)
		return 0;
	tid = BPF_CORE_READ(holder, pid);
	/* It was handed to this thread a moment ago. */
	if (tid == slot->rec.host_tid)
		return 0;
	if (cfg.pidns_inum)
		tid = pid_in_namespace(BPF_CORE_READ(holder, thread_pid));
	return tid ? tid | CS_OWNER_SURE : 0;
}
