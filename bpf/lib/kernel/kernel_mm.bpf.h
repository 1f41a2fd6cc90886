/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_KERNEL_KERNEL_MM_BPF_H
#define LIB_KERNEL_KERNEL_MM_BPF_H

/* The part of lib/kernel.bpf.h about memory and files; see there. */
#include <linux/types.h>

#include "lib/kernel/kernel_lock.bpf.h"

#define VM_EXEC 0x4 /* include/linux/mm.h, all */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct qstr {
	__u32 len;
	const unsigned char *name;
};

struct super_block {
	__u32 s_dev; /* all */
	unsigned long s_magic;
};

struct address_space {
	struct inode *host; /* all */
	struct rw_semaphore i_mmap_rwsem;
	struct rw_semaphore invalidate_lock; /* 5.15+ */
};

struct hlist_node {
	struct hlist_node *next;
};

struct hlist_head {
	struct hlist_node *first;
};

struct pipe_inode_info {
	struct mutex mutex; /* all */
};

struct inode {
	unsigned short i_mode;
	struct rw_semaphore i_rwsem; /* all */
	struct hlist_head i_dentry; /* in an unnamed union; all */
	struct address_space i_data;
	struct pipe_inode_info *i_pipe; /* likewise; of a pipe */
	unsigned long i_ino;
	__u32 i_generation;
	struct super_block *i_sb;
	void *i_private;
	struct file_lock_context *i_flctx; /* NULL: it never had a file lock; all */
	long long i_size; /* all */
};

struct dentry {
	struct dentry *d_parent;
	union {
		struct hlist_node d_alias; /* all */
	} d_u;
	struct qstr d_name;
	struct super_block *d_sb;
};

struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb; /* all */
};

struct mount { /* fs/mount.h; all */
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	unsigned int f_mode; /* bit 0: may be read, bit 1: written; all */
	struct inode *f_inode;
	const void *f_op;
	void *private_data;
	struct mutex f_pos_lock; /* all; since 6.10 in an unnamed union */
	struct path f_path; /* all; since 6.14 in an unnamed union */
	long long f_pos; /* all */
};

struct fs_struct {
	struct path root; /* all */
	struct path pwd;
};

typedef struct {
	int counter; /* all */
} atomic_t;

typedef struct refcount_struct {
	atomic_t refs; /* all */
} refcount_t;

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	struct mm_struct *vm_mm;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file *vm_file;
	const void *vm_ops; /* NULL: plain memory */
	_Bool detached; /* 6.4 to 6.14 */
	refcount_t vm_refcnt; /* 6.15+; 0: detached */
};

typedef struct {
	unsigned long pte; /* x86 and arm64, all */
} pte_t;

struct vm_fault { /* on the stack of who handles it; begins with an unnamed struct */
	struct vm_area_struct *vma;
	unsigned long pgoff; /* in the file, in pages */
	unsigned long address; /* of the page */
	unsigned long real_address; /* 5.18+ */
	pte_t orig_pte; /* 0: nothing was there; in an unnamed union; all */
};

struct maple_tree {
	void *ma_root; /* 6.1+ */
};

typedef struct {
	unsigned int sequence; /* all */
} seqcount_t;

typedef struct {
	void *vdso; /* x86 and arm64, all */
} mm_context_t;

struct mm_struct {
	struct maple_tree mm_mt; /* 6.1+, d4af56c5c7c6 "mm: start tracking VMAs with maple tree" */
	unsigned long exec_vm; /* pages of executable mappings; all */
	unsigned long arg_start; /* of argv[0], all */
	struct file *exe_file; /* all */
	mm_context_t context;
	struct rw_semaphore mmap_lock; /* all */
	/* Counts the times that mmap_lock was held for writing; 6.4+, 5e31275cc997. */
	int mm_lock_seq;
};

struct mm_struct___6_13 { /* eb449bd96954 "mm: convert mm_lock_seq to a proper seqcount" */
	seqcount_t mm_lock_seq;
};

#pragma clang attribute pop

#endif
