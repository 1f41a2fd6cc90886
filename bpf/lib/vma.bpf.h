/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_VMA_BPF_H
#define LIB_VMA_BPF_H

/*
 * A mapping, from its struct vm_area_struct. It is read without a lock: the result is correct if
 * the struct still is a mapping of `mm`, and a fingerprint tells whether it has changed.
 */
#include "lib/kernel/kernel_word.bpf.h"
#include "lib/maps.bpf.h"

#define KERNEL_FIELD(type, addr, field) kernel_peek((u64) & ((const type *)(addr))->field)
#define VMA_WORD(vma, field) KERNEL_FIELD(struct vm_area_struct, vma, field)

/*
 * A number that changes when the mappings of `mm`, the running thread's, do. Before 6.4 there is no
 * count of changes; the substitute misses a library that is reopened elsewhere.
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

/* Whether the kernel marks what is no longer a mapping. Then it counts changes, too. */
static __always_inline bool vmas_are_marked(void)
{
	return bpf_core_field_exists(struct vm_area_struct, detached) ||
	       bpf_core_field_exists(struct vm_area_struct, vm_refcnt);
}

/* How long mappings of one version are trusted without another check. */
static __always_inline u64 maps_believed_ns(void)
{
	return (vmas_are_marked() ? 100 : 10) * 1000 * 1000ULL;
}

/*
 * A number that stays the same while the struct is the same mapping of `mm`, of the same file; 0:
 * it is not. In mapping.bpf.c, a global function, because the stack on 6.1 has no room for it.
 */
u64 vma_print(u64 vma, u64 mm);

/* Combines several fingerprints, in their order. */
static __always_inline u64 vma_prints_add(u64 prints, u64 print)
{
	return (prints ^ print) * 0x9e3779b97f4a7c15ULL;
}

#endif
