/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_VMA_BPF_H
#define LIB_VMA_BPF_H

/*
 * What a struct vm_area_struct says of a mapping. It is read without a lock: what comes out is
 * right if it is a mapping of `mm` still, and a print of it tells whether it is what it was.
 */
#include "lib/kernel_word.bpf.h"
#include "lib/maps.bpf.h"

#define KERNEL_FIELD(type, addr, field) kernel_peek((u64) & ((const type *)(addr))->field)
#define VMA_WORD(vma, field) KERNEL_FIELD(struct vm_area_struct, vma, field)

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

/* Does the kernel mark what is no mapping any more? Then it counts changes, too. */
static __always_inline bool vmas_are_marked(void)
{
	return bpf_core_field_exists(struct vm_area_struct, detached) ||
	       bpf_core_field_exists(struct vm_area_struct, vm_refcnt);
}

/* How long what was read of mappings of one version is believed without another look. */
static __always_inline u64 maps_believed_ns(void)
{
	return (vmas_are_marked() ? 100 : 10) * 1000 * 1000ULL;
}

/*
 * A number that stays while the struct is the same mapping of `mm`, of the same file; 0: it is
 * none. In mapping.bpf.c, a global function: the stack of 6.1 has no room for what it reads.
 */
u64 vma_print(u64 vma, u64 mm);

/* Prints of several, in their order. */
static __always_inline u64 vma_prints_add(u64 prints, u64 print)
{
	return (prints ^ print) * 0x9e3779b97f4a7c15ULL;
}

#endif
