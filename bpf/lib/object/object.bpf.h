/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_OBJECT_OBJECT_BPF_H
#define LIB_OBJECT_OBJECT_BPF_H

/*
 * What a thread waits for in a system call, from its arguments: they are still there when it
 * resumes, so only chosen waits pay for it.
 */
#include "lib/maps.bpf.h"
#include "lib/regs.bpf.h"
#include "lib/stats.bpf.h"

/*
 * The address of the SIGHT_SZ bytes of the program's memory that are needed; 0: none. In
 * object.bpf.c, like the next one.
 */
u64 probe_address(const struct object_probe *s);
/*
 * Whether the thread handles a page fault. Then s->file is the file of the page, 0 for other
 * memory. In fault.bpf.c.
 */
int fault_see(struct object_probe *s);
/*
 * The child that a call of wait4() or waitid() is for, into s->key and s->child. 1, or 0 if
 * unknown. In child.bpf.c.
 */
int child_see(struct object_probe *s);
/* For a file of pidfs: s->file is a pidfd, `fd` its number. Likewise. */
int pidfd_see(struct object_probe *s, u32 fd);
/* The id of the object, which is added if new; 0: there is none. */
u32 object_find(struct object_probe *s);

/* Of the objects that are kept now, as of stacks: CS_OBJECT_SIDE or 0. */
static __always_inline u32 object_side(void)
{
	return control.salt & CS_STACK_SIDE ? CS_OBJECT_SIDE : 0;
}

/* What `kinds`, call_kinds or socket_calls, says of a system call; 0: nothing. */
static __always_inline u32 kind_of_call(const volatile __u8 *kinds, s16 sysno)
{
	u32 i = (u16)sysno;

	if (i >= CS_CALLS_LEN)
		return 0;
	barrier_var(i);
	return kinds[i & (CS_CALLS_LEN - 1)];
}

/* The memory that a probe is in, found again: to the verifier. */
static __always_inline struct scratch *probe_scratch(u32 walker)
{
	u32 zero = 0;

	/* No conditional expression: 6.1 takes no map that is one of two. */
	if (walker)
		return bpf_map_lookup_elem(&drain_scratch, &zero);
	return bpf_map_lookup_elem(&scratches, &zero);
}

/* First of all: the kernel lock that the wait is for; 0: none. */
static __always_inline void probe_lock(struct object_probe *s, u64 lock, u32 kind)
{
	s->lock = lock;
	s->lock_kind = kind;
}

/* False: there is no object. `owner` is the thread's process, `flags` are those of the wait. */
static __always_inline bool probe_begin(struct object_probe *s, struct task_struct *task,
					const struct pt_regs *regs, s16 sysno,
					const struct walk_owner *owner, u16 flags)
{
	s->call = kind_of_call(call_kinds, sysno);
	s->is_iowait = flags & CS_WAIT_IOWAIT;
	if (!s->call && !s->is_iowait && !s->lock)
		return false;
	s->is_early = cfg.resume == CS_RESUME_SWITCH_OUT;
	s->in_call = (s32)regs_raw_sysno(regs) >= 0;
	s->regs = (u64)regs;
	s->task = (u64)task;
	s->arg[0] = regs_arg(regs, 0);
	s->arg[1] = regs_arg(regs, 1);
	s->arg[2] = regs_arg(regs, 2);
	s->sp = regs->sp; /* both struct pt_regs and that of arm64 call it so */
	s->image = owner->image;
	s->tgid = owner->tgid;
	s->has_memory = 0;
	s->walker = 0;
	return true;
}

/* The same for a kernel thread: it is in no system call, so only a lock is known. */
static __always_inline bool probe_begin_kthread(struct object_probe *s, struct task_struct *task,
						const struct walk_owner *owner)
{
	if (!s->lock)
		return false;
	s->call = CS_CALL_NONE;
	s->is_iowait = 0;
	s->task = (u64)task;
	s->image = owner->image;
	s->tgid = owner->tgid;
	s->has_memory = 0;
	s->walker = 0;
	return true;
}

static __always_inline u32 object_of_kthread(struct object_probe *s, struct task_struct *task,
					     const struct walk_owner *owner)
{
	return probe_begin_kthread(s, task, owner) ? object_find(s) : 0;
}

/* Of the running thread, whose wait is a probe already. */
static __always_inline u32 object_of_probe(struct object_probe *s)
{
	u64 addr;

	if (s->call != CS_CALL_FD) {
		addr = probe_address(s);
		if (addr && !bpf_probe_read_user(s->memory, SIGHT_SZ, (const void *)addr))
			s->has_memory = 1;
	}
	return object_find(s);
}

static __always_inline u32 object_of_current(struct object_probe *s, struct task_struct *task,
					     const struct pt_regs *regs, s16 sysno,
					     const struct walk_owner *owner, u16 flags)
{
	return probe_begin(s, task, regs, sysno, owner, flags) ? object_of_probe(s) : 0;
}

#endif
