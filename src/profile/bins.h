/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_BINS_H
#define PROFILE_BINS_H

#include "base/err.h"
#include "base/types.h"

/*
 * Thread histograms, if they were kept: the lengths of all slices on a CPU and all waits of a
 * thread, chosen or not. They contain every one that ended inside the window and began inside the
 * trace and the record of its thread, with its full length; profile_task.hist_*_ns is their total
 * time. A wait that crosses from one window of a trace into another counts once, in the window in
 * which it ends, so the time there may exceed the window. The rest of the totals was cut by an end
 * of the trace or the record, so its length is unknown.
 *
 * Bucket 0 is below the unit of the header; above it, each power of two is divided into four equal
 * steps, 1, 1.25, 1.5 and 1.75 times 2^n. The last one is unbounded. abi/hist.h is the other half.
 */
enum hist_kind {
	HIST_ON = 0, /* slices on a CPU */
	HIST_OFF, /* complete waits: as many as in HIST_RUNQ */
	HIST_RUNQ, /* their time waiting for a CPU, including preempted and new threads; 0 counts */
	HIST_BLOCKED, /* their blocked time, if any */
	HIST_KINDS,
};

#define HIST_BINS 121
/* The unit of recordings: bucket boundaries of waits (abi/hist.h) are among those of these. */
#define HIST_UNIT_NS 1024

/* One nonzero count. A profile has them in the order of task, kind and bucket. */
struct profile_bin {
	u32 task;
	u16 kind; /* enum hist_kind */
	u16 bucket;
	u64 count;
};

/* Sorts them; the first is the zero element. */
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
 * Part of profile__check(): whether the times of each thread can be the sum of its counts, and
 * whether the counts agree with each other and with its switches. Ids were checked before. -EINVAL
 * with a message, -ENOMEM or 0.
 */
int bins_check(const struct profile *p, struct err *err);

#endif
