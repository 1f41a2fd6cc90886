/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_KERNEL_KERNEL_BPF_H
#define LIB_KERNEL_KERNEL_BPF_H

/*
 * Everything of the kernel that we read: only these structs, only these fields. Offsets are
 * relocated at load (CO-RE), so order and the rest of each struct do not matter here. "all" means
 * 5.15 to 6.18, read in the sources; loaded and run on 6.18.
 */
#include <linux/types.h>
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

typedef __u8 u8;
typedef __s8 s8;
typedef __u16 u16;
typedef __s16 s16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;
typedef _Bool bool;
#define true 1
#define false 0
#ifndef NULL
#define NULL ((void *)0)
#endif

/* include/uapi/asm-generic/errno-base.h */
#define E2BIG 7
#define EEXIST 17

#define PF_EXITING 0x00000004 /* all */
#define PF_KTHREAD 0x00200000 /* include/linux/sched.h, all */
#define PF_IO_WORKER 0x00000010 /* 5.12+ */
#define MAX_RT_PRIO 100 /* include/linux/sched/prio.h, all */

#include "lib/kernel/kernel_mm.bpf.h"
#include "lib/kernel/kernel_pid.bpf.h"
#include "lib/kernel/kernel_regs.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct rq {
	u64 clock; /* ns, read on entry to __schedule(); all */
	u64 clock_task; /* without the time of interrupts and of the host, if known; all */
};

struct cfs_rq {
	struct rq *rq; /* CONFIG_FAIR_GROUP_SCHED; set for tasks of every class; all */
	int throttle_count; /* CONFIG_CFS_BANDWIDTH; groups from here up that are; all */
	/* ns that it was above zero and threads were there, 6.6+; ns of PELT's clock, 5.19+ */
	u64 throttled_clock_self_time;
	u64 throttled_clock_pelt_time;
};

struct sched_entity {
	struct cfs_rq *cfs_rq; /* CONFIG_FAIR_GROUP_SCHED; all */
	u64 exec_start; /* clock_task when sum_exec_runtime was brought up to date; all */
	u64 sum_exec_runtime; /* ns on a CPU; all */
	u64 prev_sum_exec_runtime; /* the same when it last got a CPU, in the fair class; all */
	u64 nr_migrations; /* all */
	unsigned char sched_delayed; /* asleep, and still on the run queue; 6.12+ */
};

struct sched_info { /* CONFIG_SCHED_INFO; all */
	unsigned long long run_delay; /* ns waited on run queues so far */
	unsigned long long last_arrival; /* rq clock when it last got a CPU */
	unsigned long long last_queued; /* rq clock when queued; 0: not queued */
};

struct kernfs_node {
	u64 id; /* 5.5+; the inode number of the directory */
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup; /* all */
	struct cgroup_subsys_state *parent; /* all */
};

struct cgroup_root {
	int hierarchy_id; /* 0 is version 2; all */
};

struct cgroup {
	struct cgroup_subsys_state self; /* all */
	struct kernfs_node *kn;
	struct cgroup_root *root; /* all */
};

struct css_set {
	struct cgroup *dfl_cgrp; /* cgroup v2; all */
};

struct signal_struct {
	atomic_t live; /* threads that have not begun to exit; all */
	int nr_threads; /* that were not reaped; all */
};

#if defined(__TARGET_ARCH_arm64)
struct thread_info {
	u64 preempt_count; /* the low half of it; 5.0+ */
};
#endif

struct bpf_local_storage;
struct files_struct;
struct fs_struct;

struct task_struct {
#if defined(__TARGET_ARCH_arm64)
	struct thread_info thread_info; /* CONFIG_THREAD_INFO_IN_TASK; all */
#endif
	unsigned int __state; /* 5.14+, 2f064a59a11f "sched: Change task_struct::state" */
	unsigned int flags;
	int on_cpu; /* CONFIG_SMP */
	int prio; /* below MAX_RT_PRIO: real time, of its own or for a lock; all */
	int pid;
	int tgid;
	struct task_struct *group_leader;
	struct list_head children; /* of this thread; all */
	struct list_head sibling; /* in it */
	int exit_state; /* all */
	struct hlist_node pid_links[1]; /* as pid.tasks; 4.19+ */
	struct pid *thread_pid;
	struct mm_struct *mm;
	struct files_struct *files;
	struct fs_struct *fs;
	struct thread_struct thread;
	struct signal_struct *signal;
	struct css_set *cgroups;
	struct nsproxy *nsproxy; /* NULL: it is ending; all */
	u64 start_boottime; /* 5.5+ */
	u64 self_exec_id; /* 5.7+; counts execs */
	char comm[16];
	unsigned long nvcsw; /* switches away from a CPU, of its own will and not; all */
	unsigned long nivcsw;
	unsigned int in_iowait : 1;
	struct sched_entity se;
	struct sched_info sched_info;
	bool throttled; /* CONFIG_CFS_BANDWIDTH, 6.18+ */
	struct bpf_local_storage *bpf_storage; /* NULL: nobody keeps anything of it; 5.11+ */
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	u64 seq_num; /* of things before this one; 5.8+ */
};

struct bpf_iter__task_file { /* 5.8+ */
	struct bpf_iter_meta *meta;
	struct task_struct *task; /* NULL on the last call */
	struct file *file;
};

struct bpf_iter__task_vma { /* 5.12+ */
	struct bpf_iter_meta *meta;
	struct task_struct *task; /* NULL on the last call */
	struct vm_area_struct *vma;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task; /* NULL on the last call */
};

#pragma clang attribute pop

#endif
