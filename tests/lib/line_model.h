/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_LINE_MODEL_H
#define TESTS_LIB_LINE_MODEL_H

#include <linux/types.h>

/*
 * A model of which CPU's cache has which line of memory, for code that was compiled with
 * -fsanitize=thread: each of its loads and stores calls a function of this file, not of that
 * sanitizer. One thread plays all CPUs in turn, so the counts are the same in every run.
 *
 * A line is written by one CPU, which takes it away from all others, or read by many. A transfer
 * is an access that has to fetch the line from another CPU, or again because another CPU wrote to
 * it, or that takes it away from others that read it: what makes CPUs slow each other down. Not in
 * the model: sizes of caches, the bus, and time; code between two calls of line_model__run_on() is
 * as if it ran at one instant.
 */
#define MODEL_CPUS 64 /* at most */
#define MODEL_LINE 64 /* bytes */
#define MODEL_REGIONS 16

struct line_count {
	__u64 accesses; /* whole loads and stores, wherever their bytes are */
	__u64 atomics;
	__u64 transfers;
	__u64 written; /* of the transfers, those for a store */
	__u64 lines_written; /* lines that more than one CPU has written to */
};

/* Memory regions to observe; all other memory is ignored. */
void line_model__begin(void);
void line_model__add(const char *name, const volatile void *mem, __u64 sz);
void line_model__end(void);

/* From here on, CPU `cpu` runs the code. */
void line_model__run_on(__u32 cpu);
/* Resets the counts, but not where the lines are. */
void line_model__reset_counts(void);
/* The counts of a region; all 0 for an unknown name. */
struct line_count line_model__count(const char *name);

#endif
