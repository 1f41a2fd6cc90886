/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_PROCESS_H
#define VISIT_PROCESS_H

#include "base/types.h"
#include "proc/maps.h"
#include "unwind/host_walk.h"
#include "visit/code_files.h"

#define PROCESS_WINDOW_SZ 16384

/* What was read last: a walk reads a stack word by word. */
struct memory_window {
	u64 addr;
	size_t sz;
	u8 bytes[PROCESS_WINDOW_SZ];
};

/*
 * The memory of a process that is not stopped: what a blocked thread left on its own stack does not
 * change while it is blocked. Not thread-safe.
 */
struct process {
	u32 tgid;
	u32 image; /* what its interpreted functions belong to; 0: none was met */
	u32 python_key; /* the pthread key of the thread state, as found last */
	struct maps maps; /* of code */
	struct maps all;
	u64 all_read_ns;
	u64 maps_read_ns; /* 0: never */
	bool maps_missed; /* an address was in none of them, though they were just read */
	bool denied; /* the kernel does not let us read its memory */
	struct code_files *files; /* borrowed */
	int error; /* -ENOMEM in a walk */
	struct memory_window *window; /* borrowed; several processes may share one */
};

void process__init(struct process *p, u32 tgid, struct code_files *files,
		   struct memory_window *window);
void process__done(struct process *p);
/*
 * Copies memory of the process as of now; false if not all of it can be read. process__forget()
 * must be called before what was read earlier may have changed.
 */
bool process__read(struct process *p, u64 addr, void *buf, size_t sz);
void process__forget(struct process *p);
/* The mapping at an address, or NULL. */
const struct map_range *process__range(struct process *p, u64 addr);
/*
 * The mapping of a file whose data contains an address, also what the file initialises with zeros
 * behind its end, and the offset in it as if it continued there. NULL: none does.
 */
const struct map_range *process__data(struct process *p, u64 addr, u64 *ret_off);
/* Fills in what code a frame is in, of which ip and exact are known. -ENOMEM or 0. */
int process__place(struct process *p, struct host_frame *f);
/* The stack of a blocked thread; host_frame.id is an index of code files. -ENOMEM or 0. */
int process__walk(struct process *p, u64 ip, u64 sp, u32 limit, struct host_stack *ret);

#endif
