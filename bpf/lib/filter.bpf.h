/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_FILTER_BPF_H
#define LIB_FILTER_BPF_H

/*
 * Which threads are traced. The question is asked when a thread appears (start of the trace, birth,
 * a new name, a new cgroup), never at a switch: there, a thread that has a slot is traced, and one
 * that has none costs a lookup.
 */
#include "lib/maps.bpf.h"

#define MAX_PIDNS_LEVEL 32 /* include/linux/pid_namespace.h */
#define MAX_CGROUP_DEPTH 32

/* The number of `pid` in the profiler's namespace; 0 when it is not visible there. */
static __noinline u32 pid_in_namespace(struct pid *pid)
{
	u32 level, i;

	if (!pid)
		return 0;
	level = BPF_CORE_READ(pid, level);
	for (i = 1; i < MAX_PIDNS_LEVEL; i++) {
		struct upid upid;

		if (i > level)
			return 0;
		if (bpf_probe_read_kernel(&upid, sizeof(upid), &pid->numbers[i]))
			return 0;
		if (BPF_CORE_READ(upid.ns, ns.inum) == cfg.pidns_inum)
			return upid.nr;
	}
	return 0;
}

/*
 * Pointers of a task are read with the helper here and below, where nothing is hot: for each load
 * of one through a pointer that it trusts, the verifier looks through all of BTF (0.3 ms and more)
 * for what is said about that field, again on each path.
 */
static __always_inline u32 task_tid(struct task_struct *task)
{
	return cfg.pidns_inum ? pid_in_namespace(BPF_CORE_READ(task, thread_pid)) : (u32)task->pid;
}

static __always_inline u32 task_tgid(struct task_struct *task)
{
	return cfg.pidns_inum ? pid_in_namespace(BPF_CORE_READ(task, group_leader, thread_pid)) :
				(u32)task->tgid;
}

/* Is a cgroup, by its address, or one above it among those asked for? */
int cgroup_is_wanted(u64 cgroup);

static __always_inline bool cgroup_matches(struct task_struct *task)
{
	return cgroup_is_wanted((u64)BPF_CORE_READ(task, cgroups, dfl_cgrp));
}

static __always_inline bool target_matches(u32 tgid, u32 tid)
{
	u32 id = cfg.target == CS_TARGET_TIDS ? tid : tgid;

	return cfg.target == CS_TARGET_ALL || bpf_map_lookup_elem(&targets, &id);
}

/* `comm` is the name it has or is about to get. */
static __noinline bool comm_matches(const char *comm)
{
	char pattern[CS_COMM_LEN];

	__builtin_memcpy(pattern, (const void *)cfg.comm, sizeof(pattern));
	return comm && cs_glob_match(pattern, comm);
}

static __always_inline bool task_matches(struct task_struct *task, u32 tgid, u32 tid,
					 const char *comm)
{
	bool kthread = task->flags & PF_KTHREAD;

	if (!tid || !tgid || (u32)task->tgid == control.own_host_tgid)
		return false;
	if (kthread ? !cfg.kernel_threads : !cfg.user_threads)
		return false;
	if (!target_matches(tgid, tid))
		return false;
	if (cfg.by_cgroup && !cgroup_matches(task))
		return false;
	return !cfg.by_comm || comm_matches(comm);
}

/* Is a traced thread still one of those to be traced? Names are not asked again. */
static __always_inline bool task_stays(struct task_struct *task, const struct cs_task_record *rec)
{
	return target_matches(rec->tgid, rec->tid) && (!cfg.by_cgroup || cgroup_matches(task));
}

#endif
