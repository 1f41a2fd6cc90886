/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_GO_GO_STACK_H
#define ASYNC_GO_GO_STACK_H

#include "async/task/task_memory.h"
#include "base/types.h"
#include "unwind/host_walk.h"

struct go_shape;
struct gopclntab;

/* Bytes of a stack that are read at once, from its inner end. */
#define GO_STACK_BYTES 2048
#define GO_STACK_BYTES_MAX 65536

/* What of a stack was copied, and where it begins. */
struct go_stack_bytes {
	u64 sp;
	u64 hi; /* where the stack ends */
	size_t sz; /* bytes from `sp` on */
	const u8 *bytes;
};

/* Where the innermost function of a stack is. */
struct go_leaf {
	u64 pc;
	bool exact; /* not a return address */
};

/*
 * The frames of a goroutine that does not run, by frame pointers, which all code of Go keeps
 * (x86-64, since 1.7): leaf first, `limit` at most. Only ip and exact of a frame are set. Pure.
 * False: frame pointers lead out of the bytes that were copied, though the stack goes on there.
 */
bool go_stack__walk(const struct go_stack_bytes *s, u64 pc, u64 bp, u32 limit,
		    struct host_stack *ret);
/*
 * The frames of a goroutine in a system call that saved no frame pointer, by the sizes of frames
 * in the table of functions: `s` begins at the stack pointer of the leaf, `bias` is from link-time
 * addresses to those of the process. False: as above. A walk that does not come to
 * runtime.goexit inside of the stack leaves the leaf, with CS_END_REGISTER.
 */
bool go_stack__walk_sizes(const struct go_stack_bytes *s, const struct gopclntab *functions,
			  u64 bias, struct go_leaf leaf, u32 limit, struct host_stack *ret);
/* By frame pointers, of the goroutine `g`, whose fields were read; false: it cannot be read. */
bool go_stack__read(const struct go_shape *shape, struct task_memory *mem, const u8 *g,
		    struct host_stack *ret);

#endif
