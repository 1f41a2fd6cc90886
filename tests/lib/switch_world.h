/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_SWITCH_WORLD_H
#define TESTS_LIB_SWITCH_WORLD_H

#include <linux/types.h>

#include "lib/switch_stream.h"

/*
 * CPUs that switch as was recorded, and our programs on them: each CPU has a copy of the stream
 * with threads of its own. One world at a time, for the programs have maps and globals as globals.
 */
#define WORLD_CPUS 64 /* at most */

enum world_layout {
	WORLD_APART = 0, /* a copy stays on its CPU */
	WORLD_WOKEN, /* likewise, but all wakeups come from the next CPU, and are asked for */
	WORLD_MOVING, /* every 64 switches a copy goes on to the next CPU */
	/* as apart, but the same thread of all copies has one sum, as no thread has */
	WORLD_ONE_KEY,
	WORLD_LAYOUTS,
};

struct switch_world;

/* NULL: no memory, or its addresses, which are always the same ones, are taken. */
struct switch_world *switch_world__new(const struct switch_stream *stream, __u32 cpus,
				       enum world_layout layout, __u64 period_ns);
void switch_world__free(struct switch_world *w);

/* One pass of all copies, in the order of their times, by the calling thread. */
void switch_world__pass(struct switch_world *w);

/*
 * One pass of one copy, on its CPU, while other threads run others; not with WORLD_MOVING and
 * WORLD_WOKEN. Without `hooks` everything happens but our programs.
 */
void switch_world__pass_of(struct switch_world *w, __u32 copy, _Bool hooks);

/* What all CPUs counted, and the sum of blocked_ns + runq_ns in the table of waits. */
__u64 switch_world__switches(const struct switch_world *w);
__u64 switch_world__lost(const struct switch_world *w);
__u64 switch_world__chosen(const struct switch_world *w);
__u64 switch_world__listed_ns(const struct switch_world *w);
__u64 switch_world__waited_ns(const struct switch_world *w);

/* What is given to line_model__add(), by the names of a table that ends with NULL. */
extern const char *const switch_world_regions[];
void switch_world__show_lines(const struct switch_world *w);

#endif
