/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_OUTSIDE_H
#define SESSION_OUTSIDE_H

#include "base/err.h"
#include "base/types.h"
#include "capture/object/capture_files.h"
#include "capture/program/options.h"
#include "profile/builder.h"

/*
 * What makes windows without BPF, by looking at processes from outside: visits of their threads
 * (visit/visits.h), or of the tasks that they schedule themselves (async/tasks.h). The steps are
 * those of a capture. Not thread-safe.
 */
struct outside;

enum outside_kind {
	OUTSIDE_THREADS,
	OUTSIDE_TASKS,
};

/* Errors of visits__open() and tasks__open(), and of each function there. */
int outside__open(enum outside_kind kind, const struct capture_options *opt, u32 hz,
		  struct outside **ret, struct err *err);
/* NULL is fine. */
void outside__free(struct outside *o);
/* Threads that are visited, or processes whose tasks are; targets that exist. */
u32 outside__threads(const struct outside *o);
u32 outside__targets(const struct outside *o);
int outside__add_target(struct outside *o, u32 id, struct err *err);
int outside__expect_target(struct outside *o, u32 id, struct err *err);
int outside__remove_target(struct outside *o, u32 id);
int outside__start(struct outside *o, struct err *err);
int outside__poll(struct outside *o, int wake_fd, int timeout_ms, struct err *err);
int outside__cut(struct outside *o, u64 at_ns, bool last, struct err *err);
int outside__drain(struct outside *o, struct builder *b, const struct capture_files *files,
		   struct err *err);
const char *outside__notice(const struct outside *o, size_t idx);

#endif
