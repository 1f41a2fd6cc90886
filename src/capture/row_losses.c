/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs used to count a missing stack when they missed it. But if the table of waits was
 * full too, the wait was counted as listed without a stack, and a wait that lost both its stacks
 * for different reasons was counted twice.
 */
#include "capture/row_losses.h"

#include "abi/object.h"

static void count(struct profile_loss *loss, const struct cs_wait_sum *v)
{
	/* Of threads that are visited, the waits that were seen: their number is not known. */
	loss->events += v->count ? v->count : v->samples;
	loss->ns += v->blocked_ns + v->runq_ns;
}

/* A new thread has no stack, whereas a wait whose stack did not fit had one. */
static bool is_unread(const struct cs_wait_key *k, bool kernel_stacks)
{
	if (k->flags & CS_WAIT_NO_RESUME)
		return true;
	return kernel_stacks && !k->kstack && !(k->flags & (CS_WAIT_NEW | CS_WAIT_STACK_LOST));
}

static bool is_file_lock_of_nobody(const struct cs_wait_key *k)
{
	return k->owner & CS_OWNER_FILE_LOCK && !(k->owner & CS_OWNER_NUMBER);
}

void row_losses__wait(struct row_losses *l, const struct cs_wait_key *k,
		      const struct cs_wait_sum *v, bool kernel_stacks, bool bare)
{
	if (bare || k->flags & CS_WAIT_STACK_LOST)
		count(&l->stacks_full, v);
	else if (is_unread(k, kernel_stacks))
		count(&l->stack_unread, v);
	if (k->flags & CS_WAIT_OWNER_UNKNOWN || is_file_lock_of_nobody(k))
		count(&l->owner_unknown, v);
	if (k->owner & CS_OWNER_FILE_LOCK && k->owner & CS_OWNER_SEVERAL)
		count(&l->owner_several, v);
}

void row_losses__samples(struct row_losses *l, const struct cs_wait_key *k, u64 samples, bool bare)
{
	if (bare || k->flags & CS_WAIT_STACK_LOST)
		l->samples_bare += samples;
}

void row_losses__object(struct row_losses *l, const struct cs_wait_sum *v)
{
	count(&l->objects_full, v);
}

static void give(struct builder *b, enum profile_loss_kind kind, const struct profile_loss *loss)
{
	builder__loss(b, kind, loss->events, loss->ns);
}

void row_losses__give(const struct row_losses *l, struct builder *b)
{
	give(b, LOSS_STACKS_FULL, &l->stacks_full);
	give(b, LOSS_STACK_UNREAD, &l->stack_unread);
	give(b, LOSS_OBJECTS_FULL, &l->objects_full);
	give(b, LOSS_OWNER_UNKNOWN, &l->owner_unknown);
	give(b, LOSS_OWNER_SEVERAL, &l->owner_several);
	builder__loss(b, LOSS_SAMPLES_BARE, l->samples_bare, 0);
}
