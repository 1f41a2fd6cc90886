/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perfetto_replay.h"

#include <stdlib.h>

/* Bits of prev_state since Linux 4.14, include/trace/events/sched.h; 0x100 is R+. */
#define STATE_BITS 0xff

struct replay {
	const struct perfetto_events *ev;
	const struct perfetto_interned *in;
	struct sched_trace *to;
	struct map64 cpus; /* index + 1 of the last switch on a CPU */
	struct map64 stacks; /* by TID: index + 1 of the last stack */
	u64 switches;
};

static int by_time(const void *a, const void *b)
{
	const struct perfetto_event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static const struct perfetto_event *event_at(const struct replay *rp, u64 index_plus_1)
{
	return index_plus_1 ? vec__at(&rp->ev->list, index_plus_1 - 1) : NULL;
}

static const struct perfetto_event *last_of(const struct replay *rp, const struct map64 *map,
					    u64 key)
{
	u64 at = 0;

	map64__get(map, key, &at);
	return event_at(rp, at);
}

/* The index of the highest bit in PROFILE_STATE_LETTERS, as the kernel reports it. */
static u32 state_of(u32 bits)
{
	bits &= STATE_BITS;
	return bits ? 32 - (u32)__builtin_clz(bits) : 0;
}

static struct view name_of(const struct replay *rp, u32 id)
{
	return view__of_str(strtab__get(&rp->ev->names, id));
}

/* Whom the switch before brought to this CPU; nobody if that is not known. */
static void find_prev(const struct replay *rp, const struct perfetto_event *e, u32 *ret_tid,
		      u32 *ret_comm)
{
	const struct perfetto_event *before = last_of(rp, &rp->cpus, e->cpu);

	*ret_tid = e->prev;
	*ret_comm = e->prev_comm;
	if (e->prev != PREV_OF_CPU)
		return;
	*ret_tid = before ? before->tid : 0;
	*ret_comm = before ? before->comm : 0;
}

static int replay_switch(struct replay *rp, const struct perfetto_event *e, u64 at)
{
	struct sched_switch sw = { .time_ns = e->time_ns,
				   .cpu = e->cpu,
				   .next = e->tid,
				   .next_comm = name_of(rp, e->comm),
				   .prev_state = state_of(e->state) };
	const struct perfetto_event *stack;
	u32 comm;
	int r = 0;

	find_prev(rp, e, &sw.prev, &comm);
	sw.prev_comm = name_of(rp, comm);
	stack = last_of(rp, &rp->stacks, sw.prev);
	if (sw.prev && stack && stack->time_ns == e->time_ns)
		r = perfetto_interned__push_frames(rp->in, stack->stack, rp->to->g);
	if (!r)
		r = sched_trace__switch(rp->to, &sw);
	rp->switches++;
	return r ? r : map64__set(&rp->cpus, e->cpu, at);
}

static int replay_event(struct replay *rp, const struct perfetto_event *e, u64 at)
{
	struct view name = name_of(rp, e->comm);

	switch (e->kind) {
	case EVENT_GAP:
		return map64__set(&rp->cpus, e->cpu, 0);
	case EVENT_STACK:
		return map64__set(&rp->stacks, e->tid, at);
	case EVENT_WAKE:
	case EVENT_WAKE_NEW:
		return sched_trace__wake(rp->to, e->time_ns, e->tid, &name,
					 e->kind == EVENT_WAKE_NEW);
	case EVENT_MIGRATE:
		sched_trace__migrate(rp->to, e->time_ns, e->tid);
		return 0;
	case EVENT_SWITCH:
		return replay_switch(rp, e, at);
	}
	return 0;
}

int perfetto_replay(struct perfetto_events *ev, const struct perfetto_interned *in,
		    struct sched_trace *to, u64 *ret_switches)
{
	struct replay rp = { .ev = ev, .in = in, .to = to };
	int r = 0;

	map64__init(&rp.cpus);
	map64__init(&rp.stacks);
	if (ev->list.len)
		qsort(ev->list.data, ev->list.len, ev->list.elem_sz, by_time);
	for (size_t i = 0; !r && i < ev->list.len; i++)
		r = replay_event(&rp, vec__at(&ev->list, i), i + 1);
	map64__done(&rp.cpus);
	map64__done(&rp.stacks);
	*ret_switches = rp.switches;
	return r;
}
