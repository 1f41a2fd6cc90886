/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_WHOM_H
#define VISIT_WHOM_H

#include "abi/glob.h"
#include "abi/program_glob.h"
#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "capture/program/options.h"

/*
 * Which threads are visited: the targets of a recording, looked up in /proc again and again. With
 * all threads, those of our own user, or of everybody for root. Not thread-safe.
 */
struct whom {
	u32 target; /* enum capture_target */
	bool follow;
	bool user_threads;
	bool kernel_threads;
	bool has_program;
	bool has_comm;
	bool any_user; /* we are root */
	struct cs_program_glob program;
	char comm[CS_COMM_LEN];
	struct vec ids; /* u32: targets */
	struct vec found; /* u32: processes of the last search */
	int root_fd; /* of /proc; borrowed */
};

/* -ENOMEM or 0. */
int whom__init(struct whom *w, const struct capture_options *opt, int root_fd);
/* NULL and all zero are fine. */
void whom__done(struct whom *w);
/* -ENOMEM or 0. */
int whom__add(struct whom *w, u32 id);
void whom__remove(struct whom *w, u32 id);
/* Whether a search reads all of /proc, and not only the directories of some processes. */
bool whom__is_wide(const struct whom *w);
/*
 * Calls `each` for each thread of the targets. Stops at the first negative errno that `each`
 * returns, and returns it. `each` checks the thread itself by whom__wants(). 0 or -ENOMEM.
 */
typedef int whom_fn(void *arg, u32 tgid, u32 tid);
int whom__search(struct whom *w, whom_fn *each, void *arg);
/* Whether a thread of the targets matches by its name and kind. */
bool whom__wants(const struct whom *w, const char *comm, bool is_kthread);
/* Targets that exist: processes, or threads. */
u32 whom__targets(const struct whom *w);

#endif
