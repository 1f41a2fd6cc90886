/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIGHT_BPF_H
#define LIB_SIGHT_BPF_H

#include "lib/kernel.bpf.h"

#include "abi/object.h"

/* Bytes of a program's memory that may be needed to tell what it waits for. */
#define SIGHT_SZ 32

/* What is known of an object that a thread waits for, on the way to its id. */
struct object_sight {
	u64 task; /* kernel pointers are numbers to the verifier */
	u64 mm;
	u64 arg[3];
	u64 image;
	u32 tgid; /* in the profiler's namespace */
	u32 call; /* enum cs_call */
	u32 walker; /* which of maple_nodes to use */
	u32 has_memory;
	u32 memory[SIGHT_SZ / 4]; /* from sight_address() on */
	u64 lock; /* of the kernel's, that it sleeps for whatever the call is; 0: none */
	u32 lock_kind; /* enum cs_lock */
	u32 pad;
	u64 file; /* struct file */
	u64 dentry; /* where `file` is 0: the same file without the way it was opened */
	u64 sock; /* struct sock */
	struct cs_object_key key;
	struct cs_object fresh;
};

#endif
