/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/feature/hooks.h"

#include <stdio.h>
#include <string.h>

#include <linux/btf.h>

/*
 * In the order of attaching. First the hooks of what a thread does, then those by which threads
 * enter the trace: a traced thread must be seen until its end. Existing threads are added when
 * everything is attached.
 */
const struct hook hooks[] = {
	{ .program = "on_sched_waking",
	  .section = "tp_btf/sched_waking",
	  .use = HOOK_WAKING,
	  .needs = FEATURE_SCHED_WAKING },
	{ .program = "on_sched_waker",
	  .section = "tp_btf/sched_waking",
	  .use = HOOK_WAKER,
	  .needs = FEATURE_SCHED_WAKING,
	  .when = HOOK_AT_ATTACH_SLOW },
	{ .program = "on_sched_migrate",
	  .section = "tp_btf/sched_migrate_task",
	  .use = HOOK_MIGRATE,
	  .needs = FEATURE_SCHED_MIGRATE },
	/* The end first, so that a recorded lock is always cleared. */
	{ .program = "on_contention_end",
	  .section = "tp_btf/contention_end",
	  .use = HOOK_LOCKS,
	  .needs = FEATURE_CONTENTION,
	  .misses_harmless = true },
	/* A lock seen by an interrupt while we record one is never slept for. */
	{ .program = "on_contention_begin",
	  .section = "tp_btf/contention_begin",
	  .use = HOOK_LOCKS,
	  .needs = FEATURE_CONTENTION,
	  .misses_harmless = true },
	{ .program = "on_sched_exit",
	  .section = "tp_btf/sched_exit_tp",
	  .use = HOOK_RESUME_EXIT_TP,
	  .needs = FEATURE_SCHED_EXIT_TP,
	  .when = HOOK_AT_ATTACH_SLOW },
	/*
	 * A kprobe is dropped while any bpf() call runs on that CPU, most often for a switch of
	 * another thread; those that matter are counted as resume_missed.
	 */
	{ .program = "on_finish_task_switch",
	  .section = "kprobe",
	  .use = HOOK_RESUME_KPROBE,
	  .needs = FEATURE_KPROBE,
	  .when = HOOK_AT_ATTACH_SLOW,
	  .misses_harmless = true },
	{ .program = "on_sched_switch",
	  .section = "tp_btf/sched_switch",
	  .use = HOOK_SWITCH,
	  .needs = FEATURE_SCHED_SWITCH },
	{ .program = "on_sched_switch_early",
	  .section = "tp_btf/sched_switch",
	  .use = HOOK_SWITCH_EARLY,
	  .needs = FEATURE_SCHED_SWITCH,
	  .when = HOOK_AT_ATTACH_SLOW },
	{ .program = "on_sched_switch_3args",
	  .section = "tp_btf/sched_switch",
	  .use = HOOK_SWITCH_3ARGS,
	  .needs = FEATURE_SCHED_SWITCH },
	{ .program = "on_cpu_sample",
	  .section = "perf_event",
	  .use = HOOK_SAMPLES,
	  .needs = FEATURE_CPU_SAMPLES },
	{ .program = "on_sys_exit",
	  .section = "tp_btf/sys_exit",
	  .use = HOOK_SOCKET_CALLS,
	  .needs = FEATURE_SYS_EXIT },
	{ .program = "on_sched_process_free",
	  .section = "tp_btf/sched_process_free",
	  .needs = FEATURE_PROCESS_HOOKS },
	{ .program = "on_sched_process_exit",
	  .section = "tp_btf/sched_process_exit",
	  .needs = FEATURE_PROCESS_HOOKS },
	{ .program = "on_sched_process_exec",
	  .section = "tp_btf/sched_process_exec",
	  .needs = FEATURE_PROCESS_HOOKS },
	{ .program = "on_task_newtask",
	  .section = "tp_btf/task_newtask",
	  .needs = FEATURE_PROCESS_HOOKS },
	{ .program = "on_task_rename",
	  .section = "tp_btf/task_rename",
	  .use = HOOK_RENAME,
	  .needs = FEATURE_TASK_RENAME },
	{ .program = "on_cgroup_attach_task",
	  .section = "tp_btf/cgroup_attach_task",
	  .use = HOOK_CGROUP_MOVE,
	  .needs = FEATURE_CGROUP_MOVE },
	{ .program = "on_cgroup_mkdir",
	  .section = "tp_btf/cgroup_mkdir",
	  .use = HOOK_CGROUP_MKDIR,
	  .needs = FEATURE_CGROUP_MKDIR },
	{ .program = "on_task_mark", .section = "iter/task", .needs = FEATURE_ITER_TASK },
	{ .program = "on_task_asleep",
	  .section = "iter.s/task",
	  .use = HOOK_ASLEEP,
	  .needs = FEATURE_ITER_TASK_SLEEPABLE },
	{ .program = "on_task_asleep_atomic",
	  .section = "iter/task",
	  .use = HOOK_ASLEEP_ATOMIC,
	  .needs = FEATURE_ITER_TASK },
	{ .program = "on_task_drain",
	  .section = "iter.s/task",
	  .use = HOOK_DRAIN,
	  .needs = FEATURE_ITER_TASK_SLEEPABLE,
	  .when = HOOK_AT_END },
	{ .program = "on_task_drain_atomic",
	  .section = "iter/task",
	  .use = HOOK_DRAIN_ATOMIC,
	  .needs = FEATURE_ITER_TASK,
	  .when = HOOK_AT_END },
	{ .program = "on_task_visit",
	  .section = "iter.s/task",
	  .use = HOOK_VISITS,
	  .needs = FEATURE_ITER_TASK_SLEEPABLE,
	  .when = HOOK_AT_ATTACH_SLOW },
	{ .program = "on_task_visit_end",
	  .section = "iter.s/task",
	  .use = HOOK_VISITS,
	  .needs = FEATURE_ITER_TASK_SLEEPABLE,
	  .when = HOOK_AT_END },
	{ .program = "on_task_hists",
	  .section = "iter/task",
	  .use = HOOK_HISTS,
	  .needs = FEATURE_ITER_TASK },
	{ .program = "name_symbols",
	  .section = "syscall",
	  .use = HOOK_KERNEL_NAMES,
	  .when = HOOK_AT_END },
	/* bpf_loop() is older than what it says it needs */
	{ .program = "walk_postponed",
	  .section = "syscall",
	  .use = HOOK_POSTPONED,
	  .needs = FEATURE_ITER_TASK_SLEEPABLE,
	  .when = HOOK_AT_END },
	{ .program = "find_symbols", .section = "syscall", .use = HOOK_KERNEL_SYMBOLS },
	{ .program = "set_window", .section = "raw_tp" },
	{ .program = "on_task_file",
	  .section = "iter/task_file",
	  .use = HOOK_FILES,
	  .needs = FEATURE_ITER_FILES,
	  .when = HOOK_AT_END },
	{ .program = "on_request", .section = "uprobe", .use = HOOK_REQUESTS },
	{ .program = "on_task_vma",
	  .section = "iter/task_vma",
	  .use = HOOK_MAPPINGS,
	  .needs = FEATURE_MM_WALK,
	  .when = HOOK_AT_LOAD },
};

