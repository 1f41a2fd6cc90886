/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Which child a wait4() or waitid() was for, and which process a pidfd refers to. A child that
 * exited remains until its parent has taken its status, which is after the parent resumed.
 * Everything is read without locks.
 */
#include "lib/filter.bpf.h"
#include "lib/kernel/kernel_file.bpf.h"
#include "lib/object/object.bpf.h"
#include "lib/task.bpf.h"

/* include/linux/xarray.h; all without CONFIG_BASE_SMALL */
#define XA_BITS 6
#define XA_SLOTS (1 << XA_BITS)
#define XA_NODE_TAG 2
/* As many bits as a PID has. */
#define XA_LEVELS 6
/* Only the first children of a process are checked. */
#define CHILDREN_MAX 64

/* The struct pid for a PID in a namespace, like find_pid_ns(). */
static __always_inline u64 pid_of_number(struct pid_namespace *ns, u32 nr)
{
	u64 entry = (u64)BPF_CORE_READ(ns, idr.idr_rt.xa_head);
	int i;

	for (i = 0; i < XA_LEVELS; i++) {
		struct xa_node *node = (struct xa_node *)(entry - XA_NODE_TAG);
		u64 at = nr;

		/* A tree of one has it at the root, but that is number 0. */
		if ((entry & 3) != XA_NODE_TAG || entry <= 4096)
			break;
		at >>= BPF_CORE_READ(node, shift) & 63;
		if (!i && at >= XA_SLOTS)
			return 0;
		if (bpf_probe_read_kernel(&entry, sizeof(entry), &node->slots[at & (XA_SLOTS - 1)]))
			return 0;
	}
	return entry & 3 ? 0 : entry;
}

static __always_inline u64 task_of_pid(u64 pid)
{
	struct pid *p = (struct pid *)pid;
	u64 link = (u64)BPF_CORE_READ(p, tasks[0].first);

	return link ? link - bpf_core_field_offset(struct task_struct, pid_links) : 0;
}

/* The namespace that defines a task's PID. */
static __always_inline struct pid_namespace *namespace_of(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level);
	struct pid_namespace *ns = NULL;

	if (level < MAX_PIDNS_LEVEL)
		bpf_probe_read_kernel(&ns, sizeof(ns), &pid->numbers[level].ns);
	return ns;
}

/*
 * A global function, like child_of_any(): the verifier reads what follows once, not once per path.
 */
__noinline u64 child_of_number(u64 parent, u32 nr)
{
	u64 pid = pid_of_number(namespace_of((struct task_struct *)parent), nr);

	return pid ? task_of_pid(pid) : 0;
}

/* pidfd_pid(): a file of its own file system since 6.9, an anonymous one before. */
static __always_inline u64 child_of_file(struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	if (BPF_CORE_READ(inode, i_sb, s_magic) == PIDFS_MAGIC)
		return task_of_pid((u64)BPF_CORE_READ(inode, i_private));
	return task_of_pid((u64)BPF_CORE_READ(file, private_data));
}

struct children {
	u64 head;
	u64 at; /* struct list_head */
	u64 child; /* the last one seen */
	u64 other; /* the one seen before it; a counter would make every iteration different */
};

/* It has exited, with all its threads. */
static __always_inline bool is_over(struct task_struct *task)
{
	return task_has_ended(task) && BPF_CORE_READ(task, signal, nr_threads) <= 1;
}

/* For bpf_loop(), 5.17. */
static long see_next(u32 i, struct children *c)
{
	const u32 at = bpf_core_field_offset(struct task_struct, sibling);
	struct list_head *list = (struct list_head *)c->at;
	struct task_struct *task = (struct task_struct *)(c->at - at);

	if (!c->at || c->at == c->head)
		return 1;
	c->other = c->child;
	c->child = (u64)task;
	if (is_over(task)) {
		c->other = 0;
		return 1;
	}
	c->at = (u64)BPF_CORE_READ(list, next);
	return 0;
}

static __always_inline void children_of(struct task_struct *task, struct children *ret)
{
	ret->head = (u64)task + bpf_core_field_offset(struct task_struct, children);
	ret->at = (u64)BPF_CORE_READ(task, children.next);
}

/*
 * Of all children the one that exited, which is also the first one for the kernel, or the only one.
 * Threads have their own children: of other threads, only the main one's are checked.
 */
__noinline u64 child_of_any(u64 parent)
{
	struct task_struct *task = (struct task_struct *)parent;
	struct children c = {};

	children_of(task, &c);
	if (c.at == c.head)
		children_of(BPF_CORE_READ(task, group_leader), &c);
	bpf_loop(CHILDREN_MAX, see_next, &c, 0);
	return c.other ? 0 : c.child;
}

static __always_inline bool see_name(struct object_probe *s, u64 child)
{
	struct task_struct *task = (struct task_struct *)child;

	s->child = cfg.pidns_inum ? pid_in_namespace(BPF_CORE_READ(task, thread_pid)) :
				    (u32)BPF_CORE_READ(task, pid);
	return !BPF_CORE_READ_INTO(&s->key.peer, task, comm);
}

/* wait4() has one argument for both. */
static __always_inline u32 kind_of_id(const struct object_probe *s)
{
	s32 pid = s->arg[0];

	if (s->call == CS_CALL_WAITID)
		return s->arg[0];
	return pid > 0 ? CS_ID_PID : pid == -1 ? CS_ID_ALL : CS_ID_PGID;
}

static __always_inline u64 child_of(const struct object_probe *s, u32 kind, u32 number)
{
	struct task_struct *task = (struct task_struct *)s->task;

	switch (kind) {
	case CS_ID_ALL:
		return child_of_any(s->task);
	case CS_ID_PID:
		return child_of_number(s->task, number);
	case CS_ID_PIDFD:
		return child_of_file(file_of_fd(task, number));
	default:
		return 0;
	}
}

/*
 * Processes with the same name are one object: a build has thousands. Without a name, the object is
 * the argument of the call and its caller.
 */
static __always_inline void see_process(struct object_probe *s, u64 process, u32 family, u32 number)
{
	s->key.family = CS_ID_PID;
	if (process && see_name(s, process))
		return;
	s->key.family = family;
	s->key.image = s->image;
	s->key.number = number;
}

__noinline int child_see(struct object_probe *s)
{
	u32 kind, number;
	u64 child;

	if (!s)
		return 0;
	kind = kind_of_id(s);
	number = s->call == CS_CALL_WAITID ? s->arg[1] : s->arg[0];
	child = child_of(s, kind, number);
	if (kind == CS_ID_PGID && s->call != CS_CALL_WAITID)
		number = -number;
	else if (kind != CS_ID_PGID && kind != CS_ID_PIDFD)
		number = 0;
	s->key.kind = CS_OBJECT_CHILD;
	see_process(s, child, kind, number);
	return 1;
}

__noinline int pidfd_see(struct object_probe *s, u32 fd)
{
	if (!s)
		return 0;
	s->key.kind = CS_OBJECT_PIDFD;
	see_process(s, child_of_file((struct file *)s->file), CS_ID_ALL, fd);
	return 1;
}
