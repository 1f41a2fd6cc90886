/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_PERFETTO_REPLAY_H
#define IMPORT_PERFETTO_REPLAY_H

#include "import/perfetto_events.h"
#include "import/perfetto_interned.h"
#include "import/sched_trace.h"

/*
 * Sorts the events, for each CPU has its own buffer, and gives them to the trace of the scheduler.
 * -ENOMEM, -EOVERFLOW. *ret_switches: how many switches there were.
 */
int perfetto_replay(struct perfetto_events *ev, const struct perfetto_interned *in,
		    struct sched_trace *to, u64 *ret_switches);

#endif
