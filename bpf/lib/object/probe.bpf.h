/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_OBJECT_PROBE_BPF_H
#define LIB_OBJECT_PROBE_BPF_H

#include "lib/kernel/kernel.bpf.h"

#include "abi/object.h"

/* Bytes of a program's memory that may be needed to identify an object. */
#define SIGHT_SZ 32

/* What is known about an object on the way to its id. */
struct object_probe {
	u64 task; /* kernel pointers are numbers to the verifier */
	u64 regs; /* user registers */
	u64 kstack; /* id of the kernel stack; 0: unknown. Set by the caller */
	u64 arg[3];
	u64 sp; /* of the user stack */
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
	u32 memory[SIGHT_SZ / 4]; /* from probe_address() on */
	u64 lock; /* kernel lock that it sleeps for, whatever the call is; 0: none */
	u64 file; /* struct file */
	u64 dentry; /* if `file` is 0: the same file, without how it was opened */
	u64 sock; /* struct sock */
	struct cs_object_key key;
	struct cs_object fresh;
};

#endif
