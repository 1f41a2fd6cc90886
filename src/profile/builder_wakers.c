/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a builder that knows who ended waits. */
#include "profile/builder_priv.h"

static const char *fault_of(const struct builder *b, const struct profile_waker *w)
{
	if (w->context >= WAKER_CONTEXTS || w->end >= CHAIN_ENDS ||
	    w->flags & ~(u32)(WAKER_KTHREAD | WAKER_EXITING | WAKER_SELF))
		return "a waker is of an unknown kind";
	if (w->task >= b->tasks.len)
		return "a waker has a thread that does not exist";
	if (w->ustack >= intern__len(&b->stacks) || w->kstack >= intern__len(&b->stacks))
		return "a waker has a stack that does not exist";
	if (!builder__has_str(b, w->comm) || !builder__has_str(b, w->group_comm))
		return "a waker has a string that does not exist";
	if (w->next >= intern__len(&b->wakers))
		return "a waker goes on with one that does not exist";
	if (!w->next == (w->end == CHAIN_GOES_ON))
		return "a waker goes on and has an end, or neither";
	if (w->context != WAKER_THREAD &&
	    (w->task || w->tid || w->tgid || w->comm || w->group_comm))
		return "an interrupt is a thread";
	return NULL;
}

int builder__waker(struct builder *b, const struct profile_waker *w, u32 *ret_id)
{
	const char *fault;

	*ret_id = 0;
	if (b->error)
		return b->error;
	fault = fault_of(b, w);
	if (fault)
		return builder__refuse(b, fault);
	return builder__settle(b, intern__add(&b->wakers, w, ret_id));
}

int builder__wake(struct builder *b, const struct profile_wake *w)
{
	u32 id;

	return builder__add_row(b, &wake_row_type, &b->wakes, w, &id);
}

u64 builder__waker_growth(const struct builder *b, u32 n)
{
	return intern__growth(&b->wakers, 1) + intern__growth(&b->wakes, n);
}
