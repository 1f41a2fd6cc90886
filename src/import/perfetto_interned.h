/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_PERFETTO_INTERNED_H
#define IMPORT_PERFETTO_INTERNED_H

#include "base/intern.h"
#include "base/map64.h"
#include "import/gather.h"

/*
 * InternedData of Perfetto's trace_packet.proto, as far as call stacks need it: each writer (packet
 * sequence) gives numbers to strings, mappings, frames and stacks, and may start anew. Views into
 * the trace are kept. Errors are -ENOMEM.
 */
struct perfetto_interned {
	struct intern things; /* struct interned_thing */
	struct map64 starts; /* by sequence: how often it started anew */
};

int perfetto_interned__init(struct perfetto_interned *in);
void perfetto_interned__done(struct perfetto_interned *in);
/* A message InternedData of the sequence. -EINVAL if it is damaged. */
int perfetto_interned__add(struct perfetto_interned *in, u32 sequence, struct view message);
/* The sequence starts anew: the same numbers mean other things from here on. */
int perfetto_interned__restart(struct perfetto_interned *in, u32 sequence);
/* The id here of a stack with number `iid`; 0: there is none. */
u32 perfetto_interned__stack(const struct perfetto_interned *in, u32 sequence, u64 iid);
/* Pushes the frames of a stack, by that id, leaf first. */
int perfetto_interned__push_frames(const struct perfetto_interned *in, u32 stack, struct gather *g);

#endif
