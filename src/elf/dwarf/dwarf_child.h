/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_DWARF_DWARF_CHILD_H
#define ELF_DWARF_DWARF_CHILD_H

#include <sys/types.h>

#include "base/err.h"
#include "base/sink.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * A child process that reads debug information: it may open nothing and write only to its pipe, has
 * limited memory, and is killed when its time is over. Whatever the file does to it, its parent has
 * an error and what was written before. Not thread-safe.
 */
struct dwarf_child {
	pid_t pid; /* 0: there is none */
	int fd; /* of the pipe */
	u64 deadline_mono_ns;
	struct vec answers; /* bytes: what it has written so far; trusted no more than the file */
};

/* Runs in the child; a negative errno makes it fail. What it does not free, its exit does. */
typedef int dwarf_child_fn(const void *job, struct sink *out);

/* `job` is needed only until this returns. -ENOMEM, or an error of fork() or pipe(). */
int dwarf_child__start(struct dwarf_child *c, dwarf_child_fn *fn, const void *job, u64 limit_ns,
		       struct err *err);
/*
 * Takes what it writes, until it ends or until `until_mono_ns`. 0: it has ended, well; -EAGAIN: it
 * goes on; otherwise it has ended: -ETIME; -E2BIG: it writes too much; -EINVAL: it failed; -ENOMEM.
 */
int dwarf_child__gather(struct dwarf_child *c, u64 until_mono_ns, struct err *err);
/* Kills it if it goes on, and frees the answers. All zero is fine. */
void dwarf_child__done(struct dwarf_child *c);

#endif
