/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_RUNTIME_MEMORY_BPF_H
#define LIB_RUNTIME_MEMORY_BPF_H

#include "lib/maps.bpf.h"
#include "lib/walk.bpf.h"

/* The runtime of code without a file in the program of a walk: a line for each reader. */
static __always_inline u16 runtime_of_memory(struct user_walk *w)
{
	u64 image = w->image; /* 6.1 takes no argument of a global function as a key */

	return bpf_map_lookup_elem(&jvms, &image) ? CS_MODULE_JAVA : 0;
}

#endif
