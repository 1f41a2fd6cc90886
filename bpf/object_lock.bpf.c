/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* What a kernel lock is part of: its address shows it, if the surrounding memory matches. */
#include "lib/object/object_file.bpf.h"
#include "lib/object/object_lock.bpf.h"

static const char symbol_format[] = "%pS";

/*
 * Whether the lock is in the `sz` bytes at `at`. With PREEMPT_RT it is part of what has the name.
 */
static __always_inline bool lock_is_in(const struct object_probe *s, u64 at, u32 sz)
{
	return s->lock - at < sz;
}

static __always_inline bool see_mmap_lock(struct object_probe *s)
{
	const struct task_struct *task = (const void *)s->task;
	const struct mm_struct *mm = BPF_CORE_READ(task, mm);

	if (!mm || !lock_is_in(s, (u64)mm + bpf_core_field_offset(mm->mmap_lock),
			       bpf_core_field_size(mm->mmap_lock)))
		return false;
	s->key.role = CS_LOCK_OF_MM;
	s->key.image = s->image;
	return true;
}

static __always_inline void see_lock_of(struct object_probe *s, const struct inode *inode, u8 part)
{
	s->key.role = part;
	s->key.at = BPF_CORE_READ(inode, i_ino);
	s->key.dev = BPF_CORE_READ(inode, i_sb, s_dev);
}

/* Locks inside an open file: one for its position, and for a pipe one for everything. */
static __always_inline bool see_fd_lock(struct object_probe *s)
{
	struct file *file =
		s->call == CS_CALL_FD ? file_of_fd((struct task_struct *)s->task, s->arg[0]) : NULL;
	struct inode *inode;
	u64 pipe;

	s->file = (u64)file;
	s->dentry = 0;
	if (!file)
		return false;
	inode = BPF_CORE_READ(file, f_inode);
	if (lock_is_in(s, (u64)file + bpf_core_field_offset(file->f_pos_lock),
		       bpf_core_field_size(file->f_pos_lock))) {
		see_lock_of(s, inode, CS_LOCK_OF_POS);
		return true;
	}
	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) != S_IFIFO)
		return false;
	pipe = (u64)BPF_CORE_READ(inode, i_pipe);
	if (!lock_is_in(s, pipe + bpf_core_field_offset(struct pipe_inode_info, mutex),
			bpf_core_field_size(struct pipe_inode_info, mutex)))
		return false;
	see_lock_of(s, inode, CS_LOCK_OF_PIPE);
	return true;
}

/* If the lock were this field of an inode, would that be an inode? Its pages point back to it. */
static __always_inline bool see_inode_lock(struct object_probe *s, u32 off, u8 part)
{
	const struct inode *inode = (const void *)(s->lock - off);
	const struct file *file = (const void *)s->file;

	if (BPF_CORE_READ(inode, i_data.host) != inode)
		return false;
	see_lock_of(s, inode, part);
	s->dentry = (u64)BPF_CORE_READ(inode, i_dentry.first);
	if (file && BPF_CORE_READ(file, f_inode) != inode)
		s->file = 0;
	return true;
}

/* With PREEMPT_RT it may be the rt_mutex in a rwsem. */
static __always_inline bool see_rwsem_of_inode(struct object_probe *s, u32 in_rwsem)
{
	u32 i_data = bpf_core_field_offset(struct inode, i_data);

	return see_inode_lock(s, bpf_core_field_offset(struct inode, i_rwsem) + in_rwsem,
			      CS_LOCK_OF_INODE) ||
	       see_inode_lock(s,
			      i_data + in_rwsem +
				      bpf_core_field_offset(struct address_space, i_mmap_rwsem),
			      CS_LOCK_OF_MAPPING) ||
	       see_inode_lock(s,
			      i_data + in_rwsem +
				      bpf_core_field_offset(struct address_space, invalidate_lock),
			      CS_LOCK_OF_PAGES);
}

__noinline int lock_see(struct object_probe *s)
{
	if (!s)
		return 0;
	s->key.kind = CS_OBJECT_LOCK;
	s->key.type = s->lock_kind;
	if (see_mmap_lock(s) || see_fd_lock(s))
		return 1;
	if (s->lock_kind == CS_LOCK_RWSEM && see_rwsem_of_inode(s, 0))
		return 1;
	if (s->lock_kind == CS_LOCK_RT && bpf_core_field_exists(struct rw_semaphore, rwbase) &&
	    see_rwsem_of_inode(s, bpf_core_field_offset(struct rw_semaphore, rwbase) +
					  bpf_core_field_offset(struct rwbase_rt, rtmutex)))
		return 1;
	s->key.at = s->lock;
	return 1;
}

/* Locks outside dynamically allocated objects are variables. */
static __always_inline void tell_symbol(const struct object_probe *s, struct cs_object *o)
{
	u64 addr = s->lock;
	long n = bpf_snprintf(o->path, CS_OBJECT_PATH_SZ, symbol_format, &addr, sizeof(addr));

	if (n > 0 && n <= CS_OBJECT_PATH_SZ)
		o->path_len = n;
}

__noinline int lock_tell(struct object_probe *s)
{
	struct cs_object *o;

	if (!s)
		return 0;
	o = &s->fresh;
	if (s->key.role == CS_LOCK_OF_NONE)
		tell_symbol(s, o);
	else if (s->key.role != CS_LOCK_OF_MM && s->key.role != CS_LOCK_OF_PIPE)
		tell_path(s, o);
	return 0;
}
