/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "base/err.h"
#include "base/types.h"
#include "capture/capture.h"
#include "capture/features.h"
#include "capture/options.h"
#include "profile/profile.h"

/*
 * Capture and names together: from options to a finished profile. Steps in order: open, start, poll
 * as long as wanted, finish. Not thread-safe.
 */
struct session;

struct session_options {
	struct capture_options capture;
	/* of names; resolver.h says what they mean */
	const char *debug_dir;
	const char *debuginfod;
	bool demangle;
	bool strip_suffixes;
	bool lines;
	bool inlines;
	bool java_symbols; /* ask JVMs for the names of their code, after the window */
	/* for the header, in words; borrowed for the life of the session */
	const char *command;
	const char *target;
	const char *version;
};

/* -EPERM and -EOPNOTSUPP carry the sentence that says what to do. */
int session__open(const struct session_options *opt, const struct features *f, struct session **ret,
		  struct err *err);
/* See capture__add_target(). */
int session__add_target(struct session *s, u32 id, struct err *err);
/* The window opens; returns when it is open. */
void session__start(struct session *s);
/* See capture__poll(). */
int session__poll(struct session *s, int wake_fd, int timeout_ms, struct err *err);
/* See capture__hists(). */
int session__hists(struct session *s, capture_hist_fn *each, void *arg, struct err *err);
/* Threads that are not in it so far, for want of memory. */
u64 session__hists_lost(const struct session *s);
/* The window closes; *ret is named and checked, the caller frees it. */
int session__finish(struct session *s, struct profile **ret, struct err *err);

/* When finish() took how long: for benchmarks and -v. */
struct session_times {
	u64 open_ns;
	u64 stop_ns; /* close the window and drain the kernel */
	u64 build_ns; /* tables to profile */
	u64 name_ns; /* symbols */
};
const struct session_times *session__times(const struct session *s);
/* Sentences that a person should read after finish(); NULL behind the last one. */
const char *session__notice(const struct session *s, size_t idx);
u64 session__kernel_memory_bytes(const struct session *s);
void session__free(struct session *s);

#endif
