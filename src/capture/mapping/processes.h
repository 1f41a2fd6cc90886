/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPING_PROCESSES_H
#define CAPTURE_MAPPING_PROCESSES_H

#include "base/err.h"
#include "base/map64.h"
#include "base/types.h"
#include "base/vec.h"
#include "proc/maps.h"

/* The current mappings of an image. -ENOMEM or 0. */
typedef int processes_put_fn(void *arg, u64 image, u32 tgid, const struct maps *maps);

/*
 * The programs in a trace and their mappings, for kernels on which our BPF programs cannot look up
 * mappings: read when a program is first seen, again while it is young, and when an address is in
 * none of them.
 */
struct processes {
	struct vec list; /* struct process */
	struct vec young; /* struct young: to be read again soon */
	struct map64 by_image;
	struct map64 current; /* tgid to its latest image */
	processes_put_fn *put;
	void *arg;
};

/* `put` is called whenever mappings have been read. */
void processes__init(struct processes *ps, processes_put_fn *put, void *arg);
void processes__done(struct processes *ps);

/*
 * A program was seen: `image` in process `tgid`. With a `parent` (forked from it, no exec since) it
 * inherits the parent's mappings; with 0 they are read now, even for a program that was seen before
 * and is still running. No error if the process has exited. -ENOMEM.
 */
int processes__see(struct processes *ps, u32 tgid, u64 image, u64 parent);

/*
 * A program maps its libraries after exec, and more later, so young ones are read again, at growing
 * intervals. Does what is due and returns when the next reading is: ~0 for never. Running out of
 * memory only causes missing names.
 */
u64 processes__tick(struct processes *ps, u64 now_mono_ns);

#endif
