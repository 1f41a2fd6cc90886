/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_FEATURE_FEATURES_H
#define CAPTURE_FEATURE_FEATURES_H

#include "base/err.h"
#include "base/types.h"
#include "capture/feature/btf_excerpt.h"
#include "proc/mountinfo.h"

/*
 * What this kernel offers and what this process may do. Feature by feature, not by version: every
 * answer comes from probing, and what cannot be probed is "unknown", with the reason.
 */
enum feature_id {
	/* kernel */
	FEATURE_BTF,
	FEATURE_TASK_STORAGE,
	FEATURE_RINGBUF,
	FEATURE_JIT,
	/* hooks */
	FEATURE_SCHED_SWITCH, /* tp_btf/sched_switch */
	FEATURE_PREV_STATE, /* its 4th argument */
	FEATURE_PROCESS_HOOKS, /* tp_btf/task_newtask, sched_process_exec, _exit, _free */
	FEATURE_SCHED_EXIT_TP, /* tp_btf/sched_exit_tp */
	/*
	 * A kprobe on finish_task_switch was created and removed; resume_symbol is its name. Probed
	 * only if needed: without FEATURE_SCHED_EXIT_TP, or with FEATURES_RESUME_SYMBOL; else
	 * unknown.
	 */
	FEATURE_KPROBE,
	FEATURE_SCHED_WAKING, /* tp_btf/sched_waking */
	FEATURE_SCHED_MIGRATE, /* tp_btf/sched_migrate_task */
	FEATURE_CONTENTION, /* tp_btf/contention_begin and _end: kernel locks */
	FEATURE_ITER_TASK, /* iter/task */
	FEATURE_MM_WALK, /* mm->mm_mt and iter/task_vma: BPF can look up mappings */
	FEATURE_ITER_TASK_SLEEPABLE, /* iter.s/task with bpf_copy_from_user_task() */
	FEATURE_TASK_RENAME, /* tp_btf/task_rename */
	FEATURE_CGROUP_MOVE, /* tp_btf/cgroup_attach_task */
	FEATURE_CGROUP_MKDIR, /* tp_btf/cgroup_mkdir */
	FEATURE_ITER_FILES, /* iter/task_file */
	FEATURE_INTERRUPTS, /* separates wakeups by interrupts from those by threads */
	FEATURE_CPU_SAMPLES, /* a perf_event program may use growing tables */
	FEATURE_SYS_EXIT, /* tp_btf/sys_exit */
	/* numbers */
	FEATURE_ORC, /* the kernel's ORC tables, and loads from kernel memory to read them by */
	FEATURE_RQ_CLOCK, /* task->se.cfs_rq->rq->clock */
	FEATURE_SCHED_INFO, /* task->sched_info.{run_delay,last_queued,last_arrival} */
	FEATURE_STABLE_CLOCK,
	FEATURE_MAX_STACK, /* kernel.perf_event_max_stack is at least CS_STACK_DEFAULT */
	/* privileges */
	FEATURE_INIT_USERNS, /* in the initial user namespace: in others capabilities do not help */
	FEATURE_CAP_BPF,
	FEATURE_CAP_PERFMON,
	FEATURE_CAP_SYS_PTRACE,
	FEATURE_CAP_SYSLOG,
	FEATURE_CAP_DAC_READ_SEARCH,
	FEATURE_CAP_CHECKPOINT_RESTORE,
	FEATURE_BPF_SYSCALL, /* a trial program loads */
	FEATURE_READ_KERNEL, /* one with bpf_probe_read_kernel() too: lockdown=confidentiality */
	/* environment */
	FEATURE_KALLSYMS, /* readable and not all zero */
	FEATURE_TRACEFS,
	FEATURE_CGROUP2,
	FEATURE_INIT_PIDNS,
	FEATURE_CNT,
};

/* Rows of the table of hooks (hooks.h), at most. */
#define FEATURES_HOOKS_MAX 40

/* What else our programs need a BTF id of. */
enum features_type {
	FEATURES_RDONLY_CAST, /* the kernel function */
	FEATURES_TIMESPEC64, /* structs */
	FEATURES_PT_REGS,
	FEATURES_TASK_STRUCT,
	FEATURES_TYPE_CNT,
};

