/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a builder that adds up what is alike: objects, waits, samples, histograms. */
#include "profile/builder_priv.h"

#include <errno.h>
#include <stdio.h>

int builder__object(struct builder *b, const struct profile_object *o, u32 *ret_id)
{
	*ret_id = 0;
	if (b->error)
		return b->error;
	if (!profile_object__is_valid(o))
		return builder__refuse(b, "an object is of an unknown kind");
	if (!builder__has_str(b, o->name) || !builder__has_str(b, o->peer) ||
	    !builder__has_str(b, o->file))
		return builder__refuse(b, "an object has a string that does not exist");
	return builder__settle(b, intern__add(&b->objects, o, ret_id));
}

int builder__object_peer(struct builder *b, u32 object, u32 peer)
{
	struct profile_object *o;

	if (b->error)
		return b->error;
	if (!object || object >= intern__len(&b->objects))
		return builder__refuse(b, "a peer is of an object that does not exist");
	if (!builder__has_str(b, peer))
		return builder__refuse(b, "an object has a string that does not exist");
	o = intern__at(&b->objects, object);
	o->peer = peer;
	return 0;
}

int builder__add_row(struct builder *b, const struct row_type *type, struct intern *rows,
		     const void *row, u32 *ret_id)
{
	const u32 len = intern__len(rows);
	const struct row_limits limits = {
		.tasks = b->tasks.len,
		.stacks = intern__len(&b->stacks),
		.objects = intern__len(&b->objects),
		.wakers = intern__len(&b->wakers),
	};
	const char *what;

	if (b->error)
		return b->error;
	what = row_type__missing(type, row, &limits);
	if (what) {
		snprintf(b->fault_text, sizeof(b->fault_text), "a %s has %s that does not exist",
			 type->noun, what);
		return builder__refuse(b, b->fault_text);
	}
	if (builder__settle(b, intern__add(rows, row, ret_id)))
		return b->error;
	if (*ret_id >= len || row_type__add(type, intern__at(rows, *ret_id), row))
		return 0;
	snprintf(b->fault_text, sizeof(b->fault_text),
		 "equal %ss add up to more than a number can hold", type->noun);
	return builder__refuse(b, b->fault_text);
}

int builder__wait(struct builder *b, const struct profile_wait *w)
{
	if (!b->error && w->owner && !w->owner_tid)
		return builder__refuse(b, "a wait has an owner without a number");
	return builder__add_row(b, &wait_row_type, &b->waits, w, &b->last_wait);
}

u32 builder__last_wait(const struct builder *b)
{
	return b->last_wait;
}

int builder__hot(struct builder *b, const struct profile_hot *h)
{
	u32 id;

	return builder__add_row(b, &hot_row_type, &b->hots, h, &id);
}

int builder__measured(struct builder *b, const struct profile_measured *m)
{
	u32 id;

	return builder__add_row(b, &measured_row_type, &b->measured, m, &id);
}

int builder__bin(struct builder *b, const struct profile_bin *bin)
{
	u32 id, len = intern__len(&b->bins);
	struct profile_bin *sum;

	if (b->error)
		return b->error;
	if (!bin->task || bin->task >= b->tasks.len)
		return builder__refuse(b, "a histogram is of a thread that does not exist");
	if (bin->kind >= HIST_KINDS || bin->bucket >= HIST_BINS || !bin->count)
		return builder__refuse(b, "a histogram has a count that does not exist");
	if (builder__settle(b, intern__add(&b->bins, bin, &id)))
		return b->error;
	sum = intern__at(&b->bins, id);
	if (id < len && __builtin_add_overflow(sum->count, bin->count, &sum->count))
		return builder__refuse(b, "histograms add up to more than a number can hold");
	return 0;
}

u64 builder__growth(const struct builder *b, u32 depth)
{
	return intern__growth(&b->frames, depth) + intern__growth(&b->stacks, depth) +
	       intern__growth(&b->waits, 1) + intern__growth(&b->hots, 1);
}

int builder__reserve(struct builder *b, u32 depth)
{
	if (intern__reserve(&b->frames, depth) || intern__reserve(&b->stacks, depth) ||
	    intern__reserve(&b->waits, 1) || intern__reserve(&b->hots, 1))
		return -ENOMEM;
	return 0;
}

u64 builder__object_growth(const struct builder *b)
{
	return intern__growth(&b->objects, 1);
}

int builder__moment(struct builder *b, const struct profile_moment *m)
{
	struct profile_moment *copy;
	u64 ns;

	if (b->error)
		return b->error;
	if (!m->wait || m->wait >= intern__len(&b->waits) || m->waker >= intern__len(&b->wakers))
		return builder__refuse(b, "a moment is of a wait or waker that does not exist");
	if (__builtin_add_overflow(m->blocked_ns, m->runq_ns, &ns) || !ns || ns > m->end_ns)
		return builder__refuse(b, "a moment has no time, or began before the window");
	if (b->moments.len == ~0U)
		return builder__refuse(b, "there are more moments than a number can hold");
	copy = vec__push(&b->moments);
	if (copy)
		*copy = *m;
	return builder__settle(b, copy ? 0 : -ENOMEM);
}

u64 builder__moment_growth(const struct builder *b, u32 n)
{
	return vec__growth(&b->moments, n);
}

u64 builder__replicate_growth(const struct builder *b, u32 n)
{
	return vec__growth(&b->replicates, n);
}

int builder__mark(struct builder *b, const struct profile_mark *m)
{
	struct profile_mark *copy;

	if (b->error)
		return b->error;
	if (!m->task || m->task >= b->tasks.len || !m->class || !builder__has_str(b, m->class) ||
	    !builder__has_str(b, m->trace) || m->kind >= MARK_KINDS)
		return builder__refuse(b, "a mark is of a thread or class that does not exist");
	if (b->marks.len == ~0U)
		return builder__refuse(b, "there are more marks than a number can hold");
	copy = vec__push(&b->marks);
	if (copy)
		*copy = *m;
	return builder__settle(b, copy ? 0 : -ENOMEM);
}

u64 builder__mark_growth(const struct builder *b, u32 n)
{
	return vec__growth(&b->marks, n);
}
