/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_OWNER_BPF_H
#define LIB_OWNER_BPF_H

/*
 * Who holds what a thread is about to wait for in futex(). It is in the program's memory, and only
 * until the holder lets go: so it is read when the thread leaves the CPU, or, of one that did so
 * before it was traced, while it waits. That the number found is that of a thread of the program is
 * for user space to see.
 */
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

/* sysdeps/nptl/bits/struct_mutex.h and struct_rwlock.h of glibc, the same in 2.25 to 2.42. */
struct glibc_mutex {
	u32 lock; /* 0: free, 1: taken, 2: taken and waited for */
	u32 count;
	u32 owner;
	u32 nusers; /* the holder, and those in a condition variable with it */
	u32 kind;
	u32 rest;
};

#define GLIBC_LOCK_WAITED 2
#define GLIBC_NUSERS_MAX 0x4000
#define GLIBC_KIND_MAX 0x400
/* What readers and writers sleep on while a writer has the lock, by its place in the rwlock. */
#define GLIBC_RWLOCK_WRITER 3
#define GLIBC_WRPHASE_AT 8
#define GLIBC_CUR_WRITER_AT 24
#define GLIBC_WRITERS_AT 12
#define GLIBC_WRLOCKED 2 /* of __readers, the first word */

/*
 * Memory behind the futex word at `addr`: of the running thread, or what was read of it before,
 * from 8 bytes before the word on (sight_address()).
 */
static __always_inline bool owner_read(u64 addr, const u32 *before, u32 at, void *to, u32 sz)
{
	if (!before)
		return !bpf_probe_read_user(to, sz, (const void *)(addr + at));
	__builtin_memcpy(to, (const u8 *)before + 8 + at, sz);
	return true;
}

/* A lock inside a library has other things behind its word, and no holder. */
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

static __always_inline u32 holder_of_futex(u64 addr, u32 op, u32 val, const u32 *before)
{
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
	if (val == GLIBC_LOCK_WAITED)
		return owner_of_mutex(addr, before);
	/* Robust mutexes of glibc, and all of musl: the holder is in the word itself. */
	return val & FUTEX_WAITERS ? val & FUTEX_TID_MASK : 0;
}

/* The end of a thread is told by the kernel, so this futex is not private. */
static __always_inline bool futex_is_join(u32 op, u32 val)
{
	return FUTEX_CMD(op) == FUTEX_WAIT_BITSET && !(op & FUTEX_PRIVATE_FLAG) &&
	       val > GLIBC_RWLOCK_WRITER && !(val >> 30);
}

/* As cs_wait_key.owner; 0: nobody, or nobody that can be told. `before`: see owner_read(). */
static __always_inline u32 owner_of_futex(const struct pt_regs *regs, const u32 *before)
{
	u32 op = regs_arg(regs, 1), val = regs_arg(regs, 2), tid;

	if (futex_is_join(op, val))
		return val;
	tid = holder_of_futex(regs_arg(regs, 0), op, val, before) & FUTEX_TID_MASK;
	return tid && !(op & FUTEX_PRIVATE_FLAG) ? tid | CS_OWNER_SHARED : tid;
}

static __always_inline u32 owner_of_call(const struct pt_regs *regs)
{
	return regs_in_futex(regs) ? owner_of_futex(regs, NULL) : 0;
}

#endif
