/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* One step up the path of a file. */
#include "lib/path.bpf.h"

#define NAME_SZ 64

static __always_inline struct mount *mount_of(struct vfsmount *mnt)
{
	return (void *)mnt - bpf_core_field_offset(struct mount, mnt);
}

__noinline int path_up(struct path_walk *p)
{
	struct dentry *d, *parent;
	struct vfsmount *mnt;
	struct mount *m;
	u32 off;
	long n;

	if (!p)
		return 1;
	d = (struct dentry *)p->dentry;
	mnt = (struct vfsmount *)p->mnt;
	off = p->off;
	parent = BPF_CORE_READ(d, d_parent);
	if (d == BPF_CORE_READ(mnt, mnt_root) || d == parent) {
		m = mount_of(mnt);
		p->dentry = (u64)BPF_CORE_READ(m, mnt_mountpoint);
		p->mnt = (u64)BPF_CORE_READ(m, mnt_parent) +
			 bpf_core_field_offset(struct mount, mnt);
		return p->mnt == (u64)mnt;
	}
	if (off > CS_PATH_SZ - NAME_SZ)
		return 1;
	n = bpf_probe_read_kernel_str(p->path + off, NAME_SZ, BPF_CORE_READ(d, d_name.name));
	if (n <= 0 || n > NAME_SZ)
		return 1;
	p->off = off + n;
	p->dentry = (u64)parent;
	return 0;
}
