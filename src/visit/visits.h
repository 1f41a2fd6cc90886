/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_VISITS_H
#define VISIT_VISITS_H

#include "base/err.h"
#include "base/types.h"
#include "capture/object/capture_files.h"
#include "capture/program/options.h"
#include "profile/builder.h"

/* Visits per second by default, and at most. */
#define VISITS_HZ 19
#define VISITS_HZ_MAX 1000

/*
 * A recording without BPF: threads are visited in /proc at random instants, some times a second. It
 * needs no privileges for one's own processes. The steps are those of a capture: open, start, then
 * for each window poll, cut or stop, drain. Not thread-safe.
 */
struct visits;

/*
 * Takes in the threads that exist and match; options that need BPF are refused by the caller.
 * `root`: "/proc", or a directory in its place for tests. -EACCES and -ENOENT if that cannot be
 * read, -ENOMEM.
 */
int visits__open(const struct capture_options *opt, u32 hz, const char *root, struct visits **ret,
		 struct err *err);
/* NULL is fine. */
void visits__free(struct visits *v);
/* Threads that are visited, and targets that exist. */
u32 visits__threads(const struct visits *v);
u32 visits__targets(const struct visits *v);
/* -ENOMEM or 0. An expected target is a process that is about to run a program. */
int visits__add_target(struct visits *v, u32 id, struct err *err);
int visits__expect_target(struct visits *v, u32 id, struct err *err);
int visits__remove_target(struct visits *v, u32 id);
/* Begins the first window. */
int visits__start(struct visits *v, struct err *err);
/*
 * Visits for at most `timeout_ms`, or until `wake_fd` (-1: none) is readable. -EINTR on a signal;
 * -ENOMEM.
 */
int visits__poll(struct visits *v, int wake_fd, int timeout_ms, struct err *err);
/*
 * Ends the window at `at_ns` (CLOCK_MONOTONIC), or as soon as possible if that is past or 0, with a
 * visit of every thread, and begins the next one unless `last`. -ENOMEM.
 */
int visits__cut(struct visits *v, u64 at_ns, bool last, struct err *err);
/* Moves the last finished window to `b`, as capture__drain() does. -ENOMEM or 0. */
int visits__drain(struct visits *v, struct builder *b, const struct capture_files *files,
		  struct err *err);
/* Sentences about what could not be read; NULL after the last one. */
const char *visits__notice(const struct visits *v, size_t idx);

#endif
