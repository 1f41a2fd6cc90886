/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_GO_GO_LAYOUT_H
#define ASYNC_GO_GO_LAYOUT_H

#include <string.h>

#include "async/go/go_program.h"
#include "async/task/task_home.h"
#include "async/task/task_memory.h"
#include "base/arena.h"

/*
 * Where a live Go process keeps its goroutines: runtime.allgs, and the fields of a g. Nothing is
 * taken from the version alone: each offset is checked on the goroutines that exist.
 * Sources: runtime/runtime2.go of Go 1.18 to 1.26; runtime/proc.go for allgs.
 */

/* Offsets in a g that all versions share. */
#define GO_G_STACK_LO 0
#define GO_G_STACK_HI 8
#define GO_G_SP 56
#define GO_G_PC 64
#define GO_G_SELF 72
/* As much of a g as is ever read. */
#define GO_G_MAX 512

/* runtime.g.atomicstatus without the bit of a scan. */
enum go_status {
	GO_IDLE = 0,
	GO_RUNNABLE = 1,
	GO_RUNNING = 2,
	GO_SYSCALL = 3,
	GO_WAITING = 4,
	GO_DEAD = 6,
	GO_COPYSTACK = 8,
	GO_PREEMPTED = 9,
	GO_SCAN = 0x1000,
};

/* A slice of Go. One with more than GO_LIST_MAX elements is not that of all goroutines. */
struct go_slice {
	u64 ptr;
	u64 len;
	u64 cap;
};

#define GO_LIST_MAX (1UL << 24)

/* The word at an offset of a g. */
static inline u64 go_word(const u8 *g, u32 off)
{
	u64 w;

	memcpy(&w, g + off, sizeof(w));
	return w;
}

struct go_shape {
	u32 bp; /* gobuf.bp: the frame pointer of one that does not run */
	u32 status;
	u32 goid;
	u32 reason;
	u32 call_sp; /* syscallsp, before syscallpc; 0: entersyscall() saves the frame pointer */
};

struct go_layout {
	struct go_shape shape;
	u32 start; /* offset of startpc: the function of the go statement */
	u32 sz; /* bytes of a g that hold all of these */
	const struct gopclntab *functions; /* of the program; borrowed */
	u64 bias; /* from link-time addresses to those of the process */
	u64 all; /* address of the slice */
	const char **reasons; /* by number; in the arena */
	u32 reasons_len; /* 0: not found */
	u64 count; /* goroutines in the list when it was found, dead or not */
	struct arena strings;
};

/*
 * Finds it all in the memory of a process; also its version, if `g` does not have it. `g` must
 * outlive it. -EAGAIN: the runtime has not started yet; -ENOTSUP with a sentence: what is there is
 * not as expected; -ENOMEM. Free with go_layout__done() if 0.
 */
int go_layout__find(struct go_layout *l, struct go_program *g, struct task_memory *mem,
		    const struct task_home *home, struct err *err);
/* NULL and all zero are fine. */
void go_layout__done(struct go_layout *l);
/* "chan receive"; NULL: not known. */
const char *go_layout__reason(const struct go_layout *l, u32 reason);

#endif
