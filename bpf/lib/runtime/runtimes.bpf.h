/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_RUNTIME_RUNTIMES_BPF_H
#define LIB_RUNTIME_RUNTIMES_BPF_H

/*
 * Where a walk asks the readers of interpreters: a line for each. The flags of a mapping say whose
 * code it is (enum cs_module_flag): user space sets them for a file, runtime_of_memory() for
 * memory. The other half of a reader is its row in src/capture/runtime/.
 */
#include "lib/runtime/java.bpf.h"
#include "lib/runtime/python.bpf.h"

/* Before a walk. */
static __always_inline void runtimes_reset(struct user_walk *w)
{
	python_reset(w);
	java_reset(w);
}

/*
 * Before a native frame is added: adds the frames of functions that an interpreter's loop runs
 * there. `off` is the frame's place in the file of w->map. As python_frames().
 */
static __always_inline int runtime_interleave(struct user_walk *w, u64 off)
{
	return w->map.flags & CS_MODULE_PYTHON ? python_frames(w, off) : WALK_ON;
}

/*
 * The number of a frame in memory without a file: its address, or the function that an interpreter
 * runs there. As java_frame().
 */
static __always_inline int runtime_frame(struct user_walk *w, u64 *ret)
{
	int r = WALK_ON;

	*ret = w->ip;
	if (w->map.flags & CS_MODULE_JAVA) {
		r = java_frame(w);
		if (w->java.code)
			*ret = cs_pc_code(w->java.code, 0);
	}
	return r;
}

#endif
