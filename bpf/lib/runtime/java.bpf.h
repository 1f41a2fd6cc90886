/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_RUNTIME_JAVA_BPF_H
#define LIB_RUNTIME_JAVA_BPF_H

/*
 * Methods that a HotSpot JVM interprets. Each has its own frame on the native stack, which leads to
 * the Method; the code that runs it is the same for all, so without this they would all have the
 * same name.
 */
#include "lib/walk.bpf.h"

/*
 * To be called in the current frame of a walk, if its program is in the map `jvms` and the frame
 * is in memory without a file. Sets w->java.code to the number of its method, or 0 if there is
 * none; a new one is sent to user space. Enum walk_next: WALK_NEED: call it again, with the memory;
 * WALK_DONE: the frame could not be read, and the stack ends with it.
 */
int java_frame(struct user_walk *w);

/* Before a walk. */
static __always_inline void java_reset(struct user_walk *w)
{
	w->java.part = 0;
}

#endif
