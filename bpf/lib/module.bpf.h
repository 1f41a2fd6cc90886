/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_MODULE_BPF_H
#define LIB_MODULE_BPF_H

/*
 * Mapped files. A file has a number in a trace; the first walk that sees it asks user space to
 * build its unwind table, and to keep it open for symbols.
 */
#include "lib/maps.bpf.h"

/* A file seen for the first time, and where. Kernel pointers are numbers to the verifier. */
struct module_sight {
	struct cs_module_key key;
	u64 file; /* struct file */
	u64 vm_start;
	u64 vm_end;
	u32 tgid; /* in the profiler's namespace */
	u32 pad;
};

#define NSEC_PER_SEC 1000000000ULL

/*
 * Numbers the file and reports it; returns the number, or 0 if there is no room for it or for the
 * event: counted. In module.bpf.c.
 */
u32 module_add(const struct module_sight *sight);
/* Reports it again under its number. */
u32 module_ask_again(const struct module_sight *sight, u32 id);

static __always_inline void module_key_of(struct file *file, struct cs_module_key *ret)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	ret->ino = BPF_CORE_READ(inode, i_ino);
	ret->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	ret->generation = BPF_CORE_READ(inode, i_generation);
}

/*
 * Creates the entry of a new file. One that could not be opened is requested again, because the
 * process in which it was seen may have exited, and this one has not.
 */
static __always_inline void module_see(struct file *file, const struct cs_module_key *key, u32 tgid,
				       u64 vm_start, u64 vm_end)
{
	struct module_sight sight = {
		.key = *key, .tgid = tgid, .vm_start = vm_start, .vm_end = vm_end
	};
	struct cs_module *module = bpf_map_lookup_elem(&modules, key);
	u32 now_s;

	if (module && module->state != CS_MODULE_GONE)
		return;
	sight.file = (u64)file;
	if (!module) {
		module_add(&sight);
		return;
	}
	now_s = bpf_ktime_get_ns() / NSEC_PER_SEC;
	if (module->used_s != now_s && module_ask_again(&sight, module->id))
		module->used_s = now_s;
}

/* So that the tables of other files are evicted first. */
static __always_inline void module_use(const struct cs_module_key *key, u32 now_s)
{
	struct cs_module *module = bpf_map_lookup_elem(&modules, key);

	if (module)
		module->used_s = now_s;
}

#endif
