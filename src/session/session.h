/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/err.h"
#include "base/types.h"
#include "capture/capture.h"
#include "capture/feature/features.h"
#include "capture/program/options.h"
#include "profile/profile.h"

/*
 * Combines capture, or visits, and symbols: from options to finished profiles, one per window. Call
 * open, start, poll as long as wanted; next, as often as wanted, each followed by poll; then
 * finish. What is known about programs is kept from one window to the next. Not thread-safe.
 */
struct session;

struct session_options {
	struct capture_options capture;
	/*
	 * Visits of each thread per second, without BPF and privileges (visit/visits.h); 0: by BPF.
	 * Then `capture` says whom, and which stacks and objects.
	 */
	u32 visit_hz;
	bool tasks; /* with visit_hz: of the tasks of processes (async/tasks.h), not of threads */
	/*
	 * Where hooks at each switch cost more than capture.overhead_ppm, visit threads by BPF, and
	 * return to hooks when the machine is calm again: session__changes().
	 */
	bool changes;
	/* of names; resolver.h says what they mean */
	const char *debug_dir;
	const char *debuginfod;
	bool demangle;
	bool strip_suffixes;
	bool lines;
	bool inlines;
	bool java_symbols; /* ask JVMs for the names of their code, after the window */
	/* for the header, as text; borrowed for the life of the session */
	const char *command;
	const char *target;
	const char *version;
};

/*
 * -EPERM and -EOPNOTSUPP come with a message that says what to do. With visits `f` may be NULL;
 * otherwise it must outlive the session.
 */
int session__open(const struct session_options *opt, const struct features *f, struct session **ret,
		  struct err *err);
/* See capture__threads(), capture__targets(), capture__expect_target(). */
u32 session__threads(const struct session *s);
u32 session__targets(const struct session *s);
int session__expect_target(struct session *s, u32 id, struct err *err);
int session__add_target(struct session *s, u32 id, struct err *err);
int session__remove_target(struct session *s, u32 id, struct err *err);
/* See capture__add_cgroup(). -EOPNOTSUPP: visits of /proc know no cgroups. */
int session__add_cgroup(struct session *s, const char *path, struct err *err);
int session__remove_cgroup(struct session *s, const char *path, struct err *err);
/* The window opens; returns when it is open. */
int session__start(struct session *s, struct err *err);
/* See capture__poll(). */
int session__poll(struct session *s, int wake_fd, int timeout_ms, struct err *err);
/* See capture__take_slow_request(). */
bool session__take_slow_request(struct session *s);
/* See capture__hists(). */
int session__hists(struct session *s, capture_hist_fn *each, void *arg, struct err *err);
/* Threads missing so far because memory ran out. */
u64 session__hists_lost(const struct session *s);
/*
 * Ends the window at `at_ns` (CLOCK_MONOTONIC), or as soon as possible if that is past or 0. The
 * next window begins at the same instant: nothing is lost or counted twice between them. *ret is
 * the profile of the window that ended, named and checked; the caller frees it. Only with
 * options.capture.windows. After an error only session__free() may be called.
 */
int session__next(struct session *s, u64 at_ns, struct profile **ret, struct err *err);
/*
 * True: the next window will be recorded in another way, by visits or by hooks, and is ready to
 * begin. session__next() may be called at once, also without options.capture.windows.
 */
bool session__changes(const struct session *s);
/* Ends the last window; *ret likewise. */
int session__finish(struct session *s, struct profile **ret, struct err *err);
int session__finish_at(struct session *s, u64 at_ns, struct profile **ret, struct err *err);

/* Whether the last window was ended: then there is nothing to poll. */
bool session__is_over(const struct session *s);

/* Durations of the last next() or finish(), for benchmarks and -v. */
struct session_times {
	u64 open_ns;
	u64 stop_ns; /* close the window and drain the kernel */
	u64 build_ns; /* tables to profile */
	u64 name_ns; /* symbols */
};
const struct session_times *session__times(const struct session *s);
/* Sentences for the user after finish(); NULL after the last one. */
const char *session__notice(const struct session *s, size_t idx);
u64 session__kernel_memory_bytes(const struct session *s);
void session__free(struct session *s);

#endif
