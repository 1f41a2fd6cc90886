/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_REPLICATES_H
#define CAPTURE_REPLICATES_H

#include "abi/wait.h"
#include "base/intern.h"
#include "base/types.h"
#include "profile/builder.h"

/*
 * Parts of sums by interval (profile/replicate.h): the kernel's table of waits is read again and
 * again while it grows, and what a sum grew by since the last time is what ended in between. Memory
 * is bounded: intervals become fewer and longer; when even that does not help, or reading takes
 * more than a 200th of a CPU, or there is no memory, it is given up, and there are none. Not
 * thread-safe.
 */
struct replicates {
	u64 every_ns; /* 0: not wanted, or given up */
	u64 next_ns; /* instant of the next reading; ~0: none */
	u64 begin_ns; /* of the window, CLOCK_MONOTONIC */
	u64 last_ns; /* of the last reading, or begin */
	size_t key_sz; /* bytes of a struct cs_wait_key that the table has */
	struct intern rows; /* by key; see replicates.c */
	struct vec intervals; /* struct profile_interval */
	struct vec parts; /* struct profile_replicate; wait is the id of a row */
	u32 *first; /* of the parts of each row, when all are there */
};

void replicates__init(struct replicates *rs, u64 every_ns);
void replicates__done(struct replicates *rs);
/* The window begins. Keys are the first key_sz bytes of a struct cs_wait_key. */
void replicates__begin(struct replicates *rs, u64 begin_ns, size_t key_sz);
/* An interval ends; then replicates__row() for each sum, then replicates__read(). */
void replicates__next(struct replicates *rs, u64 now_ns);
/* As table_read() calls it; `arg` is the struct replicates. Never fails: it gives up. */
int replicates__row(void *arg, const void *key, const void *sum);
/* What the reading cost, of our own CPU time. */
void replicates__read(struct replicates *rs, u64 cpu_ns);
/*
 * The window is over: the intervals go into the builder, and then, with each sum as it is in the
 * end and as the wait that the builder has made of it last, its parts. Errors of the builder.
 */
int replicates__end(struct replicates *rs, u64 end_ns, struct builder *b);
int replicates__give(struct replicates *rs, const void *key, const struct cs_wait_sum *sum,
		     struct builder *b);

#endif
