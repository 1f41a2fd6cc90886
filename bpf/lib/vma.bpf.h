/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_VMA_BPF_H
#define LIB_VMA_BPF_H

/*
 * What a struct vm_area_struct says of a mapping. It is read without a lock: what comes out is
 * right if it is a mapping of `mm` still, and a print of it tells whether it is what it was.
 */
#include "lib/kernel_word.bpf.h"
#include "lib/maps.bpf.h"

struct vma_facts {
	u64 start;
	u64 end;
	u64 off; /* in the file, bytes */
	u64 exec;
	u64 file; /* struct file, 0: none */
	u64 ino;
};

#define VMA_WORD(vma, field) kernel_peek((u64) & ((const struct vm_area_struct *)(vma))->field)

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

static __always_inline bool vma_is_detached(u64 vma)
{
	if (bpf_core_field_exists(struct vm_area_struct, vm_refcnt))
		return !(u32)VMA_WORD(vma, vm_refcnt);
	if (bpf_core_field_exists(struct vm_area_struct, detached))
		return VMA_WORD(vma, detached) & 1;
	return false;
}

/* False: it is no mapping of `mm`. */
static __always_inline bool vma_read(u64 vma, u64 mm, struct vma_facts *ret)
{
	u64 inode;

	if (VMA_WORD(vma, vm_mm) != mm || vma_is_detached(vma))
		return false;
	ret->start = VMA_WORD(vma, vm_start);
	ret->end = VMA_WORD(vma, vm_end);
	ret->off = VMA_WORD(vma, vm_pgoff) << cfg.page_bits;
	ret->exec = VMA_WORD(vma, vm_flags) & VM_EXEC;
	ret->file = VMA_WORD(vma, vm_file);
	ret->ino = 0;
	if (ret->file) {
		inode = kernel_peek((u64) & ((const struct file *)ret->file)->f_inode);
		ret->ino = kernel_peek((u64) & ((const struct inode *)inode)->i_ino);
	}
	return true;
}

static __always_inline u64 vma_print(const struct vma_facts *f)
{
	u64 h = f->start;

	h = (h ^ f->end) * 0x9e3779b97f4a7c15ULL;
	h = (h ^ f->off ^ f->exec) * 0xd6e8feb86659fd93ULL;
	h = (h ^ h >> 32 ^ f->file) * 0x9e3779b97f4a7c15ULL;
	h = (h ^ f->ino) * 0xd6e8feb86659fd93ULL;
	return h ^ h >> 32;
}

/* Prints of several, in their order. */
static __always_inline u64 vma_prints_add(u64 prints, u64 print)
{
	return (prints ^ print) * 0x9e3779b97f4a7c15ULL;
}

#endif
