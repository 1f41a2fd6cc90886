/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a frame is hidden depends on the frames around it, also towards the leaf, so it cannot be
 * a mark on a frame or on a node of the trie. Stacks are therefore rebuilt: the old ones come first
 * and keep their ids, new ones are appended and used by the waits that need them. It is read like
 * any other profile.
 */
#include "analysis/view/shown.h"

#include <errno.h>

#include "base/mem.h"

struct hiding {
	struct shown *s;
	const struct profile *p;
	const struct shown_options *opt;
	struct machinery machinery;
	u32 *frames; /* of one stack, leaf first */
	bool *hidden;
	u32 *made; /* new leaf + 1 by old leaf, 0: not built yet */
};

static bool has_truncated(const struct profile *p)
{
	u32 i;

	for (i = 1; i < p->frames_len; i++) {
		if (p->frames[i].flags & FRAME_TRUNCATED)
			return true;
	}
	return false;
}

static int copy_stacks(struct shown *s, const struct profile *p)
{
	u32 i, id;
	int r;

	r = intern__init(&s->stacks, sizeof(struct profile_stack),
			 offsetof(struct profile_stack, depth));
	for (i = 1; i < p->stacks_len && !r; i++)
		r = intern__add(&s->stacks, &p->stacks[i], &id);
	return r;
}

static int add_frame(struct hiding *h, u32 frame, u32 *stack)
{
	struct profile_stack st = { .parent = *stack, .frame = frame };

	st.depth = ((const struct profile_stack *)intern__at(&h->s->stacks, *stack))->depth + 1;
	return intern__add(&h->s->stacks, &st, stack);
}

static int make_stack(struct hiding *h, u32 leaf, u32 *ret)
{
	u32 len = 0, at, n;
	int r = 0;

	for (at = leaf; at; at = h->p->stacks[at].parent)
		h->frames[len++] = h->p->stacks[at].frame;
	n = machinery__mark(&h->machinery, h->frames, len, h->hidden);
	for (at = 0; h->opt->no_truncated && at < len; at++) {
		if (!(h->p->frames[h->frames[at]].flags & FRAME_TRUNCATED) || h->hidden[at])
			continue;
		h->hidden[at] = true;
		n++;
	}
	*ret = n ? 0 : leaf;
	while (n && len-- > 0 && !r) {
		if (!h->hidden[len])
			r = add_frame(h, h->frames[len], ret);
	}
	return r;
}

static int stack_for(struct hiding *h, u32 leaf, u32 *ret)
{
	int r = 0;

	if (!leaf)
		return 0;
	if (!h->made[leaf]) {
		r = make_stack(h, leaf, ret);
		h->made[leaf] = *ret + 1;
	}
	*ret = h->made[leaf] - 1;
	return r;
}

/* Their kernel stacks stay: nothing of them is hidden. */
static int hide_wakers(struct hiding *h)
{
	const struct profile *p = h->p;
	struct shown *s = h->s;
	int r = 0;
	u32 i;

	s->wakers = mem_array(p->wakers_len, sizeof(*s->wakers));
	s->wakes = mem_array(p->wakes_len, sizeof(*s->wakes));
	if (!s->wakers || !s->wakes)
		return -ENOMEM;
	memcpy(s->wakers, p->wakers, p->wakers_len * sizeof(*s->wakers));
	memcpy(s->wakes, p->wakes, p->wakes_len * sizeof(*s->wakes));
	for (i = 1; i < p->wakers_len && !r; i++)
		r = stack_for(h, p->wakers[i].ustack, &s->wakers[i].ustack);
	for (i = 1; i < p->wakes_len && !r; i++) {
		r = stack_for(h, p->wakes[i].ustack, &s->wakes[i].ustack);
		if (!r)
			r = stack_for(h, p->wakes[i].did_ustack, &s->wakes[i].did_ustack);
	}
	return r;
}

static int hide(struct hiding *h)
{
	const struct profile *p = h->p;
	struct shown *s = h->s;
	u32 depth = profile__depth(p), i;
	int r = copy_stacks(s, p);

	h->frames = mem_array((size_t)depth + 1, sizeof(*h->frames));
	h->hidden = mem_array((size_t)depth + 1, sizeof(*h->hidden));
	h->made = mem_array((size_t)p->stacks_len + 1, sizeof(*h->made));
	s->waits = mem_array((size_t)p->waits_len + 1, sizeof(*s->waits));
	s->hots = mem_array((size_t)p->hots_len + 1, sizeof(*s->hots));
	if (r || !h->frames || !h->hidden || !h->made || !s->waits || !s->hots)
		return -ENOMEM;
	memcpy(s->waits, p->waits, p->waits_len * sizeof(*s->waits));
	memcpy(s->hots, p->hots, p->hots_len * sizeof(*s->hots));
	for (i = 1; i < p->waits_len && !r; i++)
		r = stack_for(h, p->waits[i].ustack, &s->waits[i].ustack);
	for (i = 1; i < p->hots_len && !r; i++)
		r = stack_for(h, p->hots[i].ustack, &s->hots[i].ustack);
	if (!r)
		r = hide_wakers(h);
	if (r)
		return r;
	s->copy = *p;
	s->copy.waits = s->waits;
	s->copy.hots = s->hots;
	s->copy.wakers = s->wakers;
	s->copy.wakes = s->wakes;
	s->copy.stacks = intern__at(&s->stacks, 0);
	s->copy.stacks_len = intern__len(&s->stacks);
	s->p = &s->copy;
	return 0;
}

static int divide(struct shown *s, const struct profile **p)
{
	int r;

	if (!(*p)->hdr.wakers || waker_rows_are_divided(*p))
		return 0;
	r = waker_rows__init(&s->rows, *p, NULL);
	if (!r)
		waker_rows__mark_parts(&s->rows);
	*p = s->rows.p;
	return r;
}

/* Last: frames that are hidden are not shown in stacks of wakers either. */
static int show_wakers(struct shown *s, const struct shown_options *opt)
{
	const struct wake_view_options wake_opt = {
		.wakers = opt->wakers,
		.comms = opt->waker_comms,
		.delimiter = opt->waker_delimiter,
	};
	int r = wake_view__init(&s->wake_view, s->p, &wake_opt, NULL);

	s->p = s->wake_view.p;
	return r;
}

int shown__init(struct shown *s, const struct profile *p, const struct shown_options *opt,
		struct err *err)
{
	struct hiding h = { .s = s, .p = p, .opt = opt };
	int r = 0;

	memset(s, 0, sizeof(*s));
	if (opt->wakers)
		r = divide(s, &p);
	if (!r)
		r = viewed__init(&s->view, p, opt->view, NULL);
	s->p = h.p = p = r ? p : s->view.p;
	if (!r && !opt->interpreter)
		r = machinery__init(&h.machinery, p, NULL);
	if (!r && (h.machinery.of_frame || (opt->no_truncated && has_truncated(p))))
		r = hide(&h);
	if (!r && opt->wakers)
		r = show_wakers(s, opt);
	machinery__done(&h.machinery);
	mem_free(h.frames);
	mem_free(h.hidden);
	mem_free(h.made);
	return r ? err__nomem(err) : 0;
}

void shown__done(struct shown *s)
{
	if (!s)
		return;
	wake_view__done(&s->wake_view);
	waker_rows__done(&s->rows);
	viewed__done(&s->view);
	intern__done(&s->stacks);
	mem_free(s->waits);
	mem_free(s->hots);
	mem_free(s->wakers);
	mem_free(s->wakes);
	memset(s, 0, sizeof(*s));
}
