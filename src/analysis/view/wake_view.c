/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row's stack becomes a path of nodes below the leaf of the wait's stack. Pairs of leaf and waker
 * recur, because threads of a pool wait at one place, so their paths are cached.
 */
#include "analysis/view/wake_view.h"

#include <errno.h>
#include <string.h>

#include "analysis/name/waker_label.h"
#include "analysis/view/wait_stacks.h"
#include "base/map64.h"
#include "base/mem.h"

struct prolonging {
	struct wake_view *v;
	const struct profile *p;
	const struct wake_view_options *opt;
	struct map64 known; /* leaf << 32 | waker: node */
};

/* A cut stack stays one: that is shown at its other end. */
static int add_frame(struct prolonging *s, u32 frame, u32 *stack)
{
	return grown_code__add_frame(&s->v->code, frame, STACK_WAKER, stack);
}

static int add_note(struct prolonging *s, const char *name, u32 *stack)
{
	return grown_code__add_note(&s->v->code, name, STACK_WAKER, stack);
}

static int add_from_leaf(struct prolonging *s, u32 leaf, u32 *stack)
{
	int r = 0;

	for (; leaf && !r; leaf = s->p->stacks[leaf].parent)
		r = add_frame(s, s->p->stacks[leaf].frame, stack);
	return r;
}

static bool has_user_side(const struct prolonging *s, const struct profile_waker *w)
{
	return (!s->p->hdr.sides || s->p->hdr.sides & SIDE_USER) && w->context == WAKER_THREAD &&
	       !(w->flags & (WAKER_KTHREAD | WAKER_EXITING));
}

static bool has_kernel_side(const struct prolonging *s)
{
	return !s->p->hdr.sides || s->p->hdr.sides & SIDE_KERNEL;
}

/* What is missing must stay visible. */
static int add_sides(struct prolonging *s, const struct profile_waker *w, u32 *stack)
{
	int r = 0;

	if (!w->kstack && has_kernel_side(s) && w->context != WAKER_OTHER)
		r = add_note(s, NOTE_MISSED_KERNEL, stack);
	if (!r)
		r = add_from_leaf(s, w->kstack, stack);
	if (!r && s->opt->delimiter && w->kstack && w->ustack)
		r = add_note(s, "-", stack);
	if (!r && !w->ustack && has_user_side(s, w))
		r = add_note(s, NOTE_MISSED_USER, stack);
	return r ? r : add_from_leaf(s, w->ustack, stack);
}

static int add_link(struct prolonging *s, u32 waker, u32 *stack)
{
	char name[WAKER_LABEL_SZ];
	int r = add_note(s, WAKER_MARK, stack);

	if (!r)
		r = add_sides(s, &s->p->wakers[waker], stack);
	if (s->opt->comms)
		waker_label_comm(s->p, waker, name, sizeof(name));
	else
		waker_label(s->p, waker, name, sizeof(name));
	return r ? r : add_note(s, name, stack);
}

static int add_chain(struct prolonging *s, u32 waker, u32 *stack)
{
	bool all = s->opt->wakers == WAKERS_CHAIN;
	u32 at, last = waker;
	int r = 0;

	for (at = waker; at && !r; at = all ? s->p->wakers[at].next : 0) {
		r = add_link(s, at, stack);
		last = at;
	}
	if (!r && all && waker_end_note(s->p, last))
		r = add_note(s, waker_end_note(s->p, last), stack);
	return r;
}

static const char *no_waker_note(const struct profile_wait *w)
{
	if (w->flags & WAIT_THROTTLED)
		return NO_WAKER_THROTTLED;
	if (w->flags & WAIT_NEW)
		return NO_WAKER_NEW;
	if (w->flags & WAIT_PREEMPTED || !w->state)
		return NO_WAKER_PREEMPTED;
	return w->flags & WAIT_OPEN ? NO_WAKER_OPEN : NO_WAKER_KNOWN;
}

/* `waker` 0: no known one. */
static int add_waker(struct prolonging *s, const struct profile_wait *w, u32 waker, u32 *stack)
{
	u64 key = (u64)*stack << 32 | waker, known;
	int r = 0;

	if (waker && map64__get(&s->known, key, &known)) {
		*stack = (u32)known;
		return 0;
	}
	if (waker) {
		r = add_chain(s, waker, stack);
		return r ? r : map64__set(&s->known, key, *stack);
	}
	r = add_note(s, WAKER_MARK, stack);
	return r ? r : add_note(s, no_waker_note(w), stack);
}

/* Behind the stack on the side that every wait has. */
static int add_stack(struct prolonging *s, struct profile_wait *row)
{
	bool kernel = has_kernel_side(s);
	u32 *stack = kernel ? &row->kstack : &row->ustack;
	bool kthread = s->p->tasks[row->task].flags & TASK_KTHREAD;
	int r = 0;

	if (!*stack && (kernel || !kthread))
		r = add_note(s, kernel ? NOTE_MISSED_KERNEL : NOTE_MISSED_USER, stack);
	return r ? r : add_waker(s, row, row->waker, stack);
}

static int prolong(struct prolonging *s)
{
	const struct profile *p = s->p;
	struct wake_view *v = s->v;
	u32 i;
	int r = grown_code__init(&v->code, p);

	v->rows = mem_array(p->waits_len, sizeof(*v->rows));
	if (r || !v->rows)
		return -ENOMEM;
	memcpy(v->rows, p->waits, p->waits_len * sizeof(*v->rows));
	for (i = 1; i < p->waits_len && !r; i++) {
		const struct profile_wait *w = &p->waits[i];

		if (!(w->flags & WAIT_ON_CPU) && !wait_lost_note(w->flags))
			r = add_stack(s, &v->rows[i]);
	}
	if (r)
		return r;
	v->copy = *p;
	v->copy.waits = v->rows;
	grown_code__lend(&v->code, &v->copy);
	v->p = &v->copy;
	return 0;
}

int wake_view__init(struct wake_view *v, const struct profile *p,
		    const struct wake_view_options *opt, struct err *err)
{
	struct prolonging s = { .v = v, .p = p, .opt = opt };
	int r = 0;

	memset(v, 0, sizeof(*v));
	v->p = p;
	map64__init(&s.known);
	if (p->hdr.wakers)
		r = prolong(&s);
	map64__done(&s.known);
	return r ? err__nomem(err) : 0;
}

void wake_view__done(struct wake_view *v)
{
	if (!v)
		return;
	grown_code__done(&v->code);
	mem_free(v->rows);
	memset(v, 0, sizeof(*v));
}
