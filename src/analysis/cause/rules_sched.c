/* SPDX-License-Identifier: Apache-2.0 */
/* Runnable threads, and causes that follow from the state alone. */
#include "analysis/cause/rule.h"

#define BACK_TO_USER                                                                               \
	"irqentry_exit_to_user_mode exit_to_user_mode_loop exit_to_user_mode_prepare "             \
	"irqentry_exit irqentry_exit_cond_resched __cond_resched __cond_resched_lock "             \
	"preempt_schedule*"

/* clang-format off */
static const struct rule rules[] = {
	{ "sched/lost", CAUSE_LOST, .flags = WAIT_LOST, .seen = "any; losses of a recording" },
	{ "sched/on-cpu", CAUSE_ON_CPU, .flags = WAIT_ON_CPU, .seen = "any; record --on-cpu" },
	{ "sched/new", CAUSE_NEW, .flags = WAIT_NEW, .seen = "6.18 life" },
	{ "sched/throttled", CAUSE_THROTTLED, .flags = WAIT_THROTTLED,
	  .seen = "6.18, 6.12, 6.1 throttle" },
	{ "sched/preempted-kernel", CAUSE_PREEMPTED, .states = RULE_R, .flags = WAIT_PREEMPTED,
	  .seen = "6.18 waits_cpu" },
	{ "sched/preempted-user", CAUSE_PREEMPTED, .states = RULE_R, .kernel = { BACK_TO_USER },
	  .seen = "6.18 waits_cpu" },
	{ "sched/yield", CAUSE_YIELD, .states = RULE_R, .syscalls = "sched_yield",
	  .seen = "6.18 waits_cpu" },
	{ "sched/runnable", CAUSE_RUNNABLE, .states = RULE_R, .flags = WAIT_RUNNABLE,
	  .seen = "6.18 record --sample" },
	{ "sched/preempted", CAUSE_PREEMPTED, .states = RULE_R, .seen = "6.18 waits_cpu" },
	{ "sched/stopped", CAUSE_STOPPED, .states = RULE_T | RULE_t, .seen = "6.18 life_odd" },
	/* a tracer that handles a system call sets no special state */
	{ "sched/stop", CAUSE_STOPPED, .seen = "6.18 kinds",
	  .kernel = { "ptrace_stop do_signal_stop do_jobctl_trap __refrigerator "
		      "seccomp_do_user_notification __seccomp_filter" } },
	/*
	 * the freezer of cgroup v2, whose own function is inlined; anything else a thread can wait
	 * for there has a name
	 */
	{ "sched/frozen", CAUSE_STOPPED, .states = RULE_S, .kernel = { "get_signal" },
	  .not_kernel = "do_coredump vfs_coredump coredump_wait do_group_exit do_exit "
			"task_work_run",
	  .seen = "6.12 kinds" },
	{ "sched/dead", CAUSE_EXIT, .states = RULE_X | RULE_Z, .seen = "6.18 life" },
	{ "sched/kthread-idle", CAUSE_KTHREAD, .states = RULE_I | RULE_P, .seen = "6.18 always" },
};
/* clang-format on */

const struct rule_table rules_sched = { rules, ARRAY_LEN(rules), NULL };
