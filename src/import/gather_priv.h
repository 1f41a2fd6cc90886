/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_GATHER_PRIV_H
#define IMPORT_GATHER_PRIV_H

#include "import/gather.h"

/* Between gather.c, gather_stack.c and gather_finish.c. */

struct known_name {
	u32 str; /* in the builder; 0: the frame has no name */
	u32 hints;
	s32 sysno; /* -1: not the kernel's function of a system call */
};

struct held_frame {
	u32 name; /* in gather.names */
	u32 module;
	u32 file;
	u32 line;
	u32 side; /* enum gather_side */
	bool inlined;
	bool code;
	u64 addr;
	u64 name_off;
};

struct gathered_task {
	u32 comm;
	u32 tgid;
	u32 tid;
	u32 cgroup;
	u32 host; /* 0: there is only one */
	u32 group_comm; /* from here on no key; 0: as comm */
	u32 container; /* the first that is known */
	u32 last_comm; /* 0: as comm */
	u32 last_tgid; /* 0: as tgid */
	bool has_totals;
	bool has_user; /* a user stack was seen */
	bool is_forked; /* a kernel stack begins as those of kernel threads do */
	struct profile_task totals;
};

/* A stack in hand; indexes are root first. */
struct held_stack {
	bool leaf_first; /* as pushed */
	size_t len; /* without the frames of the tracer at the leaf */
	size_t split; /* the first kernel frame */
};

const struct held_frame *held_at(const struct gather *g, const struct held_stack *s, size_t i);
/* Sets `len` and `split`. */
void held_split(const struct gather *g, struct held_stack *s);
bool held_is_forked(const struct gather *g, const struct held_stack *s);
/* Likewise the system call; -1: none. */
s32 held_call(const struct gather *g, const struct held_stack *s);
/* State, system call, time and count of the wait. */
void held_fill(const struct gather *g, const struct held_stack *s, const struct gather_wait *w,
	       struct profile_wait *row);

#endif
