/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_SWITCH_WORLD_H
#define TESTS_LIB_SWITCH_WORLD_H

#include <linux/types.h>

#include "lib/switch_stream.h"

/*
 * CPUs that switch as recorded, and our programs on them: each CPU has a copy of the stream with
 * its own threads. One world at a time, because the programs have global maps and variables.
 */
#define WORLD_CPUS 64 /* at most */

enum world_layout {
	WORLD_APART = 0, /* a copy stays on its CPU */
	WORLD_WOKEN, /* likewise, but all wakeups come from the next CPU, and are traced */
	WORLD_MOVING, /* every 64 switches a copy moves to the next CPU */
	/* as apart, but the same thread of all copies has one sum, unlike in reality */
	WORLD_ONE_KEY,
	WORLD_LAYOUTS,
};

struct switch_world;

/* NULL: out of memory, or its fixed addresses are in use. */
struct switch_world *switch_world__new(const struct switch_stream *stream, __u32 cpus,
				       enum world_layout layout, __u64 period_ns);
void switch_world__free(struct switch_world *w);

/* One pass of all copies, in the order of their times, by the calling thread. */
void switch_world__pass(struct switch_world *w);

/*
 * One pass of one copy, on its CPU, while other threads run others; not with WORLD_MOVING and
 * WORLD_WOKEN. Without `hooks` everything runs except our programs.
 */
void switch_world__pass_of(struct switch_world *w, __u32 copy, _Bool hooks);

/* What all CPUs counted, and the sum of blocked_ns + runq_ns in the table of waits. */
__u64 switch_world__switches(const struct switch_world *w);
__u64 switch_world__lost(const struct switch_world *w);
__u64 switch_world__chosen(const struct switch_world *w);
__u64 switch_world__listed_ns(const struct switch_world *w);
__u64 switch_world__waited_ns(const struct switch_world *w);

/* The regions passed to line_model__add(), as a NULL-terminated list of names. */
extern const char *const switch_world_regions[];
void switch_world__show_lines(const struct switch_world *w);

#endif
