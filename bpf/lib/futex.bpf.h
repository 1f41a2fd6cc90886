/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_FUTEX_BPF_H
#define LIB_FUTEX_BPF_H

/* What a futex is part of, judged by the arguments of the call and the words around it. */
#include "lib/owner.bpf.h"
#include "lib/object/probe.bpf.h"

/*
 * pthread_cond_t of glibc: one waiter in __wrefs, which precedes the two words of __g_signals that
 * threads sleep on. Those are at 40 and 44; since 2.41, which has no __g_refs, at 32 and 36.
 */
#define COND_WAITER 8
/* Distance above the stack pointer of the call. */
#define MUSL_WAITER_REACH 512

/* The words around it while a thread waits; s->memory begins 8 bytes before it. */
static __always_inline u8 kind_of_word(const struct object_probe *s)
{
	bool second = s->arg[0] & 7;
	u32 waiters = second ? s->memory[0] : s->memory[1];

	if (!s->has_memory)
		return CS_FUTEX_OTHER;
	if (!second && !s->memory[3] && waiters < COND_WAITER)
		return CS_FUTEX_OTHER; /* a barrier, or a word of the program's own */
	/*
	 * sem_t: its value, which is 0, and the number of waiters; pthread_cond_t: __g_signals[]
	 * after __wrefs. Since 2.41 they count up, so soon both or neither are 0.
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
static __always_inline bool is_counting_cond(const struct object_probe *s, u32 val)
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
 * A writer sleeps until the readers are gone, with the same value as for a mutex. It has set a bit
 * of __readers, and it is the one in __writers_futex, where a mutex counts its owner's locks. After
 * that a rwlock has 8 unused bytes, and a mutex with a count its owner.
 */
static __always_inline bool is_writer_behind_readers(const struct object_probe *s, u32 val)
{
	return s->has_memory && !(s->arg[0] & 7) && val == GLIBC_LOCK_WAITED &&
	       s->memory[0] & GLIBC_WRLOCKED && s->memory[3] & 1 &&
	       s->memory[3] <= GLIBC_RWLOCK_WRITER && !s->memory[4] && !s->memory[5];
}

/*
 * musl sleeps on a word of the waiter's own stack, with the value of a mutex: struct waiter of
 * pthread_cond_timedwait.c, in which the preceding state and the following pointer are 0 until the
 * waiter is woken.
 */
static __always_inline bool is_cond_of_musl(const struct object_probe *s)
{
	return (s->arg[0] & 7) == 4 && s->arg[0] - s->sp < MUSL_WAITER_REACH && s->has_memory &&
	       !s->memory[1] && !s->memory[3] && !s->memory[4];
}

static __always_inline bool is_join(const struct object_probe *s)
{
	u32 op = s->arg[1], val = s->arg[2];

	if (s->has_memory)
		return futex_is_join(s->arg[0], op, val, s->memory);
	return futex_may_be_join(s->arg[0], op, val) && val > GLIBC_RWLOCK_WRITER;
}

/*
 * The value has the bit that says that others wait. With a thread it is a lock. Without, it may be
 * a future of libstdc++, or a semaphore of musl: with -1, later with that bit alone, and the number
 * of those who wait and its flag of a private futex behind the word.
 */
static __always_inline u8 kind_of_waited_word(const struct object_probe *s, u32 val)
{
	u32 tid = val & FUTEX_TID_MASK;

	if (tid && tid <= FUTEX_TID_MAX)
		return CS_FUTEX_LOCK;
	if ((val == FUTEX_WAITERS || !~val) && s->has_memory && s->memory[3] &&
	    s->memory[3] <= GLIBC_NUSERS_MAX && s->memory[4] == FUTEX_PRIVATE_FLAG)
		return CS_FUTEX_SEM;
	return CS_FUTEX_OTHER;
}

static __always_inline u8 kind_of_futex(const struct object_probe *s)
{
	u32 op = s->arg[1], val = s->arg[2], joined;

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
		if (is_join(s))
			return CS_FUTEX_JOIN;
		if (val == GLIBC_RWLOCK_WRITER)
			return CS_FUTEX_RWLOCK;
		break;
	case FUTEX_WAIT:
		if (val != GLIBC_LOCK_WAITED)
			break;
		if (is_cond_of_musl(s))
			return CS_FUTEX_COND;
		if (s->has_memory && joins_in_musl(s->arg[0], s->memory, &joined))
			return CS_FUTEX_JOIN;
		break;
	default:
		return CS_FUTEX_OTHER;
	}
	if (val == GLIBC_LOCK_WAITED)
		return CS_FUTEX_LOCK;
	return val & FUTEX_WAITERS ? kind_of_waited_word(s, val) : kind_of_word(s);
}

/*
 * Where the object that contains the word begins, because threads sleep on two words of it. For a
 * condition variable, whose start depends on the version of glibc, where those two words begin.
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
