/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * The holder of a file lock. The kernel lists the held locks of each kind in the inode. The
 * waiter's own lock is on its kernel stack, and nothing that we can reach points to it. So its
 * request is taken from the arguments of its call, and the first held lock that conflicts with it
 * is the owner's, as in the kernel (fs/locks.c: flock_locks_conflict(), posix_locks_conflict()).
 *
 * A lock of a process has the PID of that process. A lock of an open file, as of flock() and with
 * F_OFD_SETLKW, has the PID of the process that took it, which may have passed the descriptor on.
 *
 * Everything is read without locks. A lock that is freed meanwhile may lead into the list of
 * another file, so each must be for the same inode.
 */
#include "lib/file_lock.bpf.h"
#include "lib/kernel/kernel_file.bpf.h"
#include "lib/kernel/kernel_flock.bpf.h"

#include "abi/object.h"

/* Only so many held locks of a file are checked. */
#define HELD_MAX 32

struct file_request {
	u64 head; /* the list of held locks */
	u64 link; /* the next one */
	u64 file;
	u64 inode;
	u64 owner; /* this owner's locks do not conflict with it */
	s64 start;
	s64 end; /* the last byte; both only for locks of parts */
	u32 is_write;
	u32 is_flock;
	u32 found; /* conflicting locks */
	s32 pid; /* of the first one */
};

struct held_lock {
	u64 file;
	u64 owner; /* who does not conflict with it */
	s32 pid;
	u32 type;
};

/* Split in 6.9: a69ce85ec9af ("filelock: split common fields into struct file_lock_core"). */
static __always_inline u64 lock_of_link(u64 link)
{
	if (bpf_core_field_exists(struct file_lock, c))
		return link - bpf_core_field_offset(struct file_lock, c.flc_list);
	return link - bpf_core_field_offset(struct file_lock, fl_list);
}

static __always_inline void read_held(const struct file_lock *fl, bool is_flock,
				      struct held_lock *ret)
{
	if (bpf_core_field_exists(fl->c)) {
		ret->file = (u64)BPF_CORE_READ(fl, c.flc_file);
		ret->owner = (u64)BPF_CORE_READ(fl, c.flc_owner);
		ret->pid = BPF_CORE_READ(fl, c.flc_pid);
		ret->type = BPF_CORE_READ(fl, c.flc_type);
	} else {
		ret->file = (u64)BPF_CORE_READ(fl, fl_file);
		ret->owner = (u64)BPF_CORE_READ(fl, fl_owner);
		ret->pid = BPF_CORE_READ(fl, fl_pid);
		ret->type = BPF_CORE_READ(fl, fl_type);
	}
	if (is_flock)
		ret->owner = ret->file;
}

static __always_inline bool conflicts(const struct file_request *r, const struct file_lock *fl,
				      const struct held_lock *held)
{
	if (held->owner == r->owner || (held->type != F_WRLCK && !r->is_write))
		return false;
	if (r->is_flock)
		return true;
	return BPF_CORE_READ(fl, fl_start) <= r->end && BPF_CORE_READ(fl, fl_end) >= r->start;
}

/* One lock of the list. 0 at the end of it, or if it is not one of this file. */
__noinline int file_lock_step(struct file_request *r)
{
	struct held_lock held = {};
	struct list_head *link;
	struct file_lock *fl;
	struct file *file;

	if (!r || !r->link || r->link == r->head)
		return 0;
	link = (struct list_head *)r->link;
	fl = (struct file_lock *)lock_of_link(r->link);
	read_held(fl, r->is_flock, &held);
	file = (struct file *)held.file;
	if (!file || (u64)BPF_CORE_READ(file, f_inode) != r->inode)
		return 0;
	if (conflicts(r, fl, &held) && !r->found++)
		r->pid = held.pid;
	r->link = (u64)BPF_CORE_READ(link, next);
	return 1;
}

/* The bytes that a struct flock of a program means, as flock64_to_posix_lock() computes them. */
static __always_inline void range_of(struct file_request *r, const struct user_flock *l)
{
	struct file *file = (struct file *)r->file;
	struct inode *inode = (struct inode *)r->inode;

	r->start = l->start;
	if (l->whence == SEEK_CUR)
		r->start += BPF_CORE_READ(file, f_pos);
	else if (l->whence == SEEK_END)
		r->start += BPF_CORE_READ(inode, i_size);
	r->end = l->len > 0 ? r->start + l->len - 1 : l->len < 0 ? r->start - 1 : OFFSET_MAX;
	if (l->len < 0)
		r->start += l->len;
}

/*
 * What the call asks for, and where the list of held locks begins. A global function, so that the
 * verifier reads the walk once and not for each kind of request.
 */
__noinline int file_lock_request(struct file_request *r, u64 task, u32 cmd,
				 const struct user_flock *l)
{
	struct task_struct *waiter = (struct task_struct *)task;
	struct file *file;
	struct inode *inode;
	struct list_head *head;
	u64 ctx;

	if (!r || !l)
		return 0;
	file = (struct file *)r->file;
	inode = BPF_CORE_READ(file, f_inode);
	r->inode = (u64)inode;
	ctx = (u64)BPF_CORE_READ(inode, i_flctx);
	if (!ctx)
		return 0;
	r->owner = r->file;
	r->is_flock = !!(cmd & CMD_OF_FLOCK);
	if (r->is_flock) {
		r->is_write = (cmd & ~(CMD_OF_FLOCK | LOCK_NB)) == LOCK_EX;
		r->head = ctx + bpf_core_field_offset(struct file_lock_context, flc_flock);
	} else {
		r->is_write = l->type == F_WRLCK;
		if (cmd == F_SETLKW)
			r->owner = (u64)BPF_CORE_READ(waiter, files);
		range_of(r, l);
		r->head = ctx + bpf_core_field_offset(struct file_lock_context, flc_posix);
	}
	head = (struct list_head *)r->head;
	r->link = (u64)BPF_CORE_READ(head, next);
	return 1;
}

static __always_inline u32 owner_of_request(struct file_request *r)
{
	int i;

	for (i = 0; i < HELD_MAX; i++)
		if (!file_lock_step(r))
			break;
	/* The server of a network file system holds locks for others, with other numbers. */
	if (!r->found || r->pid <= 0)
		return CS_OWNER_FILE_LOCK;
	return r->pid | CS_OWNER_FILE_LOCK | (r->found > 1 ? CS_OWNER_SEVERAL : 0);
}

__noinline u32 owner_of_file_lock(u64 task, u32 fd, u32 cmd, u64 at, const struct user_flock *l)
{
	struct user_flock asked = {};
	struct file_request r = {};

	if (!(cmd & CMD_OF_FLOCK)) {
		if (cmd != F_SETLKW && cmd != F_OFD_SETLKW)
			return 0;
		if (l)
			asked = *l;
		else if (bpf_probe_read_user(&asked, sizeof(asked), (const void *)at))
			return CS_OWNER_FILE_LOCK;
	}
	if (!task)
		task = bpf_get_current_task();
	r.file = (u64)file_of_fd((struct task_struct *)task, fd);
	if (!r.file || !file_lock_request(&r, task, cmd, &asked))
		return CS_OWNER_FILE_LOCK;
	return owner_of_request(&r);
}
