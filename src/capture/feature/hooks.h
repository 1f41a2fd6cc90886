/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_FEATURE_HOOKS_H
#define CAPTURE_FEATURE_HOOKS_H

#include "base/types.h"
#include "capture/feature/features.h"

/*
 * Every BPF program of ours in one table, one row each. The kernel's BTF is searched for the hooks
 * of this table, a capture chooses rows of it, the loader loads them in its order of need, and they
 * are attached from the first row to the last. What the absence of a hook costs is said once, by
 * its feature (feature_infos), which `coldspot doctor` prints.
 */

/* What a capture needs a program for; program/hook_choice.c decides it for one capture. */
enum hook_use {
	HOOK_ALWAYS,
	HOOK_SWITCH, /* time, with the state as an argument; stacks are taken elsewhere */
	HOOK_SWITCH_EARLY, /* time and stacks */
	HOOK_SWITCH_3ARGS, /* time, with the state in the task */
	HOOK_RESUME_EXIT_TP, /* stacks, when a thread is back on a CPU */
	HOOK_RESUME_KPROBE,
	HOOK_WAKING, /* the split of a wait */
	HOOK_WAKER, /* the same, and who wakes the sleeper */
	HOOK_MIGRATE,
	HOOK_LOCKS,
	HOOK_SAMPLES,
	HOOK_RENAME,
	HOOK_CGROUP_MOVE,
	HOOK_CGROUP_MKDIR,
	HOOK_ASLEEP, /* stacks of threads that sleep when a trace begins */
	HOOK_ASLEEP_ATOMIC,
	HOOK_DRAIN,
	HOOK_DRAIN_ATOMIC,
	HOOK_VISITS, /* everything, without hooks at switches */
	HOOK_HISTS,
	HOOK_KERNEL_NAMES,
	HOOK_KERNEL_SYMBOLS,
	HOOK_FILES,
	HOOK_MAPPINGS,
	HOOK_POSTPONED, /* walks that met a file without a table */
	HOOK_REQUESTS, /* probes of the user */
	HOOK_SOCKET_CALLS, /* requests by the connections of servers */
	HOOK_USE_CNT,
};

/* When a program must have been verified. */
enum hook_when {
	HOOK_AT_ATTACH = 0,
	HOOK_AT_ATTACH_SLOW, /* the same; its verification takes longest, and begins first */
	HOOK_AT_LOAD,
	HOOK_AT_END, /* not before a window ends */
};

/* How a program comes to run. */
enum hook_attach {
	HOOK_BY_US, /* iterators and calls, which we run, and probes of the user */
	HOOK_TRACEPOINT,
	HOOK_KPROBE,
	HOOK_TIMERS, /* one on each CPU */
};

struct hook {
	const char *program; /* its name in bpf/ */
	const char *section; /* of the program; names the hook */
	enum hook_use use;
	/* What the kernel must have for it; 0, FEATURE_BTF: nothing more than recording needs. */
	enum feature_id needs;
	enum hook_when when;
	/* Calls that the kernel skips lose nothing that is not counted elsewhere. */
	bool misses_harmless;
};

/* In the order of attaching. */
extern const struct hook hooks[];
extern const u32 hooks_cnt; /* at most FEATURES_HOOKS_MAX */

/* Follows from the section. */
enum hook_attach hook__attach(const struct hook *h);

/* A hook is there when the kernel's BTF has a type of this name and kind. */
struct hook_type {
	u32 kind; /* BTF_KIND_TYPEDEF or BTF_KIND_FUNC; 0: a hook that BTF does not know */
	char name[56];
};
/* The type of a hook; its kind is 0 if BTF does not know it. */
void hook__type(const struct hook *h, struct hook_type *ret);

#endif
