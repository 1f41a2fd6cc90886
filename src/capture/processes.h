/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROCESSES_H
#define CAPTURE_PROCESSES_H

#include "base/err.h"
#include "base/map64.h"
#include "base/types.h"
#include "base/vec.h"
#include "proc/maps.h"

/*
 * The programs met in a trace and their mappings, read when they are first seen, so that a process
 * that ends keeps its names. Also the files behind the mappings, opened at the same time, so that
 * they may be deleted or replaced later.
 */
struct processes {
	struct vec list; /* struct process */
	struct vec young; /* struct young: to be read again soon */
	struct map64 by_image;
	struct map64 current; /* tgid to its latest image */
	struct vec files; /* struct module_file */
	struct map64 by_inode; /* hash of (dev, ino): already opened or tried */
};

/* An open file that was mapped. */
struct module_file {
	u64 dev;
	u64 ino;
	int fd; /* -1: given away */
};

int processes__init(struct processes *ps);
void processes__done(struct processes *ps);

/*
 * A program was seen: `image` in process `tgid`. With a `parent` (forked from it, no exec since) it
 * has that one's mappings; with 0 they are read now. A process that is gone is no error. -ENOMEM.
 */
int processes__see(struct processes *ps, u32 tgid, u64 image, u64 parent);

/*
 * A program maps its libraries after exec, and more when it needs them, so young ones are read
 * again, at growing intervals. Does what is due and returns when the next is: ~0 for never. Errors
 * of memory only show as names that are missing.
 */
u64 processes__tick(struct processes *ps, u64 now_mono_ns);

/* Reads the mappings of all that still live once more: they may have loaded libraries. -ENOMEM. */
int processes__refresh(struct processes *ps);

/* The mappings of an image, or NULL when it was gone before they could be read. */
const struct maps *processes__maps(const struct processes *ps, u64 image);

#endif
