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
	u64 regs; /* user registers */
	u64 kstack; /* id of the kernel stack; 0: not known. For who begins the sight to set */
	u64 arg[3];
	u64 image;
	u32 tgid; /* in the profiler's namespace */
	u32 call; /* enum cs_call */
	u32 walker; /* which of maple_nodes and path_walks to use */
	u32 has_memory;
	u8 is_iowait; /* it waits for a disk */
	u8 is_early; /* it has not left the CPU yet */
	u8 in_call; /* it is in a system call */
	u8 lock_kind; /* enum cs_lock */
	u32 child; /* its number, if it is known; in the profiler's namespace */
	u32 memory[SIGHT_SZ / 4]; /* from sight_address() on */
	u64 lock; /* of the kernel's, that it sleeps for whatever the call is; 0: none */
	u64 file; /* struct file */
	u64 dentry; /* where `file` is 0: the same file without the way it was opened */
	u64 sock; /* struct sock */
	struct cs_object_key key;
	struct cs_object fresh;
};

#endif
