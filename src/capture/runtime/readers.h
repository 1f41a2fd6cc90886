/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_RUNTIME_READERS_H
#define CAPTURE_RUNTIME_READERS_H

#include "capture/runtime/runtimes.h"

/*
 * The readers of interpreted functions in one trace: each runtime that has a reader, with its
 * state. All zero is fine for readers__done(). Not thread-safe.
 */
struct readers {
	struct reader {
		const struct runtime_reader *ops; /* NULL: this runtime has none */
		void *state; /* owned */
		int facts_fd; /* borrowed */
		u64 lost; /* when they were counted last */
	} at[RUNTIMES_CNT];
};

/* Functions whose names or lines were lost in a window, by runtime. */
struct readers_lost {
	u64 functions[RUNTIMES_CNT];
};

/*
 * `map_fd` gives the descriptor of a BPF map by its name, or an error, which is returned;
 * `tables_gen` is in the programs' memory. -ENOMEM, or 0. Release it in either case.
 */
int readers__init(struct readers *rs, int (*map_fd)(const void *arg, const char *name),
		  const void *arg, volatile u32 *tables_gen);
void readers__done(struct readers *rs);
/*
 * Looks for interpreters in a file that was mapped as module `id`: tells the programs its layout
 * and sets its flag in *flags. One whose frames cannot be read is a sentence in `notices`. -ENOMEM
 * or 0.
 */
int readers__look_in_file(const struct readers *rs, int fd, const char *path, u32 id, u32 *flags,
			  struct notices *notices);
/* A process has code without a file. -ENOMEM or 0. */
int readers__see(struct readers *rs, u32 tgid, u64 image, struct notices *notices);
/* Does what is due; lowers *due_mono_ns to when it must be called again. -ENOMEM or 0. */
int readers__tick(struct readers *rs, u64 now_mono_ns, u64 *due_mono_ns, struct notices *notices);
/* A record of an interpreted function. -EPROTO: another kind of record; -EINVAL; -ENOMEM; or 0. */
int readers__take(struct readers *rs, u32 event, const void *data, size_t sz);
/* What was lost since the last call. */
void readers__count_lost(struct readers *rs, struct readers_lost *ret);
/* Gives each function once, until the sink returns other than 0, and returns that. */
int readers__give(struct readers *rs, const struct runtime_code_sink *sink);
/* Forgets the functions of programs that have ended. */
void readers__forget(struct readers *rs, const struct ended *ended);

#endif
