/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_HOST_WALK_H
#define UNWIND_HOST_WALK_H

#include "abi/stack.h"
#include "base/types.h"
#include "unwind/rules.h"
#include "unwind/table.h"

/*
 * Walks up the user stack of a blocked thread of which only the stack pointer and the instruction
 * are known, as in /proc/PID/syscall. The rules are those of bpf/unwind.bpf.c. What is new is the
 * frame pointer: it is unknown until an inner frame turns out to have saved it. If a rule needs it
 * before that, it is searched on the stack: a place is taken if the walk from there gets to the
 * outermost frame, through return addresses that all follow a call.
 */

/* Code at an address. */
struct host_code {
	u64 start; /* [start, end) */
	u64 end;
	u64 off; /* of `start` in the file */
	const struct table *table; /* NULL: none */
	bool is_file; /* else it is memory, such as JIT-compiled code */
	bool keeps_fp; /* code without a row keeps frame pointers; always so in memory */
	u32 id; /* the caller's */
};

struct host_memory {
	/* Copies memory of the process; false if not all of it can be read. */
	bool (*read)(void *arg, u64 addr, void *buf, size_t sz);
	/* The code at an address; false if there is none. */
	bool (*code)(void *arg, u64 addr, struct host_code *ret);
	void *arg;
};

struct host_frame {
	u64 ip;
	u64 off; /* of the instruction in the file, or its address in memory */
	u32 id; /* host_code.id */
	bool found; /* there is code */
	bool is_file;
	bool exact; /* not a return address */
};

struct host_stack {
	u32 len;
	u32 gap; /* as cs_stack.gap: 0, or the number of frames that are certain */
	u32 end; /* enum cs_stack_end */
	struct host_frame frame[CS_STACK_MAX]; /* leaf first */
};

/* `limit` frames at most, up to CS_STACK_MAX. */
void host_walk(const struct rules *rules, const struct host_memory *mem, u64 ip, u64 sp, u32 limit,
	       struct host_stack *ret);

#endif
