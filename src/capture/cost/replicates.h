/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_COST_REPLICATES_H
#define CAPTURE_COST_REPLICATES_H

#include "abi/wait.h"
#include "base/intern.h"
#include "base/types.h"
#include "profile/builder.h"

/*
 * Parts of sums by interval (profile/replicate.h): the kernel's table of waits is read repeatedly
 * while it grows, and the growth of a sum since the last reading is what ended in between. Memory
 * is bounded: intervals become fewer and longer. If even that does not help, or reading takes more
 * than a 200th of a CPU, or memory runs out, it is given up, and there are none. Not thread-safe.
 */
struct replicates {
	u64 every_ns; /* 0: not wanted or given up */
	u64 next_ns; /* instant of the next reading; ~0: none */
	u64 begin_ns; /* of the window, CLOCK_MONOTONIC */
	u64 last_ns; /* of the last reading, or the start */
	size_t key_sz; /* bytes of the table's struct cs_wait_key */
	struct intern rows; /* by key; see replicates.c */
	struct vec intervals; /* struct profile_interval */
	struct vec parts; /* struct profile_replicate; wait is the id of a row */
	u32 *first; /* by row: its first part, when all are read */
};

void replicates__init(struct replicates *rs, u64 every_ns);
void replicates__done(struct replicates *rs);
/* The window begins. Keys are the first key_sz bytes of a struct cs_wait_key. */
void replicates__begin(struct replicates *rs, u64 begin_ns, size_t key_sz);
/* An interval ends; then replicates__row() for each sum, then replicates__read(). */
void replicates__next(struct replicates *rs, u64 now_ns);
/* A callback of table_read(); `arg` is the struct replicates. Never fails: it gives up. */
int replicates__row(void *arg, const void *key, const void *sum);
/* The cost of the reading, in our own CPU time. */
void replicates__read(struct replicates *rs, u64 cpu_ns);
/*
 * The window is over: adds the intervals to the builder, and then, for each final sum and the
 * builder's last wait, its parts. Errors of the builder.
 */
int replicates__end(struct replicates *rs, u64 end_ns, struct builder *b);
int replicates__give(struct replicates *rs, const void *key, const struct cs_wait_sum *sum,
		     struct builder *b);

#endif
