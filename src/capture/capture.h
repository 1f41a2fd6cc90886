/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_CAPTURE_H
#define CAPTURE_CAPTURE_H

#include "base/err.h"
#include "base/file_id.h"
#include "base/types.h"
#include "capture/features.h"
#include "capture/options.h"
#include "proc/code_place.h"
#include "proc/kallsyms.h"
#include "profile/builder.h"
#include "profile/interpreted.h"

/*
 * One trace with one window. Steps in order: open (load, attach, take in the threads that exist),
 * start (the window opens), poll as long as wanted, stop (the window closes, everything is drained
 * and detached), drain (the sums become a builder's). Not thread-safe.
 */
struct capture;

int capture__open(const struct capture_options *opt, const struct features *f, struct capture **ret,
		  struct err *err);
/* One more process or thread for the targets, before or after the start: it is traced from its next
 * exec on, and so are its children when they are followed. */
int capture__add_target(struct capture *c, u32 id, struct err *err);
void capture__start(struct capture *c);
/*
 * Takes in news for at most `timeout_ms`, or until there is something to read from `wake_fd` (-1:
 * nothing else is waited for); -EINTR when a signal came.
 */
int capture__poll(struct capture *c, int wake_fd, int timeout_ms, struct err *err);
int capture__stop(struct capture *c, struct err *err);

/* How long slices and waits of a thread were, so far; borrowed for the call. */
struct capture_hist {
	u32 tid;
	u32 tgid;
	u32 pidns_inum; /* PID namespace of its children, as the kernel numbers them */
	bool gone; /* it ended, or another program goes on in it: told once, and not again */
	char comm[16];
	char group_comm[16]; /* of its process */
	struct profile_task sums; /* hist_*_ns only */
	const struct profile_bin *bins; /* without a task */
	size_t bins_len;
};
/*
 * Tells those of every thread, between start and stop, where options.hist_unit_ns keeps them. What
 * is told of threads that are gone is forgotten: nothing is to be drained afterwards. One that is
 * ending just now may be missing, and be told as gone the next time. `each`: a negative errno ends
 * it.
 */
typedef int capture_hist_fn(void *arg, const struct capture_hist *hist);
int capture__hists(struct capture *c, capture_hist_fn *each, void *arg, struct err *err);
/* Threads that were traced in vain so far: there was no memory for them. */
u64 capture__hists_lost(const struct capture *c);

/*
 * After the stop: symbols for the kernel addresses of the trace, or all of /proc/kallsyms where
 * the kernel cannot be asked. The caller frees it.
 */
int capture__kernel_symbols(const struct capture *c, struct kallsyms **ret, struct err *err);

/*
 * Gives what was captured to `b`: modules, frames without names, stacks, tasks, waits, losses and
 * the numbers of the header. Frames of our own programs are trimmed where `k` (may be NULL) tells
 * which they are. Before that, what names are made from is given away: the descriptor of each file
 * to `give_file`, which takes it, what was read of interpreted functions to `give_function`, and
 * where run-time code has its names to `give_code`, which takes what is in it, and the roots of
 * containers, where debug files may be, to `give_root`, which takes the descriptor.
 * `variable` is asked for what a futex is.
 */
struct capture_files {
	int (*give_file)(void *arg, const struct file_id *file, int fd);
	const char *(*build_id)(void *arg, const struct file_id *file);
	int (*give_function)(void *arg, const struct interpreted_code *code);
	int (*give_code)(void *arg, struct code_place *place);
	int (*give_root)(void *arg, int fd);
	/* The variable at an offset of a file's data, as the linker called it; false: none is. */
	bool (*variable)(void *arg, const struct file_id *file, const char *path, u64 off,
			 struct object_variable *ret);
	void *arg;
};
int capture__drain(struct capture *c, struct builder *b, const struct kallsyms *k,
		   const struct capture_files *files, struct err *err);

/* Sentences that a person should read, about programs that were met; NULL behind the last one. */
const char *capture__notice(const struct capture *c, size_t idx);
/* Kernel memory of the trace. */
u64 capture__memory_bytes(const struct capture *c);
void capture__free(struct capture *c);

#endif
