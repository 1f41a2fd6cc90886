/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_PATH_BPF_H
#define LIB_PATH_BPF_H

#include "lib/maps.bpf.h"

/* Names of a path that are read, mount points not counted twice; more is cut off at the root. */
#define PATH_DEPTH 20

/*
 * One name, or one step over a mount point. Returns 0 to go on. A global function, in path.bpf.c:
 * the verifier reads it once and not for every name.
 */
int path_up(struct path_walk *p);

/*
 * The names from the file up to the root of its mount namespace, leaf first, each with its NUL. It
 * is read without locks, and a name or directory that is moved meanwhile may be in it by its old
 * name and its new place: who opens the path looks whether it leads to the file, and of an object
 * it is only shown.
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
