/* SPDX-License-Identifier: Apache-2.0 */
/* What a stack says where its source does not: which frames are the kernel's, and the state. */
#include "import/gather_priv.h"

#include <string.h>

#include "abi/hist.h"
#include "import/name_hints.h"

enum {
	STATE_R = 0,
	STATE_S = 1,
	STATE_D = 2,
	STATE_I = 8,
};

const struct held_frame *held_at(const struct gather *g, const struct held_stack *s, size_t i)
{
	return vec__at(&g->frames, s->leaf_first ? g->frames.len - 1 - i : i);
}

static u32 hints_at(const struct gather *g, const struct held_stack *s, size_t i)
{
	return ((const struct known_name *)vec__at(&g->hints, held_at(g, s, i)->name))->hints;
}

static bool is_kernel(const struct gather *g, const struct held_stack *s, size_t i)
{
	const struct held_frame *f = held_at(g, s, i);
	u32 hints = hints_at(g, s, i);

	if (f->side != GATHER_SIDE_GUESS || f->code)
		return f->side == GATHER_SIDE_KERNEL;
	return hints & HINT_ENTRY && !(hints & HINT_FORK && i);
}

/* A kernel stack without an entry still ends in the scheduler. */
static size_t without_entry(const struct gather *g, const struct held_stack *s)
{
	size_t i = s->len;

	while (i && held_at(g, s, i - 1)->side == GATHER_SIDE_GUESS &&
	       !held_at(g, s, i - 1)->code && hints_at(g, s, i - 1) & HINT_SCHED)
		i--;
	return i;
}

void held_split(const struct gather *g, struct held_stack *s)
{
	size_t i;

	while (s->len && hints_at(g, s, s->len - 1) & HINT_TRACER &&
	       held_at(g, s, s->len - 1)->side != GATHER_SIDE_USER)
		s->len--;
	for (i = 0; i < s->len && !is_kernel(g, s, i); i++)
		;
	s->split = i < s->len ? i : without_entry(g, s);
}

bool held_is_forked(const struct gather *g, const struct held_stack *s)
{
	return s->len && !s->split && hints_at(g, s, 0) & HINT_FORK;
}

/* The innermost functions but the scheduler's own say why it was called. */
static u32 guess_state(const struct gather *g, const struct held_stack *s)
{
	bool disk = false;
	size_t i;

	for (i = s->len; i > s->split; i--) {
		u32 hints = hints_at(g, s, i - 1);

		if (hints & HINT_PREEMPT)
			return STATE_R;
		disk |= (hints & HINT_DISK) != 0;
		if (!(hints & HINT_SCHED))
			break;
	}
	if (i > s->split && hints_at(g, s, i - 1) & HINT_WORKER)
		return STATE_I;
	for (; i > s->split; i--)
		disk |= (hints_at(g, s, i - 1) & HINT_DISK) != 0;
	return disk ? STATE_D : STATE_S;
}

/* Numbers differ between architectures. */
static bool has_calls(const struct gather *g)
{
	return !g->arch || !g->opt->arch || strcmp(g->arch, g->opt->arch) == 0;
}

s32 held_call(const struct gather *g, const struct held_stack *s)
{
	size_t i;

	for (i = s->split; i < s->len && has_calls(g); i++) {
		const struct known_name *name = vec__at(&g->hints, held_at(g, s, i)->name);

		if (name->sysno >= 0)
			return name->sysno;
	}
	return -1;
}

static void fill_lengths(const struct gather_wait *w, struct profile_wait *row)
{
	if (!w->single) {
		row->flags |= WAIT_SUMMED;
		row->count = w->count;
		return;
	}
	row->count = row->samples = 1;
	row->max_ns = row->blocked_ns + row->runq_ns;
	row->hist[cs_hist_bucket(row->max_ns)] = 1;
}

void held_fill(const struct gather *g, const struct held_stack *s, const struct gather_wait *w,
	       struct profile_wait *row)
{
	row->state = w->state;
	row->sysno = w->sysno;
	row->flags = w->flags;
	row->object = w->object;
	row->owner = w->owner;
	row->owner_tid = w->owner_tid;
	row->blocked_ns = w->blocked_ns;
	row->runq_ns = w->runq_ns;
	if (w->guess) {
		row->state = guess_state(g, s);
		row->sysno = held_call(g, s);
	}
	/* a preempted thread waits for a CPU and for nothing else */
	if (w->guess && row->state == STATE_R) {
		row->runq_ns += row->blocked_ns;
		row->blocked_ns = 0;
	}
	fill_lengths(w, row);
}
