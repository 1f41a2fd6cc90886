/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_OWNER_BPF_H
#define LIB_OWNER_BPF_H

/*
 * The owner of what a thread is about to wait for in futex(). It is in the program's memory, and
 * only until the owner releases the lock. So it is read when the thread leaves the CPU, or, if it
 * did so before it was traced, while it waits. User space checks that the number found is a thread
 * of the program. The owner of a file lock is in the kernel's memory, likewise.
 */
#include "lib/file_lock.bpf.h"
#include "lib/runtime/libc.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/regs.bpf.h"

/* include/uapi/linux/futex.h, all */
#define FUTEX_WAIT 0
#define FUTEX_LOCK_PI 6
#define FUTEX_WAIT_BITSET 9
#define FUTEX_WAIT_REQUEUE_PI 11
#define FUTEX_LOCK_PI2 13
#define FUTEX_PRIVATE_FLAG 128
#define FUTEX_CMD(op) ((op)&0x7f)
#define FUTEX_TID_MASK 0x3fffffff
#define FUTEX_WAITERS 0x80000000U
/* PID_MAX_LIMIT: no thread has a greater number. */
#define FUTEX_TID_MAX 0x400000

/*
 * Memory around the futex word at `addr`, from `at` bytes after it on: of the running thread, or
 * what was read before, from 8 bytes before the word on (probe_address()).
 */
static __always_inline bool owner_read(u64 addr, const u32 *before, s32 at, void *to, u32 sz)
{
	if (!before)
		return !bpf_probe_read_user(to, sz, (const void *)(addr + at));
	__builtin_memcpy(to, (const u8 *)before + 8 + at, sz);
	return true;
}

/* A lock inside a library has other data after its word, and no owner. */
static __always_inline u32 owner_of_mutex(u64 addr, const u32 *before)
{
	struct glibc_mutex m;

	if (!owner_read(addr, before, 0, &m, sizeof(m)))
		return 0;
	if (m.lock != GLIBC_LOCK_WAITED || !m.nusers || m.nusers > GLIBC_NUSERS_MAX ||
	    m.kind > GLIBC_KIND_MAX)
		return 0;
	return m.owner;
}

/* Whether a thread of musl joins another one, whose TID, or 0 if it has exited, is `ret_tid`. */
static __always_inline bool joins_in_musl(u64 addr, const u32 *before, u32 *ret_tid)
{
	struct musl_thread t;

	if (addr & 7 || !owner_read(addr, before, -8, &t, sizeof(t)))
		return false;
	*ret_tid = t.tid;
	if (t.detach_state > MUSL_JOINABLE || t.cancel > 1 || t.rest || t.tid > FUTEX_TID_MAX)
		return false;
	return !(t.map_base & PAGE_MASK_4K) && t.map_base >> 32 && !(t.map_base >> 48);
}

/*
 * Robust mutexes of glibc and mutexes of musl have the owner in the word itself, and so in the
 * value with which a thread waits. Other locks count in such a word: the words around it tell.
 */
static __always_inline u32 owner_in_value(u64 addr, u32 val, const u32 *before)
{
	u32 tid = val & FUTEX_TID_MASK, around[4];

	if (!(val & FUTEX_WAITERS) || !tid || tid > FUTEX_TID_MAX ||
	    !owner_read(addr, before, -4, around, sizeof(around)))
		return 0;
	if (!(addr & 7))
		return around[3] == tid ? tid : 0; /* glibc: the owner once more */
	return around[0] & MUSL_KIND_MASK && around[2] ? tid : 0; /* its kind; how many wait */
}

static __always_inline u32 owner_in_word(u64 addr, const u32 *before)
{
	u32 word;

	if (!owner_read(addr, before, 0, &word, sizeof(word)))
		return 0;
	return word & FUTEX_TID_MASK;
}

static __always_inline u32 owner_of_rwlock(u64 addr, const u32 *before)
{
	u32 tid;

	/* A rwlock is aligned to 8: the last three bits of the address say which word it is. */
	if (addr & 7 ? !owner_read(addr, before, GLIBC_CUR_WRITER_AT - GLIBC_WRITERS_AT, &tid,
				   sizeof(tid)) :
		       !owner_read(addr, before, GLIBC_CUR_WRITER_AT - GLIBC_WRPHASE_AT, &tid,
				   sizeof(tid)))
		return 0;
	return tid;
}

static __always_inline u32 owner_tid_of_futex(u64 addr, u32 op, u32 val, const u32 *before)
{
	u32 tid;

	switch (FUTEX_CMD(op)) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return owner_in_word(addr, before);
	case FUTEX_WAIT_BITSET:
		if (val == GLIBC_RWLOCK_WRITER)
			return owner_of_rwlock(addr, before);
		break;
	case FUTEX_WAIT:
		break;
	default:
		return 0;
	}
	if (val != GLIBC_LOCK_WAITED)
		return owner_in_value(addr, val, before);
	tid = owner_of_mutex(addr, before);
	if (tid || FUTEX_CMD(op) != FUTEX_WAIT)
		return tid;
	return joins_in_musl(addr, before, &tid) ? tid : 0;
}

/*
 * The kernel wakes waiters at the exit of a thread, so this futex is not private. Its value is the
 * TID of the thread, which in a PID namespace may equal that of a locked mutex or rwlock, and a
 * process-shared condition variable may have any value; those have no pointer after the word.
 */
static __always_inline bool futex_may_be_join(u64 addr, u32 op, u32 val)
{
	return FUTEX_CMD(op) == FUTEX_WAIT_BITSET && !(op & FUTEX_PRIVATE_FLAG) && !(addr & 7) &&
	       val && val <= FUTEX_TID_MAX;
}

static __always_inline bool futex_is_join(u64 addr, u32 op, u32 val, const u32 *before)
{
	u64 last;

	if (!futex_may_be_join(addr, op, val))
		return false;
	if (!owner_read(addr, before, GLIBC_ROBUST_LAST_AT, &last, sizeof(last)))
		return val > GLIBC_RWLOCK_WRITER;
	return val > GLIBC_RWLOCK_WRITER ? last >> 32 : last == addr + GLIBC_ROBUST_HEAD_AT;
}

/* As cs_wait_key.owner; 0: none or unknown. `before`: see owner_read(). */
static __always_inline u32 owner_of_futex(const struct pt_regs *regs, const u32 *before)
{
	u32 op = regs_arg(regs, 1), val = regs_arg(regs, 2), tid;
	u64 addr = regs_arg(regs, 0);

	if (futex_is_join(addr, op, val, before))
		return val;
	tid = owner_tid_of_futex(addr, op, val, before) & FUTEX_TID_MASK;
	return tid && !(op & FUTEX_PRIVATE_FLAG) ? tid | CS_OWNER_SHARED : tid;
}

/* The same of any call, for the running thread, which is about to sleep in `raw_state`. */
static __always_inline u32 owner_of_call(const struct pt_regs *regs, u32 raw_state)
{
	if (regs_in_futex(regs))
		return owner_of_futex(regs, NULL);
	if (!in_file_lock(regs) || !(raw_state & TASK_INTERRUPTIBLE))
		return 0;
	return owner_of_file_lock(0, regs_arg(regs, 0), file_lock_cmd(regs), regs_arg(regs, 2),
				  NULL);
}

#endif