/* A sysctl that cannot be read. */
#define FEATURES_NOT_KNOWN (-1000)

enum feature_state {
	FEATURE_UNKNOWN = 0,
	FEATURE_NO = 1,
	FEATURE_YES = 2,
};

enum feature_group {
	FEATURE_GROUP_KERNEL,
	FEATURE_GROUP_HOOKS,
	FEATURE_GROUP_NUMBERS,
	FEATURE_GROUP_RIGHTS,
	FEATURE_GROUP_AROUND,
};

/* Constant facts about a feature; doctor and the documentation use the same text. */
struct feature_info {
	const char *name; /* "sched_exit_tp" */
	const char *cost; /* what its absence costs, a sentence without a full stop */
	const char *remedy; /* what to do about it, likewise; NULL: nothing can be done */
	const char *since; /* kernel version and commit that introduced it; NULL: any version */
	enum feature_group group;
	/* If that feature is available, this one is not used; 0, FEATURE_BTF, stands for none. */
	enum feature_id spared_by;
	bool required; /* nothing can be recorded without it */
};

extern const struct feature_info feature_infos[FEATURE_CNT];

struct feature {
	enum feature_state state;
	char detail[160]; /* what was found, or why it is missing or unknown; may be "" */
};

struct features {
	struct feature at[FEATURE_CNT];
	char release[65]; /* uname -r */
	u32 major, minor, patch;
	/* BTF ids; 0: not in this kernel, or unknown. Of the row of hooks[] with the same index. */
	u32 hook_ids[FEATURES_HOOKS_MAX];
	u32 type_ids[FEATURES_TYPE_CNT];
	/*
	 * What features and programs need from the kernel's BTF; empty if that could not be read.
	 */
	struct btf_excerpt btf;
	u32 sched_switch_args; /* arguments of tp_btf/sched_switch: 3 or 4; 0: unknown */
	bool delays_dequeue; /* sleeping threads may still be on a run queue */
	bool preempt_known; /* x86-64: the next one is */
	s64 preempt_minus_rq; /* as of struct cs_cfg */
	bool lock_readers; /* a rwsem never names a reader that has released it */
	char resume_symbol[64]; /* exact kallsyms name of finish_task_switch; "": unknown */
	int trial_error; /* 0, or the negative errno of the refused trial program */
	u64 caps_effective;
	char lockdown[24]; /* "none", "integrity", "confidentiality"; "": unknown */
	s64 unprivileged_bpf_disabled; /* sysctls, or FEATURES_NOT_KNOWN */
	s64 perf_event_paranoid;
	s64 kptr_restrict;
	s64 perf_event_max_stack;
	u64 memlock_bytes; /* ~0 unlimited */
	char cgroup2_path[MOUNT_TEXT_SZ]; /* mount point; "" none */
};

enum features_flag {
	FEATURES_SKIP_BTF = 1, /* saves 5 ms; features that need BTF stay FEATURE_UNKNOWN */
	/* probe FEATURE_KPROBE although sched_exit_tp makes it unnecessary */
	FEATURES_RESUME_SYMBOL = 2,
};

/*
 * Fills *f. `flags`: features_flag. Never fails for a missing feature; -ENOMEM is the only error.
 * Loads three trial programs and closes them again; leaves only memory behind. About 5 ms, and 10
 * more if BTF cannot be mapped (before 6.16).
 */
int features__probe(struct features *f, u32 flags, struct err *err);
/* Also after a failed features__probe(). */
void features__done(struct features *f);

/*
 * Whether recording will work. 0, or the first reason why not and what to do about it: -EPERM for a
 * missing privilege, -EOPNOTSUPP for a missing kernel feature.
 */
int features__verdict(const struct features *f, struct err *err);

/* BTF id of the hook of programs in this section ("tp_btf/sched_switch", "iter.s/task"), or 0. */
u32 features__hook_id(const struct features *f, const char *section);

static inline bool features__has(const struct features *f, enum feature_id id)
{
	return f->at[id].state == FEATURE_YES;
}

#endif
