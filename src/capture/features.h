/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_FEATURES_H
#define CAPTURE_FEATURES_H

#include "base/err.h"
#include "base/types.h"
#include "capture/btf_excerpt.h"
#include "proc/mountinfo.h"

/*
 * What this kernel offers and what this process may do. Feature by feature, not version by version:
 * every answer comes from looking, and what cannot be looked at is "unknown" with the reason.
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
	 * A kprobe on finish_task_switch was made and removed; resume_symbol is its name. Only
	 * where it is wanted: no FEATURE_SCHED_EXIT_TP, or FEATURES_RESUME_SYMBOL; else unknown.
	 */
	FEATURE_KPROBE,
	FEATURE_SCHED_WAKING, /* tp_btf/sched_waking */
	FEATURE_SCHED_MIGRATE, /* tp_btf/sched_migrate_task */
	FEATURE_CONTENTION, /* tp_btf/contention_begin and _end: locks of the kernel */
	FEATURE_ITER_TASK, /* iter/task */
	FEATURE_MM_WALK, /* mm->mm_mt and iter/task_vma: mappings can be found in the kernel */
	FEATURE_ITER_TASK_SLEEPABLE, /* iter.s/task with bpf_copy_from_user_task() */
	FEATURE_CPU_SAMPLES, /* a perf_event program may use tables that grow */
	/* numbers */
	FEATURE_ORC, /* the kernel's ORC tables, and loads from kernel memory to read them by */
	FEATURE_RQ_CLOCK, /* task->se.cfs_rq->rq->clock */
	FEATURE_SCHED_INFO, /* task->sched_info.{run_delay,last_queued,last_arrival} */
	FEATURE_STABLE_CLOCK,
	FEATURE_MAX_STACK, /* kernel.perf_event_max_stack is at least CS_STACK_DEFAULT */
	/* rights */
	FEATURE_INIT_USERNS, /* in the initial user namespace: in others capabilities are no help */
	FEATURE_CAP_BPF,
	FEATURE_CAP_PERFMON,
	FEATURE_CAP_SYS_PTRACE,
	FEATURE_CAP_SYSLOG,
	FEATURE_CAP_DAC_READ_SEARCH,
	FEATURE_CAP_CHECKPOINT_RESTORE,
	FEATURE_BPF_SYSCALL, /* a trial program loads */
	FEATURE_READ_KERNEL, /* one with bpf_probe_read_kernel() too: lockdown=confidentiality */
	/* surroundings */
	FEATURE_KALLSYMS, /* readable and not all zero */
	FEATURE_TRACEFS,
	FEATURE_CGROUP2,
	FEATURE_INIT_PIDNS,
	FEATURE_CNT,
};

/* Of these the number in the kernel's BTF is known: hooks of our programs, and what they name. */
enum features_hook {
	FEATURES_HOOK_SWITCH,
	FEATURES_HOOK_EXIT_TP,
	FEATURES_HOOK_WAKING,
	FEATURES_HOOK_MIGRATE,
	FEATURES_HOOK_CONTENTION_BEGIN,
	FEATURES_HOOK_CONTENTION_END,
	FEATURES_HOOK_NEWTASK,
	FEATURES_HOOK_EXEC,
	FEATURES_HOOK_EXIT,
	FEATURES_HOOK_FREE,
	FEATURES_HOOK_RENAME,
	FEATURES_HOOK_CGROUP_ATTACH,
	FEATURES_HOOK_CGROUP_MKDIR,
	FEATURES_HOOK_ITER_TASK,
	FEATURES_HOOK_ITER_TASK_VMA,
	FEATURES_HOOK_ITER_TASK_FILE,
	FEATURES_RDONLY_CAST, /* the kernel function */
	FEATURES_TIMESPEC64, /* structs */
	FEATURES_PT_REGS,
	FEATURES_TASK_STRUCT,
	FEATURES_HOOK_CNT,
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

/* What is always true of a feature; the text is the same in doctor and in the documentation. */
struct feature_info {
	const char *name; /* "sched_exit_tp" */
	const char *cost; /* what its absence costs, a sentence without a full stop */
	const char *remedy; /* what to do about it, likewise; NULL: nothing can be done here */
	const char *since; /* kernel version and commit that brought it; NULL when not a version */
	enum feature_group group;
	/* With that one at hand this one is not used; 0, FEATURE_BTF, stands for none. */
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
	u32 hook_ids[FEATURES_HOOK_CNT]; /* BTF ids; 0: not in this kernel, or not known */
	/*
	 * What features and programs need of the kernel's BTF; empty where that was not read or
	 * not understood.
	 */
	struct btf_excerpt btf;
	u32 sched_switch_args; /* arguments of tp_btf/sched_switch: 3 or 4; 0 not known */
	bool delays_dequeue; /* threads that sleep may still be on a run queue */
	bool lock_readers; /* a rwsem does not name a reader that has left it */
	char resume_symbol[64]; /* exact kallsyms name of finish_task_switch; "" not known */
	int trial_error; /* 0, or the negative errno with which the trial program was refused */
	u64 caps_effective;
	char lockdown[24]; /* "none", "integrity", "confidentiality"; "" not known */
	s64 unprivileged_bpf_disabled; /* sysctls, or FEATURES_NOT_KNOWN */
	s64 perf_event_paranoid;
	s64 kptr_restrict;
	s64 perf_event_max_stack;
	u64 memlock_bytes; /* ~0 unlimited */
	char cgroup2_path[MOUNT_TEXT_SZ]; /* mount point; "" none */
};

enum features_flag {
	FEATURES_SKIP_BTF = 1, /* saves 5 ms; what needs BTF stays FEATURE_UNKNOWN */
	/* try FEATURE_KPROBE although sched_exit_tp makes it needless */
	FEATURES_RESUME_SYMBOL = 2,
};

/*
 * Fills *f. `flags`: features_flag. Never fails for a missing feature; -ENOMEM is the one error.
 * Loads three trial programs and closes them again; leaves nothing behind but memory.
 * About 5 ms, and 10 more where BTF cannot be mapped (before 6.16).
 */
int features__probe(struct features *f, u32 flags, struct err *err);
/* Also of what features__probe() failed to fill. */
void features__done(struct features *f);

/*
 * Will recording work? 0, or the one reason that stands first in the way and what to do about it:
 * -EPERM for a missing right, -EOPNOTSUPP for a kernel that lacks something.
 */
int features__verdict(const struct features *f, struct err *err);

/* BTF id of the hook of programs in this section ("tp_btf/sched_switch", "iter.s/task"), or 0. */
u32 features__hook_id(const struct features *f, const char *section);

static inline bool features__has(const struct features *f, enum feature_id id)
{
	return f->at[id].state == FEATURE_YES;
}

#endif
