/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASKS_H
#define ASYNC_TASKS_H

#include "base/err.h"
#include "base/types.h"
#include "capture/object/capture_files.h"
#include "capture/program/options.h"
#include "profile/builder.h"

/* Passes over all tasks per second by default, and at most. */
#define TASKS_HZ 19
#define TASKS_HZ_MAX 1000
/* Of the machine's CPU time, unless options say otherwise. */
#define TASKS_OVERHEAD_PPM 10000

/*
 * A recording of tasks that programs schedule themselves, on threads that the kernel sees waiting
 * for any of them: goroutines, and tasks of asyncio and Tokio. Their lists are read from outside at
 * random instants, some times a second; no process is stopped. Where that would cost more than
 * options allow, each pass reads a random part. The profile has a row for each function that tasks
 * of a process began with, instead of one for each thread.
 *
 * The steps are those of a capture: open, start, then for each window poll, cut or stop, drain. Not
 * thread-safe.
 */
struct tasks;

/*
 * Takes in the processes of the targets; those that run nothing that is known are left out, and a
 * notice says why. `hz`: passes per second. -EACCES and -ENOENT if /proc cannot be read, -ENOTSUP
 * with a sentence if given targets have no tasks, -ENOMEM.
 */
int tasks__open(const struct capture_options *opt, u32 hz, struct tasks **ret, struct err *err);
/* NULL is fine. */
void tasks__free(struct tasks *t);
/* Processes that match, with tasks or not, and targets that exist. */
u32 tasks__processes(const struct tasks *t);
u32 tasks__targets(const struct tasks *t);
/* -ENOMEM or 0. An expected target is a process that is about to run a program. */
int tasks__add_target(struct tasks *t, u32 id, struct err *err);
int tasks__expect_target(struct tasks *t, u32 id, struct err *err);
int tasks__remove_target(struct tasks *t, u32 id);
/* Begins the first window. */
int tasks__start(struct tasks *t, struct err *err);
/*
 * Reads for at most `timeout_ms`, or until `wake_fd` (-1: none) is readable. -EINTR on a signal;
 * -ENOMEM.
 */
int tasks__poll(struct tasks *t, int wake_fd, int timeout_ms, struct err *err);
/*
 * Ends the window at `at_ns` (CLOCK_MONOTONIC), or as soon as possible if that is past or 0, and
 * begins the next one. After the `last` one, nothing is left in the programs. -ENOMEM.
 */
int tasks__cut(struct tasks *t, u64 at_ns, bool last, struct err *err);
/* Moves the last finished window to `b`, as capture__drain() does. -ENOMEM or 0. */
int tasks__drain(struct tasks *t, struct builder *b, const struct capture_files *files,
		 struct err *err);
/* Sentences about what could not be read; NULL after the last one. */
const char *tasks__notice(const struct tasks *t, size_t idx);

#endif
