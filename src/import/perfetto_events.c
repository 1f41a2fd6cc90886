/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FtraceEventBundle of Perfetto's ftrace_event_bundle.proto: the events of one CPU, each a message,
 * and switches and wakeups also as columns (CompactSched). A column has no thread that left: that
 * is the one that the switch before on this CPU brought.
 */
#include "import/perfetto_events.h"

#include <errno.h>

#include "import/wire.h"

/* Linux' PID_MAX_LIMIT, include/linux/threads.h: anything else is no thread. */
#define TID_MAX (4U << 20)

enum {
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST_EVENTS = 3,
	BUNDLE_COMPACT_SCHED = 4,
	EVENT_TIMESTAMP = 1,
	EVENT_SCHED_SWITCH = 4,
	EVENT_SCHED_WAKEUP = 17,
	EVENT_SCHED_WAKING = 20,
	EVENT_SCHED_WAKEUP_NEW = 114,
	EVENT_SCHED_MIGRATE_TASK = 491,
	SWITCH_PREV_COMM = 1,
	SWITCH_PREV_PID = 2,
	SWITCH_PREV_STATE = 4,
	SWITCH_NEXT_COMM = 5,
	SWITCH_NEXT_PID = 6,
	WAKE_COMM = 1,
	WAKE_PID = 2,
	COMPACT_INTERN_TABLE = 5,
	COMPACT_SWITCH_TIMESTAMP = 1,
	COMPACT_SWITCH_PREV_STATE = 2,
	COMPACT_SWITCH_NEXT_PID = 3,
	COMPACT_SWITCH_NEXT_COMM = 6,
	COMPACT_WAKING_TIMESTAMP = 7,
	COMPACT_WAKING_PID = 8,
	COMPACT_WAKING_COMM = 11,
};

int perfetto_events__init(struct perfetto_events *ev)
{
	vec__init(&ev->list, sizeof(struct perfetto_event));
	ev->gaps = 0;
	return strtab__init(&ev->names);
}

void perfetto_events__done(struct perfetto_events *ev)
{
	vec__done(&ev->list);
	strtab__done(&ev->names);
}

static struct perfetto_event *add(struct perfetto_events *ev, enum perfetto_event_kind kind,
				  u64 time_ns)
{
	struct perfetto_event *e = ev->list.len < PREV_OF_CPU ? vec__push(&ev->list) : NULL;

	if (e)
		*e = (struct perfetto_event){ .time_ns = time_ns,
					      .order = (u32)ev->list.len - 1,
					      .kind = kind };
	return e;
}

int perfetto_events__add_stack(struct perfetto_events *ev, u64 time_ns, u32 tid, u32 stack)
{
	struct perfetto_event *e = add(ev, EVENT_STACK, time_ns);

	if (!e)
		return -ENOMEM;
	e->tid = tid;
	e->stack = stack;
	return 0;
}

static int name_of(struct perfetto_events *ev, struct view name, u32 *ret)
{
	return strtab__add_len(&ev->names, (const char *)name.p, view__left(&name), ret);
}

/* The kernel's idle threads, and what is no thread, are 0. */
static u32 tid_of(u64 number)
{
	return number > TID_MAX ? 0 : (u32)number;
}

static int add_switch(struct perfetto_events *ev, u32 cpu, u64 time_ns, struct view message)
{
	struct perfetto_event *e = add(ev, EVENT_SWITCH, time_ns);
	int r;

	if (!e)
		return -ENOMEM;
	e->cpu = cpu;
	e->tid = tid_of(wire__number(message, SWITCH_NEXT_PID));
	e->prev = tid_of(wire__number(message, SWITCH_PREV_PID));
	e->state = (u32)wire__number(message, SWITCH_PREV_STATE);
	r = name_of(ev, wire__bytes(message, SWITCH_NEXT_COMM), &e->comm);
	return r ? r : name_of(ev, wire__bytes(message, SWITCH_PREV_COMM), &e->prev_comm);
}

static int add_wake(struct perfetto_events *ev, enum perfetto_event_kind kind, u64 time_ns,
		    struct view message)
{
	struct perfetto_event *e = add(ev, kind, time_ns);

	if (!e)
		return -ENOMEM;
	e->tid = tid_of(wire__number(message, WAKE_PID));
	return name_of(ev, wire__bytes(message, WAKE_COMM), &e->comm);
}

/* A message FtraceEvent: a time and one of hundreds of events. */
static int add_event(struct perfetto_events *ev, u32 cpu, struct view message)
{
	u64 time_ns = wire__number(message, EVENT_TIMESTAMP);
	struct wire_field f;
	int r = 0;

	while (!r && wire__next(&message, &f)) {
		if (!f.is_bytes)
			continue;
		if (f.number == EVENT_SCHED_SWITCH)
			r = add_switch(ev, cpu, time_ns, f.bytes);
		else if (f.number == EVENT_SCHED_WAKEUP || f.number == EVENT_SCHED_WAKING)
			r = add_wake(ev, EVENT_WAKE, time_ns, f.bytes);
		else if (f.number == EVENT_SCHED_WAKEUP_NEW)
			r = add_wake(ev, EVENT_WAKE_NEW, time_ns, f.bytes);
		else if (f.number == EVENT_SCHED_MIGRATE_TASK)
			r = add_wake(ev, EVENT_MIGRATE, time_ns, f.bytes);
	}
	return r ? r : view__left(&message) ? -EINVAL : 0;
}

