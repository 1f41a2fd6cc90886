/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_PERFETTO_NAMES_H
#define IMPORT_PERFETTO_NAMES_H

#include "base/map64.h"
#include "base/vec.h"
#include "import/sched_trace.h"

/*
 * Who threads and processes are, as ProcessTree and TrackDescriptor of Perfetto's protos tell it.
 * Views into the trace are kept. Errors are -ENOMEM, and -EINVAL for a damaged message.
 */
struct perfetto_names {
	struct vec known; /* struct known_thread */
	struct map64 tracks; /* TID by UUID */
};

void perfetto_names__init(struct perfetto_names *n);
void perfetto_names__done(struct perfetto_names *n);
int perfetto_names__add_tree(struct perfetto_names *n, struct view message);
int perfetto_names__add_track(struct perfetto_names *n, struct view message);
/* The thread of a track; 0: it is of none. */
u32 perfetto_names__tid(const struct perfetto_names *n, u64 uuid);
/* Processes of all threads of the trace, and names of those that its events do not name. */
int perfetto_names__give(const struct perfetto_names *n, struct sched_trace *to);

#endif
