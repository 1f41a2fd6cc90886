/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_MODULE_BPF_H
#define LIB_MODULE_BPF_H

/*
 * Mapped files. A file has a number in a trace; the first that meets it asks user space for its
 * unwind table, and to keep it open for its names.
 */
#include "lib/maps.bpf.h"

/* A file that is met for the first time, and where. Kernel pointers are numbers to the verifier. */
struct module_sight {
	struct cs_module_key key;
	u64 file; /* struct file */
	u64 vm_start;
	u64 vm_end;
	u32 tgid; /* in the profiler's namespace */
	u32 pad;
};

/*
 * Gives the file a number and announces it; returns the number, 0 when the table of modules is
 * full: counted. In module.bpf.c.
 */
u32 module_add(const struct module_sight *sight);

static __always_inline void module_key_of(struct file *file, struct cs_module_key *ret)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	ret->ino = BPF_CORE_READ(inode, i_ino);
	ret->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	ret->generation = BPF_CORE_READ(inode, i_generation);
}

/* The entry of a file, made at first sight; NULL when the table of modules is full. */
static __always_inline struct cs_module *module_see(struct file *file, u32 tgid, u64 vm_start,
						    u64 vm_end)
{
	struct module_sight sight = { .tgid = tgid, .vm_start = vm_start, .vm_end = vm_end };
	struct cs_module *module;

	module_key_of(file, &sight.key);
	module = bpf_map_lookup_elem(&modules, &sight.key);
	if (module)
		return module;
	sight.file = (u64)file;
	if (!module_add(&sight))
		return NULL;
	return bpf_map_lookup_elem(&modules, &sight.key);
}

/* User space puts it in before the trace starts. */
static __always_inline struct cs_module *module_of_vdso(void)
{
	struct cs_module_key key = {};

	return bpf_map_lookup_elem(&modules, &key);
}

#endif