/* The strings of a bundle: ids in `names`. */
static int read_table(struct perfetto_events *ev, struct view compact, struct vec *table)
{
	struct wire_field f;
	u32 *name;
	int r = 0;

	while (!r && wire__next(&compact, &f)) {
		if (f.number != COMPACT_INTERN_TABLE || !f.is_bytes)
			continue;
		name = vec__push(table);
		r = name ? name_of(ev, f.bytes, name) : -ENOMEM;
	}
	return r ? r : view__left(&compact) ? -EINVAL : 0;
}

static struct wire_numbers column(struct view compact, u64 number)
{
	return (struct wire_numbers){ .message = compact, .number = number };
}

static bool take_name(struct wire_numbers *names, const struct vec *table, u32 *ret)
{
	u64 i;

	if (!wire__next_number(names, &i) || i >= table->len)
		return false;
	*ret = *(u32 *)vec__at(table, i);
	return true;
}

static int add_switches(struct perfetto_events *ev, u32 cpu, struct view compact,
			const struct vec *table)
{
	struct wire_numbers times = column(compact, COMPACT_SWITCH_TIMESTAMP);
	struct wire_numbers states = column(compact, COMPACT_SWITCH_PREV_STATE);
	struct wire_numbers tids = column(compact, COMPACT_SWITCH_NEXT_PID);
	struct wire_numbers names = column(compact, COMPACT_SWITCH_NEXT_COMM);
	u64 time_ns = 0, delta, state, tid;
	struct perfetto_event *e;

	while (wire__next_number(&times, &delta)) {
		time_ns += delta;
		e = add(ev, EVENT_SWITCH, time_ns);
		if (!e)
			return -ENOMEM;
		if (!wire__next_number(&states, &state) || !wire__next_number(&tids, &tid) ||
		    !take_name(&names, table, &e->comm))
			return -EINVAL;
		e->cpu = cpu;
		e->prev = PREV_OF_CPU;
		e->state = (u32)state;
		e->tid = tid_of(tid);
	}
	return times.packed.bad ? -EINVAL : 0;
}

static int add_wakings(struct perfetto_events *ev, struct view compact, const struct vec *table)
{
	struct wire_numbers times = column(compact, COMPACT_WAKING_TIMESTAMP);
	struct wire_numbers tids = column(compact, COMPACT_WAKING_PID);
	struct wire_numbers names = column(compact, COMPACT_WAKING_COMM);
	u64 time_ns = 0, delta, tid;
	struct perfetto_event *e;

	while (wire__next_number(&times, &delta)) {
		time_ns += delta;
		e = add(ev, EVENT_WAKE, time_ns);
		if (!e)
			return -ENOMEM;
		if (!wire__next_number(&tids, &tid) || !take_name(&names, table, &e->comm))
			return -EINVAL;
		e->tid = tid_of(tid);
	}
	return times.packed.bad ? -EINVAL : 0;
}

static int add_compact(struct perfetto_events *ev, u32 cpu, struct view compact)
{
	struct vec table;
	int r;

	vec__init(&table, sizeof(u32));
	r = read_table(ev, compact, &table);
	if (!r)
		r = add_switches(ev, cpu, compact, &table);
	if (!r)
		r = add_wakings(ev, compact, &table);
	vec__done(&table);
	return r;
}

/* What is missing was before the first event from `first` on. */
static int add_gap(struct perfetto_events *ev, u32 cpu, size_t first)
{
	struct perfetto_event *e;
	u64 time_ns = ~0ULL;

	ev->gaps++;
	for (size_t i = first; i < ev->list.len; i++) {
		e = vec__at(&ev->list, i);
		if (e->time_ns < time_ns)
			time_ns = e->time_ns;
	}
	if (first == ev->list.len)
		return 0;
	e = add(ev, EVENT_GAP, time_ns);
	if (!e)
		return -ENOMEM;
	e->cpu = cpu;
	return 0;
}

int perfetto_events__add_bundle(struct perfetto_events *ev, struct view message)
{
	u32 cpu = (u32)wire__number(message, BUNDLE_CPU);
	bool lost = wire__number(message, BUNDLE_LOST_EVENTS) != 0;
	size_t first = ev->list.len;
	struct wire_field f;
	int r = 0;

	while (!r && wire__next(&message, &f)) {
		if (f.number == BUNDLE_EVENT && f.is_bytes)
			r = add_event(ev, cpu, f.bytes);
		else if (f.number == BUNDLE_COMPACT_SCHED && f.is_bytes)
			r = add_compact(ev, cpu, f.bytes);
	}
	if (!r && view__left(&message))
		r = -EINVAL;
	return r || !lost ? r : add_gap(ev, cpu, first);
}
