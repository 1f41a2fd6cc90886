/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_OBJECT_OBJECT_FILE_BPF_H
#define LIB_OBJECT_OBJECT_FILE_BPF_H

/* Files that are objects, or contain them: by descriptor, and their path. */
#include "lib/kernel/kernel_file.bpf.h"
#include "lib/path.bpf.h"

/* The root of an incomplete path. */
static const char elsewhere[] = "...";

/*
 * Where the file system of an inode that is not open here may be mounted: that of the thread's
 * working directory, or of its root. 0: it is mounted elsewhere.
 */
static __always_inline u64 mount_of_dentry(const struct object_probe *s, const struct dentry *d)
{
	const struct task_struct *task = (const void *)s->task;
	const struct super_block *sb = BPF_CORE_READ(d, d_sb);
	const struct fs_struct *fs = BPF_CORE_READ(task, fs);
	const struct vfsmount *mnt = BPF_CORE_READ(fs, pwd.mnt);

	if (BPF_CORE_READ(mnt, mnt_sb) == sb)
		return (u64)mnt;
	mnt = BPF_CORE_READ(fs, root.mnt);
	return BPF_CORE_READ(mnt, mnt_sb) == sb ? (u64)mnt : 0;
}

/* By any of its names. */
static __always_inline void find_path(const struct object_probe *s, struct path_walk *p)
{
	const struct dentry *d =
		(const void *)s->dentry - bpf_core_field_offset(struct dentry, d_u.d_alias);
	struct file *file = (struct file *)s->file;
	u64 mnt;

	p->off = 0;
	if (!file && !s->dentry)
		return;
	mnt = file ? (u64)BPF_CORE_READ(file, f_path.mnt) : mount_of_dentry(s, d);
	read_path_from(file ? (u64)BPF_CORE_READ(file, f_path.dentry) : (u64)d, mnt, p);
	if (!mnt && p->off <= CS_PATH_SZ - sizeof(elsewhere)) {
		bpf_probe_read_kernel(p->path + p->off, sizeof(elsewhere), elsewhere);
		p->off += sizeof(elsewhere);
	}
}

/* As many complete names of the path as fit. */
static __always_inline void tell_path(const struct object_probe *s, struct cs_object *o)
{
	u32 which = s->walker, len;
	struct path_walk *p = bpf_map_lookup_elem(&path_walks, &which);

	if (!p)
		return;
	find_path(s, p);
	len = p->off;
	if (len > CS_OBJECT_PATH_SZ)
		len = CS_OBJECT_PATH_SZ;
	barrier_var(len);
	if (len > CS_OBJECT_PATH_SZ)
		return;
	if (!bpf_probe_read_kernel(o->path, len, p->path))
		o->path_len = len;
}

#endif
