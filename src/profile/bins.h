/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_BINS_H
#define PROFILE_BINS_H

#include "base/err.h"
#include "base/types.h"

/*
 * The histograms of threads, where they were kept: how long all slices on a CPU and all waits of a
 * thread were, chosen for the list or not. They hold each that began and ended inside the window
 * and inside the record of its thread, with its full length; profile_task.hist_*_ns is the time of
 * these. What the totals have beyond that was cut by an end, so its length is not known.
 *
 * Bucket 0 is below the unit of the header; from there on each power of two of it is four equal
 * steps, 1, 1.25, 1.5 and 1.75 times 2^n. The last one has no end. abi/hist.h has the other half.
 */
enum hist_kind {
	HIST_ON = 0, /* slices on a CPU */
	HIST_OFF, /* waits, whole: as many as HIST_RUNQ has */
	HIST_RUNQ, /* what they waited for a CPU, preempted and new threads too; 0 counts */
	HIST_BLOCKED, /* what they were blocked, those that were */
	HIST_KINDS,
};

#define HIST_BINS 121
/* The unit of recordings: buckets of waits (abi/hist.h) begin and end where some of these do. */
#define HIST_UNIT_NS 1024

/* One count that is not 0. A profile has them in the order of task, kind and bucket. */
struct profile_bin {
	u32 task;
	u16 kind; /* enum hist_kind */
	u16 bucket;
	u64 count;
};

/* Into their order; the first is the zero element. */
void bins_sort(struct profile_bin *bins, u32 len);
/* Shortest length of a bucket. */
u64 bins_floor_ns(u32 unit_ns, u32 bucket);
/* First length above a bucket; ~0 for the last one. */
u64 bins_ceil_ns(u32 unit_ns, u32 bucket);
/* "on", "off", "runq", "blocked"; stable. */
const char *hist_kind_name(enum hist_kind kind);

struct profile;
/* The counts of a thread: bins[first] up to bins[end]. */
void bins_of_task(const struct profile *p, u32 task, u32 *ret_first, u32 *ret_end);
struct profile_task;
/* The sum of the lengths that the histogram of a thread counts. */
u64 bins_task_ns(const struct profile_task *t, enum hist_kind kind);
/*
 * A part of profile__check(): are the counts such that the times of the thread can be their sum,
 * and do they agree with each other and with its switches? Ids were checked. -EINVAL and a
 * sentence, -ENOMEM or 0.
 */
int bins_check(const struct profile *p, struct err *err);

#endif
