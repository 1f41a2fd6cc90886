/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include "base/err.h"
#include "base/types.h"
#include "capture/feature/features.h"
#include "capture/object/capture_files.h"
#include "capture/program/options.h"
#include "proc/kallsyms.h"
#include "profile/builder.h"

/*
 * A trace of one or more windows. Steps in order: open (load, attach, take in existing threads),
 * start (begins the first window), then for each window: poll as long as it lasts; cut (ends it and
 * begins the next one at the same instant) or, for the last one, stop (ends it and detaches
 * everything); drain (moves its sums to a builder). Not thread-safe.
 */
struct capture;

/*
 * Loads and attaches the programs and takes in the threads that exist and match. They are traced
 * from now on, and counted from capture__start() on. Raises the limit of open files. `f` must
 * outlive the capture. On error nothing is left behind: -EOPNOTSUPP if the kernel lacks what an
 * option asks for, -EPERM, -ENOMEM, or the kernel's error. Free with capture__free().
 */
int capture__open(const struct capture_options *opt, const struct features *f, struct capture **ret,
		  struct err *err);
/*
 * Targets are processes or threads (options.target). They can be changed before and after the
 * start. An expected target is traced from its next exec, an added one from now on with all its
 * threads. Children are followed if options.follow is set. A thread of a removed target is traced
 * until its next switch or, if it sleeps on, until the end of the window.
 */
/* Threads that are traced and exist. */
u32 capture__threads(const struct capture *c);
/* Targets that exist. */
u32 capture__targets(const struct capture *c);
/*
 * Errors of these three: -E2BIG, no room for more targets; -ENOMEM; or, after the target was added
 * or removed, from walking the threads.
 */
int capture__expect_target(struct capture *c, u32 id, struct err *err);
int capture__add_target(struct capture *c, u32 id, struct err *err);
int capture__remove_target(struct capture *c, u32 id, struct err *err);
/*
 * The same for cgroups, if options.cgroup is set: with those below them. `path` as there. Also
 * errors of cgroup_find_id(), and -ESRCH for one that is not a target.
 */
int capture__add_cgroup(struct capture *c, const char *path, struct err *err);
int capture__remove_cgroup(struct capture *c, const char *path, struct err *err);
/*
 * Begins the first window, at once; call it once. Returns when the window has begun, some hundred
 * us later.
 */
void capture__start(struct capture *c);
/* The same at `at_ns`, and returns before it, unless that is past. */
void capture__start_at(struct capture *c, u64 at_ns);
/*
 * Handles events for at most `timeout_ms`, or until `wake_fd` (-1: none) is readable. -EINTR on a
 * signal; other errors end the trace.
 */
int capture__poll(struct capture *c, int wake_fd, int timeout_ms, struct err *err);
/* Whether a request took longer than options.slow_request_ns since the last call. A hint. */
bool capture__take_slow_request(struct capture *c);
/*
 * Ends the window at `at_ns` (CLOCK_MONOTONIC), or as soon as possible if that is past or 0, and
 * begins the next one. Drain it before the next cut. Waits for the instant, and some 30
 * ms more. Only with options.windows. Errors: -ENOMEM, or from reading the kernel's tables;
 * then the trace is unusable.
 */
int capture__cut(struct capture *c, u64 at_ns, struct err *err);
/*
 * Sets when the last window ends, for the capture__stop() that follows, and does not wait for it.
 * Returns the instant that was set: `at_ns`, or some hundred us from now if that is past; its last
 * bit may differ.
 */
u64 capture__end_at(struct capture *c, u64 at_ns);
/* Ends the last window likewise, and detaches everything. The same errors. */
int capture__stop(struct capture *c, u64 at_ns, struct err *err);

/* Histograms of a thread's slices and waits so far; borrowed for the call. */
struct capture_hist {
	u32 tid;
	u32 tgid;
	u32 pidns_inum; /* PID namespace of its children, as the kernel numbers them */
	bool gone; /* exited or called exec: passed once, then dropped */
	char comm[16];
	char group_comm[16]; /* of its process */
	struct profile_task sums; /* hist_*_ns only */
	const struct profile_bin *bins; /* without a task */
	size_t bins_len;
};
/*
 * Passes the histograms of every thread, between start and stop, if options.hist_unit_ns keeps
 * them. Those of exited threads are passed once and then dropped, so do not drain afterwards. A
 * thread that is just exiting may be missing, and is reported as gone by the next call. A negative
 * errno from `each` stops the pass.
 */
typedef int capture_hist_fn(void *arg, const struct capture_hist *hist);
int capture__hists(struct capture *c, capture_hist_fn *each, void *arg, struct err *err);
/* Threads not recorded so far because memory was short. */
u64 capture__hists_lost(const struct capture *c);

/*
 * After a cut or the stop: symbols for the kernel addresses in the window's stacks, or all of
 * /proc/kallsyms if single addresses cannot be looked up. The caller frees it.
 */
int capture__kernel_symbols(const struct capture *c, struct kallsyms **ret, struct err *err);

/*
 * Moves the last finished window to `b`: modules, unnamed frames, stacks, tasks, waits, losses and
 * the numbers of the header. Frames of our own programs are trimmed if `k` (may be NULL) finds
 * them. First it hands over what names are made from: each file's descriptor to `give_file`, which
 * then owns it; interpreted functions to `give_function`; the perf maps and jitdumps of run-time
 * code to `give_code`, which takes their contents; and the roots of containers, for debug files, to
 * `give_root`, which then owns the descriptor. `variable` names the variable behind a futex.
 * -ENOMEM, or an error of reading the kernel's tables.
 */
int capture__drain(struct capture *c, struct builder *b, const struct kallsyms *k,
		   const struct capture_files *files, struct err *err);

/* Sentences for the user about the traced programs; NULL after the last one. */
const char *capture__notice(const struct capture *c, size_t idx);
/*
 * What the hooks of all switches cost, in ns a second, and those of one. False: with the rest of
 * the floor they keep options.overhead_ppm, or there is no such limit.
 */
bool capture__hooks_cost(const struct capture *c, u64 *ret_switches_ns, u64 *ret_switch_ns);
/* Kernel memory that the trace uses. */
u64 capture__memory_bytes(const struct capture *c);
/* Detaches what is attached. NULL is fine. */
void capture__free(struct capture *c);

#endif
