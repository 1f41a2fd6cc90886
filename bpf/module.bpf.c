/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* First sights of mapped files. */
#include "lib/module.bpf.h"
#include "lib/stats.bpf.h"

#define EEXIST 17
/* Names of a path that are sent, mount points not counted twice; more is cut off at the root. */
#define PATH_DEPTH 20
#define NAME_SZ 64

static __always_inline struct mount *mount_of(struct vfsmount *mnt)
{
	return (void *)mnt - bpf_core_field_offset(struct mount, mnt);
}

/*
 * One name, or one step over a mount point. Returns 0 to go on. A global function: the verifier
 * reads it once and not for every name.
 */
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

/*
 * The names from the file up to the root of its mount namespace, leaf first, each with its NUL. It
 * is read without locks: whoever uses the path looks whether it leads to the file.
 */
static __always_inline void read_path(struct file *file, struct path_walk *p)
{
	int i;

	p->dentry = (u64)BPF_CORE_READ(file, f_path.dentry);
	p->mnt = (u64)BPF_CORE_READ(file, f_path.mnt);
	p->off = 0;
	for (i = 0; i < PATH_DEPTH; i++)
		if (path_up(p))
			break;
}

static __always_inline bool announce(const struct module_sight *sight, u32 id)
{
	struct cs_module_event *ev;
	struct path_walk *p;
	u32 zero = 0;

	p = bpf_map_lookup_elem(&path_walks, &zero);
	if (!p)
		return false;
	ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);
	if (!ev) {
		STAT_INC(module_event_lost);
		return false;
	}
	ev->kind = CS_EVENT_MODULE;
	ev->tgid = sight->tgid;
	ev->key = sight->key;
	ev->id = id;
	ev->vm_start = sight->vm_start;
	ev->vm_end = sight->vm_end;
	read_path((struct file *)sight->file, p);
	ev->path_len = p->off;
	__builtin_memcpy(ev->path, p->path, sizeof(ev->path));
	/* Its table is wanted, and the process may soon be gone. */
	bpf_ringbuf_submit(ev, BPF_RB_FORCE_WAKEUP);
	return true;
}

__noinline u32 module_add(const struct module_sight *sight)
{
	struct cs_module fresh = { .state = CS_MODULE_WANTED };
	struct cs_module_key key;
	long r;

	if (!sight)
		return 0;
	key = sight->key;
	fresh.id = __sync_fetch_and_add((u32 *)&control.next_module_id, 1);
	r = bpf_map_update_elem(&modules, &key, &fresh, BPF_NOEXIST);
	if (r == -EEXIST)
		return fresh.id; /* another CPU was faster; the number stays unused */
	if (r) {
		STAT_INC(modules_lost);
		return 0;
	}
	if (announce(sight, fresh.id))
		return fresh.id;
	/* The next one who meets it tries again. */
	bpf_map_delete_elem(&modules, &key);
	return 0;
}
