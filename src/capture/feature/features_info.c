/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/feature/features.h"

/*
 * The texts about each feature: what its absence costs, what can be done, since when kernels have
 * it. Only facts that do not depend on the machine; results of probing are in struct feature.
 */

#define REMEDY_CAPS "run as root, or give the program the capability with setcap"

const struct feature_info feature_infos[FEATURE_CNT] = {
	[FEATURE_BTF] = {
		.name = "BTF",
		.cost = "nothing can be recorded",
		.remedy = "use a kernel built with CONFIG_DEBUG_INFO_BTF=y",
		.since = "5.4, 341dfcf8d78e (\"btf: expose BTF info through sysfs\")",
		.group = FEATURE_GROUP_KERNEL,
		.required = true,
	},
	[FEATURE_TASK_STORAGE] = {
		.name = "task storage",
		.cost = "nothing can be recorded",
		.remedy = "use Linux 5.15 or newer",
		.since = "5.12, a10787e6d58c (\"bpf: Enable task local storage for tracing "
			 "programs\")",
		.group = FEATURE_GROUP_KERNEL,
		.required = true,
	},
	[FEATURE_RINGBUF] = {
		.name = "ring buffer",
		.cost = "nothing can be recorded",
		.remedy = "use Linux 5.15 or newer",
		.since = "5.8, 457f44363a88 (\"bpf: Implement BPF ring buffer and verifier support "
			 "for it\")",
		.group = FEATURE_GROUP_KERNEL,
		.required = true,
	},
	[FEATURE_JIT] = {
		.name = "BPF compiler",
		.cost = "every context switch of a traced thread costs several times more",
		.remedy = "sysctl net.core.bpf_jit_enable=1",
		.group = FEATURE_GROUP_KERNEL,
	},
	[FEATURE_SCHED_SWITCH] = {
		.name = "sched_switch",
		.cost = "nothing can be recorded",
		.remedy = "use Linux 5.15 or newer",
		.since = "5.5",
		.group = FEATURE_GROUP_HOOKS,
		.required = true,
	},
	[FEATURE_PREV_STATE] = {
		.name = "state in sched_switch",
		.cost = "the state of a thread is read from its task instead; where a wakeup races "
			"with it, a wait is counted as preempted",
		.since = "5.18, 9c2136be0878 (\"sched/tracing: Append prev_state to tp args "
			 "instead\")",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_PROCESS_HOOKS] = {
		.name = "birth, exec and exit",
		.cost = "nothing can be recorded",
		.remedy = "use Linux 5.15 or newer",
		.since = "5.5",
		.group = FEATURE_GROUP_HOOKS,
		.required = true,
	},
	[FEATURE_SCHED_EXIT_TP] = {
		.name = "sched_exit_tp",
		.cost = "stacks are recorded by a kprobe instead, which costs more at each switch",
		.since = "6.15, 26f80681a09b (\"sched: Add sched tracepoints for RV task model\")",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_KPROBE] = {
		.name = "kprobe",
		.cost = "without sched_exit_tp either, stacks are recorded when a thread leaves "
			"the CPU, even for waits that are then not listed",
		.remedy = "grant CAP_SYS_ADMIN too, or sysctl kernel.perf_event_paranoid=2",
		.group = FEATURE_GROUP_HOOKS,
		.spared_by = FEATURE_SCHED_EXIT_TP,
	},
	[FEATURE_SCHED_WAKING] = {
		.name = "sched_waking",
		.cost = "--split waking and --wakers cannot be used",
		.since = "5.5",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_SCHED_MIGRATE] = {
		.name = "sched_migrate_task",
		.cost = "since Linux 6.12 sched_info may count sleep as waiting for a CPU, so "
			"waits are split at sched_waking, which costs more at each wakeup",
		.since = "5.5",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_CONTENTION] = {
		.name = "lock contention",
		.cost = "owners of kernel mutexes and rwsems are not known",
		.since = "5.19, 16edd9b511a1 (\"locking: Add lock contention tracepoints\")",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_ITER_TASK] = {
		.name = "task iterator",
		.cost = "nothing can be recorded",
		.remedy = "use Linux 5.15 or newer",
		.since = "5.8, eaaacd23910f (\"bpf: Add task and task/file iterator targets\")",
		.group = FEATURE_GROUP_HOOKS,
		.required = true,
	},
	[FEATURE_MM_WALK] = {
		.name = "mappings in mm_mt",
		.cost = "mappings are read from /proc: stacks of programs that live for some ms, "
			"or have just loaded a library, may end early",
		.since = "6.1, d4af56c5c7c6 (\"mm: start tracking VMAs with maple tree\")",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_ITER_TASK_SLEEPABLE] = {
		.name = "sleepable task iterator",
		.cost = "waits open at the end have no user stack, and --sample cannot be used",
		.since = "5.18, 376040e47334 (\"bpf: Add bpf_copy_from_user_task() helper\")",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_TASK_RENAME] = {
		.name = "task_rename",
		.cost = "time before an exec has the name of the new program, and --comm cannot be "
			"used",
		.since = "5.5",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_CGROUP_MOVE] = {
		.name = "cgroup_attach_task",
		.cost = "cgroups that threads move into may have no path, and --cgroup cannot be "
			"used",
		.remedy = "use a kernel built with CONFIG_CGROUPS=y",
		.since = "5.5",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_CGROUP_MKDIR] = {
		.name = "cgroup_mkdir",
		.cost = "cgroups that are removed before the recording ends may have no path",
		.remedy = "use a kernel built with CONFIG_CGROUPS=y",
		.since = "5.5",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_ITER_FILES] = {
		.name = "file iterator",
		.cost = "processes at the other end of pipes and sockets are not known",
		.since = "5.8, eaaacd23910f (\"bpf: Add task and task/file iterator targets\")",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_INTERRUPTS] = {
		.name = "wakers in interrupts",
		.cost = "--wakers names the thread that an interrupt hit in place of the interrupt",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_CPU_SAMPLES] = {
		.name = "samples of CPUs",
		.cost = "--on-cpu cannot be used",
		.remedy = "use Linux 6.1 or newer",
		.since = "6.1, 34dd3bad1a6f (\"bpf: Relax the requirement to use preallocated hash "
			 "maps in tracing progs.\")",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_SYS_EXIT] = {
		.name = "sys_exit",
		.cost = "requests are not found by the connections of servers (--request auto)",
		.remedy = "use a kernel built with CONFIG_FTRACE_SYSCALLS=y",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_ORC] = {
		.name = "ORC tables",
		.cost = "the kernel's helper reads every kernel stack: 2 us more per wait",
		.since = "6.4 on x86, fb799447ae29 (\"x86,objtool: Split UNWIND_HINT_EMPTY in "
			 "two\")",
		.group = FEATURE_GROUP_HOOKS,
	},
	[FEATURE_RQ_CLOCK] = {
		.name = "run-queue clock",
		.cost = "sched_info cannot be read: waits are split at sched_waking, which costs "
			"more at each wakeup, and what the kernel does not report is lost; "
			"--sample cannot be used",
		.remedy = "use a kernel built with CONFIG_FAIR_GROUP_SCHED=y",
		.group = FEATURE_GROUP_NUMBERS,
	},
	[FEATURE_SCHED_INFO] = {
		.name = "sched_info",
		.cost = "waits are split at sched_waking, which costs more at each wakeup, and "
			"what the kernel does not report is lost; --sample cannot be used",
		.remedy = "use a kernel built with CONFIG_SCHED_INFO=y",
		.group = FEATURE_GROUP_NUMBERS,
	},
	[FEATURE_STABLE_CLOCK] = {
		.name = "stable clock",
		.cost = "waits are split at sched_waking, which costs more at each wakeup",
		.group = FEATURE_GROUP_NUMBERS,
	},
	[FEATURE_MAX_STACK] = {
		.name = "stack depth",
		.cost = "deeper stacks are truncated at their root",
		.remedy = "sysctl kernel.perf_event_max_stack=127",
		.group = FEATURE_GROUP_NUMBERS,
	},
	[FEATURE_INIT_USERNS] = {
		.name = "initial user namespace",
		.cost = "nothing can be recorded: "
			"capabilities in a user namespace do not reach BPF",
		.remedy = "run on the host, or in a container without user namespace",
		.group = FEATURE_GROUP_RIGHTS,
		.required = true,
	},
	[FEATURE_CAP_BPF] = {
		.name = "CAP_BPF",
		.cost = "nothing can be recorded",
		.remedy = REMEDY_CAPS,
		.since = "5.8, a17b53c4a4b5 (\"bpf, capability: Introduce CAP_BPF\")",
		.group = FEATURE_GROUP_RIGHTS,
		.required = true,
	},
	[FEATURE_CAP_PERFMON] = {
		.name = "CAP_PERFMON",
		.cost = "nothing can be recorded",
		.remedy = REMEDY_CAPS,
		.since = "5.8, 980737282232 (\"capabilities: Introduce CAP_PERFMON to kernel and "
			 "user space\")",
		.group = FEATURE_GROUP_RIGHTS,
		.required = true,
	},
	[FEATURE_CAP_SYS_PTRACE] = {
		.name = "CAP_SYS_PTRACE",
		.cost = "user frames of other users' processes have no names",
		.remedy = REMEDY_CAPS,
		.group = FEATURE_GROUP_RIGHTS,
	},
	[FEATURE_CAP_SYSLOG] = {
		.name = "CAP_SYSLOG",
		.cost = "kernel frames have no names, "
			"unless the kernel shows addresses to everyone",
		.remedy = REMEDY_CAPS,
		.group = FEATURE_GROUP_RIGHTS,
	},
	[FEATURE_CAP_DAC_READ_SEARCH] = {
		.name = "CAP_DAC_READ_SEARCH",
		.cost = "frames of programs in directories we cannot read have no names",
		.remedy = REMEDY_CAPS,
		.group = FEATURE_GROUP_RIGHTS,
	},
	[FEATURE_CAP_CHECKPOINT_RESTORE] = {
		.name = "CAP_CHECKPOINT_RESTORE",
		.cost = "frames of programs deleted or replaced while running have no names",
		.remedy = REMEDY_CAPS,
		.since = "5.9",
		.group = FEATURE_GROUP_RIGHTS,
	},
	[FEATURE_BPF_SYSCALL] = {
		.name = "trial program",
		.cost = "nothing can be recorded",
		.remedy = "check for a seccomp filter of the container, "
			  "a security module or lockdown",
		.group = FEATURE_GROUP_RIGHTS,
		.required = true,
	},
	[FEATURE_READ_KERNEL] = {
		.name = "reading kernel memory",
		.cost = "nothing can be recorded",
		.remedy = "boot without lockdown=confidentiality",
		.group = FEATURE_GROUP_RIGHTS,
		.required = true,
	},
	[FEATURE_KALLSYMS] = {
		.name = "kernel symbols",
		.cost = "kernel frames have no names",
		.remedy = "grant CAP_SYSLOG, and sysctl kernel.kptr_restrict=1 where it is 2",
		.group = FEATURE_GROUP_AROUND,
	},
	[FEATURE_TRACEFS] = {
		.name = "tracefs",
		.cost = "nothing, as long as the kernel has sched_exit_tp or kprobe",
		.group = FEATURE_GROUP_AROUND,
		.spared_by = FEATURE_SCHED_EXIT_TP,
	},
	[FEATURE_CGROUP2] = {
		.name = "cgroup v2",
		.cost = "--cgroup cannot be used, and the cgroups of threads are not known",
		.group = FEATURE_GROUP_AROUND,
	},
	[FEATURE_INIT_PIDNS] = {
		.name = "initial PID namespace",
		.cost = "processes outside this PID namespace have no PID here, and their user "
			"frames have no names",
		.group = FEATURE_GROUP_AROUND,
	},
};
