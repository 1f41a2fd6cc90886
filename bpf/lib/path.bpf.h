/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_PATH_BPF_H
#define LIB_PATH_BPF_H

#include "lib/maps.bpf.h"

/*
 * Maximum number of names in a path, mount points not counted twice; longer paths are cut at the
 * root.
 */
#define PATH_DEPTH 20

/*
 * One name, or one step across a mount point. Returns 0 to continue. A global function, in
 * path.bpf.c: the verifier reads it once, not per name.
 */
int path_up(struct path_walk *p);

/*
 * The names from the file up to the root of its mount namespace, leaf first, each with its NUL.
 * They are read without locks, so a name or directory that is moved meanwhile may appear with its
 * old name and its new parent. Whoever opens the path checks that it leads to the file; for objects
 * it is only displayed.
 */
static __always_inline void read_path_from(u64 dentry, u64 mnt, struct path_walk *p)
{
	int i;

	p->dentry = dentry;
	p->mnt = mnt;
	p->off = 0;
	for (i = 0; i < PATH_DEPTH; i++)
		if (path_up(p))
			break;
}

static __always_inline void read_path(struct file *file, struct path_walk *p)
{
	read_path_from((u64)BPF_CORE_READ(file, f_path.dentry),
		       (u64)BPF_CORE_READ(file, f_path.mnt), p);
}

#endif
