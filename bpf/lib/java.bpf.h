/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_JAVA_BPF_H
#define LIB_JAVA_BPF_H

/*
 * Methods that a HotSpot JVM interprets. Each has a frame of its own on the native stack, which
 * leads to the Method; the code that runs it is the same for all, and so is its name without this.
 */
#include "lib/walk.bpf.h"

/*
 * To be called in the present frame of a walk, when it is of a program in the map `javas` and in
 * memory without a file. Makes w->java.code the number of the method that it runs, or 0 when it
 * runs none; user space is told of one that is new. Enum walk_next: WALK_NEED: call it again, with
 * the memory; WALK_DONE: the frame could not be read, and the stack ends with it.
 */
int java_frame(struct user_walk *w);

/* Before a walk. */
static __always_inline void java_reset(struct user_walk *w)
{
	w->java.part = 0;
}

#endif
