/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpf/lib/futex.bpf.h and owner.bpf.h explain the signs. They cannot be included here, because bpf/
 * has a licence of its own. No test compares the two: a change there must be made here too.
 */
#include "visit/futex.h"

#include <linux/futex.h>

#define CMD(op) ((op)&0x7f)
#define TID_MAX 0x400000
/* The word itself. */
#define AT 2

/* glibc 2.25 to 2.42 */
#define LOCK_WAITED 2
#define RWLOCK_WRITER 3
#define NUSERS_MAX 0x4000
#define KIND_MAX 0x400
#define WRLOCKED 2
#define COND_WAITER 8
#define WRPHASE_AT 8
#define WRITERS_AT 12
/* musl */
#define MUSL_WAITER_REACH 512
#define MUSL_KIND_MASK 15

static bool is_cond(const struct futex_call *c)
{
	if (!c->has_words || c->val != LOCK_WAITED)
		return c->has_words && c->val == RWLOCK_WRITER && !(c->addr & 7) &&
		       c->words[1] >= COND_WAITER && c->words[3] && !c->words[4] && !c->words[5];
	if (c->addr & 7)
		return c->words[0] >= COND_WAITER && !c->words[3] && !c->words[4];
	return c->words[1] >= COND_WAITER && c->words[3] && !c->words[4] && !c->words[5];
}

static bool is_writer_behind_readers(const struct futex_call *c)
{
	return c->has_words && !(c->addr & 7) && c->val == LOCK_WAITED && c->words[0] & WRLOCKED &&
	       c->words[3] & 1 && c->words[3] <= RWLOCK_WRITER && !c->words[4] && !c->words[5];
}

/* The kernel wakes waiters at the exit of a thread, so this futex is not private. */
static bool is_join(const struct futex_call *c)
{
	return CMD(c->op) == FUTEX_WAIT_BITSET && !(c->op & FUTEX_PRIVATE_FLAG) && !(c->addr & 7) &&
	       c->val > RWLOCK_WRITER && c->val <= TID_MAX &&
	       (!c->has_words || c->words[AT + 3] == c->addr >> 32);
}

static bool is_cond_of_musl(const struct futex_call *c)
{
	return (c->addr & 7) == 4 && c->addr - c->sp < MUSL_WAITER_REACH && c->has_words &&
	       !c->words[1] && !c->words[3] && !c->words[4];
}

static enum futex_kind kind_of_waited(const struct futex_call *c)
{
	u32 tid = c->val & FUTEX_TID_MASK;

	if (tid && tid <= TID_MAX)
		return FUTEX_KIND_LOCK;
	if ((c->val == FUTEX_WAITERS || !~c->val) && c->has_words && c->words[3] &&
	    c->words[3] <= NUSERS_MAX && c->words[4] == FUTEX_PRIVATE_FLAG)
		return FUTEX_KIND_SEM;
	return FUTEX_KIND_OTHER;
}

static enum futex_kind kind_of_word(const struct futex_call *c)
{
	bool second = c->addr & 7;
	u32 waiters = second ? c->words[0] : c->words[1];

	if (!c->has_words || (!second && !c->words[3] && waiters < COND_WAITER))
		return FUTEX_KIND_OTHER;
	if (!second && !c->val && c->words[3] && c->words[3] <= NUSERS_MAX)
		return FUTEX_KIND_SEM;
	return waiters >= COND_WAITER ? FUTEX_KIND_COND : FUTEX_KIND_OTHER;
}

enum futex_kind futex_kind_of(const struct futex_call *c)
{
	switch (CMD(c->op)) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return FUTEX_KIND_PI;
	case FUTEX_WAIT_BITSET:
		if (is_writer_behind_readers(c))
			return FUTEX_KIND_RWLOCK;
		if (is_cond(c))
			return FUTEX_KIND_COND;
		if (is_join(c))
			return FUTEX_KIND_JOIN;
		if (c->val == RWLOCK_WRITER)
			return FUTEX_KIND_RWLOCK;
		break;
	case FUTEX_WAIT:
		if (c->val == LOCK_WAITED && is_cond_of_musl(c))
			return FUTEX_KIND_COND;
		break;
	default:
		return FUTEX_KIND_OTHER;
	}
	if (c->val == LOCK_WAITED)
		return FUTEX_KIND_LOCK;
	return c->val & FUTEX_WAITERS ? kind_of_waited(c) : kind_of_word(c);
}

u64 futex_base(const struct futex_call *c, enum futex_kind kind)
{
	if (kind == FUTEX_KIND_RWLOCK)
		return c->addr - (c->addr & 7 ? WRITERS_AT : WRPHASE_AT);
	return kind == FUTEX_KIND_COND ? c->addr & ~7ULL : c->addr;
}

/* lock, count, owner, nusers, kind */
static u32 owner_of_mutex(const u32 *m)
{
	if (m[0] != LOCK_WAITED || !m[3] || m[3] > NUSERS_MAX || m[4] > KIND_MAX)
		return 0;
	return m[2];
}

/* Robust mutexes of glibc and mutexes of musl have the owner in the word itself. */
static u32 owner_in_value(const struct futex_call *c)
{
	u32 tid = c->val & FUTEX_TID_MASK;

	if (!(c->val & FUTEX_WAITERS) || !tid || tid > TID_MAX)
		return 0;
	if (!(c->addr & 7))
		return c->words[AT + 2] == tid ? tid : 0; /* glibc: the owner once more */
	return c->words[AT - 1] & MUSL_KIND_MASK && c->words[AT + 1] ? tid : 0;
}

u32 futex_owner_of(const struct futex_call *c)
{
	if (is_join(c))
		return c->val;
	if (!c->has_words)
		return 0;
	switch (CMD(c->op)) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return c->words[AT] & FUTEX_TID_MASK;
	case FUTEX_WAIT_BITSET:
		/* __cur_writer, at 24 of the rwlock */
		if (c->val == RWLOCK_WRITER)
			return c->words[AT + (c->addr & 7 ? 3 : 4)];
		break;
	case FUTEX_WAIT:
		break;
	default:
		return 0;
	}
	return c->val == LOCK_WAITED ? owner_of_mutex(c->words + AT) : owner_in_value(c);
}
