/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKLOAD_CREW_H
#define WORKLOAD_CREW_H

#include "wl.h"

#define CREW_MOST 64

/* Threads that do their work together, and then wait at the second gate. One crew per program. */
extern struct wl_thread crew[CREW_MOST];

/* Starts so many threads, called NAME0, NAME1 and so on; on return they stand at their gate. */
void crew_start(int len, void (*run)(struct wl_thread *t), const char *name);
/*
 * The conversation with the harness, until the threads have ended. Once all have done their work,
 * it sends {"event":"waker", "index":..., "tid":...} for each.
 */
void crew_converse(int len);

#endif
