/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_MAPPING_BPF_H
#define LIB_MAPPING_BPF_H

#include <bpf/bpf_core_read.h>

#include "lib/kernel.bpf.h"
#include "lib/maps.bpf.h"

#define NSEC_PER_MSEC 1000000ULL

/*
 * A number that changes when the mappings of `mm`, the running thread's, do. Before 6.4 nothing
 * counts each change: what stands for it there misses a library that is opened again elsewhere.
 */
static __always_inline u64 maps_version(const struct mm_struct *mm)
{
	const struct mm_struct___6_13 *newer = (const void *)mm;

	if (bpf_core_field_exists(struct mm_struct___6_13, mm_lock_seq))
		return newer->mm_lock_seq.sequence;
	if (bpf_core_field_exists(struct mm_struct, mm_lock_seq))
		return (u32)mm->mm_lock_seq;
	return mm->exec_vm;
}

/* How long what was read of mappings of one version is believed without another look. */
static __always_inline u64 maps_believed_ns(void)
{
	if (bpf_core_field_exists(struct mm_struct, mm_lock_seq) ||
	    bpf_core_field_exists(struct mm_struct___6_13, mm_lock_seq))
		return 100 * NSEC_PER_MSEC;
	return 10 * NSEC_PER_MSEC;
}

/*
 * The place in a file of memory that is mapped from it, or is cleared memory right behind what is
 * mapped from it, as static variables without a value are: counted on from there. *ret_key: the
 * file; ino 0: there is none. `walker`: which of maple_nodes to use. Global functions give no more
 * than numbers.
 */
u64 map_file_place(u64 mm, u64 addr, u32 walker, struct cs_module_key *ret_key);

#endif
