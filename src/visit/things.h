/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_THINGS_H
#define VISIT_THINGS_H

#include "abi/object.h"
#include "base/intern.h"
#include "base/map64.h"
#include "base/strtab.h"
#include "base/types.h"
#include "capture/object/capture_files.h"
#include "proc/thread.h"
#include "profile/builder.h"
#include "visit/process.h"

/*
 * What threads wait for, from the arguments of their system calls: files by /proc/PID/fd, sockets
 * by /proc/PID/net, futexes by the words around them. Each has a number that stays the same over
 * all windows. Not thread-safe.
 */
struct things {
	struct intern objects; /* struct profile_object; strings are of `names` */
	struct strtab names;
	struct vec places; /* struct thing_place by object */
	struct map64 sockets; /* inode to an object */
	u64 sockets_read_ns;
	struct vec in_builder; /* u32 by object: its id in the builder of this window */
	u8 kinds[CS_CALLS_LEN]; /* enum cs_call */
	int root_fd; /* of /proc; borrowed */
};

/* A futex in the data of a file, if it is. */
struct thing_place {
	u32 file; /* code file; 0: none */
	bool is_known; /* it was looked up */
	u64 off;
};

struct thing {
	u32 object; /* 0: unknown or none */
	u32 owner_tid; /* 0: none, or not known */
};

/* -ENOMEM or 0. */
int things__init(struct things *t, int root_fd);
/* NULL and all zero are fine. */
void things__done(struct things *t);
/* -ENOMEM or 0. */
int things__find(struct things *t, struct process *p, const struct thread_call *call,
		 struct thing *ret);
/* A window is built. -ENOMEM or 0. */
int things__begin(struct things *t);
/* The builder's id of an object. -ENOMEM or 0. */
int things__give(struct things *t, const struct code_files *cf, const struct capture_files *files,
		 u32 object, struct builder *b, u32 *ret);

#endif
