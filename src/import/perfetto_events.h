/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_PERFETTO_EVENTS_H
#define IMPORT_PERFETTO_EVENTS_H

#include "base/strtab.h"
#include "base/vec.h"
#include "base/view.h"

/*
 * Events of the scheduler in a Perfetto trace, in the order of the file. Errors are -ENOMEM, and
 * -EINVAL for a damaged message.
 */

/* In this order if they have one time. */
enum perfetto_event_kind {
	EVENT_GAP, /* of what this CPU did, something is missing before this */
	EVENT_STACK,
	EVENT_WAKE,
	EVENT_WAKE_NEW,
	EVENT_MIGRATE,
	EVENT_SWITCH,
};

/* prev: whom the switch before on this CPU brought */
#define PREV_OF_CPU (~0U)

struct perfetto_event {
	u64 time_ns;
	u32 order; /* in the trace */
	enum perfetto_event_kind kind;
	u32 cpu;
	u32 tid; /* who is woken, comes to the CPU, or has the stack; 0: an idle thread */
	u32 comm; /* in `names` */
	u32 prev; /* who leaves the CPU */
	u32 prev_comm;
	u32 state; /* of who leaves, as the tracepoint has it */
	u32 stack; /* of perfetto_interned__stack() */
};

struct perfetto_events {
	struct vec list; /* struct perfetto_event */
	struct strtab names; /* of threads */
	u64 gaps; /* the kernel's buffer of a CPU ran over */
};

int perfetto_events__init(struct perfetto_events *ev);
void perfetto_events__done(struct perfetto_events *ev);
/* A message FtraceEventBundle. */
int perfetto_events__add_bundle(struct perfetto_events *ev, struct view message);
/* The stack of the thread, if it left its CPU at `time_ns`. */
int perfetto_events__add_stack(struct perfetto_events *ev, u64 time_ns, u32 tid, u32 stack);

#endif
