/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_FUTEX_BPF_H
#define LIB_FUTEX_BPF_H

/* What a futex is part of, by the arguments of the call and the words around it. */
#include "lib/owner.bpf.h"
#include "lib/sight.bpf.h"

/*
 * pthread_cond_t of glibc: one waiter in __wrefs, which stands before the two words of __g_signals
 * that they sleep on. Those are at 40 and 44; since 2.41, which has no __g_refs, at 32 and 36.
 */
#define COND_WAITER 8

/* The words around it while somebody waits; s->memory begins 8 bytes before it. */
static __always_inline u8 kind_of_word(const struct object_sight *s)
{
	bool second = s->arg[0] & 7;
	u32 waiters = second ? s->memory[0] : s->memory[1];

	if (!s->has_memory)
		return CS_FUTEX_OTHER;
	if (!second && !s->memory[3] && waiters < COND_WAITER)
		return CS_FUTEX_OTHER; /* a barrier, or a word of the program's own */
	/*
	 * sem_t: its value, which is 0, and how many wait; pthread_cond_t: __g_signals[] behind
	 * __wrefs. Since 2.41 they count up, so both are 0 or neither for long.
	 */
	if (!second && !(u32)s->arg[2] && s->memory[3] && s->memory[3] <= GLIBC_NUSERS_MAX)
		return CS_FUTEX_SEM;
	return waiters >= COND_WAITER ? CS_FUTEX_COND : CS_FUTEX_OTHER;
}

/*
 * Condition variables since glibc 2.41 wait with any value, those of mutexes and rwlocks included.
 * Both words behind __g_signals are 0. Mutexes have 0 where the second of __g_signals is, and are
 * never at 4 of 8; rwlocks have there how many writers wait where __wrefs is.
 */
static __always_inline bool is_counting_cond(const struct object_sight *s, u32 val)
{
	if (!s->has_memory)
		return false;
	if (!(s->arg[0] & 7))
		return (val == GLIBC_LOCK_WAITED || val == GLIBC_RWLOCK_WRITER) &&
		       s->memory[1] >= COND_WAITER && s->memory[3] && !s->memory[4] &&
		       !s->memory[5];
	return val == GLIBC_LOCK_WAITED && s->memory[0] >= COND_WAITER && !s->memory[3] &&
	       !s->memory[4];
}

/*
 * A writer sleeps until the readers are gone, with the value that a mutex has, too. It has set a
 * bit of __readers, and it is the one in __writers_futex, where a mutex counts what its holder took
 * of it. Behind that a rwlock has 8 bytes for nothing, and a mutex with a count its holder.
 */
static __always_inline bool is_writer_behind_readers(const struct object_sight *s, u32 val)
{
	return s->has_memory && !(s->arg[0] & 7) && val == GLIBC_LOCK_WAITED &&
	       s->memory[0] & GLIBC_WRLOCKED && s->memory[3] & 1 &&
	       s->memory[3] <= GLIBC_RWLOCK_WRITER && !s->memory[4] && !s->memory[5];
}

static __always_inline u8 kind_of_futex(const struct object_sight *s)
{
	u32 op = s->arg[1], val = s->arg[2];

	switch (FUTEX_CMD(op)) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return CS_FUTEX_PI;
	case FUTEX_WAIT_REQUEUE_PI:
		return CS_FUTEX_OTHER;
	case FUTEX_WAIT_BITSET:
		if (is_writer_behind_readers(s, val))
			return CS_FUTEX_RWLOCK;
		if (is_counting_cond(s, val))
			return CS_FUTEX_COND;
		if (val == GLIBC_RWLOCK_WRITER)
			return CS_FUTEX_RWLOCK;
		if (futex_is_join(op, val))
			return CS_FUTEX_JOIN;
		break;
	case FUTEX_WAIT:
		break;
	default:
		return CS_FUTEX_OTHER;
	}
	if (val == GLIBC_LOCK_WAITED || val & FUTEX_WAITERS)
		return CS_FUTEX_LOCK;
	return kind_of_word(s);
}

/*
 * Where what the word is part of begins: threads sleep on two words of it. Of a condition variable,
 * whose beginning depends on the version of glibc, where those two begin.
 */
static __always_inline u64 base_of_futex(u64 addr, u8 kind)
{
	if (kind == CS_FUTEX_RWLOCK)
		return addr - (addr & 7 ? GLIBC_WRITERS_AT : GLIBC_WRPHASE_AT);
	if (kind == CS_FUTEX_COND)
		return addr & ~7ULL;
	return addr;
}

#endif