const u32 hooks_cnt = ARRAY_LEN(hooks);
_Static_assert(ARRAY_LEN(hooks) <= FEATURES_HOOKS_MAX, "struct features has an id for each hook");

/* The rest of a text that begins with `start`; NULL: it does not. */
static const char *after(const char *text, const char *start)
{
	size_t len = strlen(start);

	return strncmp(text, start, len) ? NULL : text + len;
}

enum hook_attach hook__attach(const struct hook *h)
{
	if (after(h->section, "tp_btf/"))
		return HOOK_TRACEPOINT;
	if (!strcmp(h->section, "kprobe"))
		return HOOK_KPROBE;
	return strcmp(h->section, "perf_event") ? HOOK_BY_US : HOOK_TIMERS;
}

/*
 * A tracepoint "x" exists if the typedef btf_trace_x does. A tp_btf program is attached by that
 * name. A sleepable iterator has the hook of the other ones.
 */
void hook__type(const struct hook *h, struct hook_type *ret)
{
	const char *trace = after(h->section, "tp_btf/"), *iter = after(h->section, "iter/");

	if (!iter)
		iter = after(h->section, "iter.s/");
	ret->kind = trace ? BTF_KIND_TYPEDEF : iter ? BTF_KIND_FUNC : 0;
	ret->name[0] = 0;
	if (trace)
		snprintf(ret->name, sizeof(ret->name), "btf_trace_%s", trace);
	else if (iter)
		snprintf(ret->name, sizeof(ret->name), "bpf_iter_%s", iter);
}
