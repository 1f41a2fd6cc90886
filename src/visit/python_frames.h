/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_PYTHON_FRAMES_H
#define VISIT_PYTHON_FRAMES_H

#include "abi/python.h"
#include "base/types.h"
#include "capture/runtime/python_codes.h"
#include "unwind/host_walk.h"
#include "visit/process.h"

/* A Python function on a stack. */
struct python_frame {
	u32 loop; /* index in host_stack.frame of the interpreter loop that runs it */
	u32 instr; /* in units of 2 bytes from its first instruction */
	u64 code; /* as from interpreted_code_of() */
};

struct python_frames {
	u32 len;
	struct python_frame frame[CS_STACK_MAX]; /* leaf first */
};

/*
 * Reads the Python functions on stacks of blocked threads, by the layouts of
 * capture/runtime/python_module.h and the rules of bpf/python.bpf.c. Not thread-safe.
 */
struct python_reader {
	struct python_codes codes; /* names and lines of functions, until they are given */
	struct python_frames frames; /* of the last stack */
	u64 unread; /* stacks whose Python functions could not all be read */
};

/* -ENOMEM or 0. */
int python_reader__init(struct python_reader *r);
/* NULL is fine. */
void python_reader__done(struct python_reader *r);
/*
 * Fills r->frames for a stack that process__walk() has read of the thread; it is empty if there is
 * no interpreter loop on the stack. A stack that would get deeper than CS_STACK_MAX is cut, with
 * CS_END_DEPTH. p->image is what names belong to. -ENOMEM or 0.
 */
int python_reader__read(struct python_reader *r, struct process *p, u32 tid, struct host_stack *s);

#endif
