/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_TASK_HISTS_H
#define CAPTURE_TASK_HISTS_H

#include "abi/task.h"
#include "base/types.h"
#include "base/vec.h"
#include "profile/builder.h"

/*
 * Thread histograms between the kernel and a builder: of the 484 counts of a thread a few dozen are
 * nonzero, and only these are kept.
 */
struct task_hists {
	struct vec sums; /* struct task_hist_sum, in order of addition */
	struct vec bins; /* struct profile_bin, without a task */
};

void task_hists__init(struct task_hists *t);
void task_hists__done(struct task_hists *t);
/* Bytes that adding one more may allocate; 0 if there is room. */
u64 task_hists__growth(const struct task_hists *t);
/* -ENOMEM or 0. */
int task_hists__add(struct task_hists *t, const struct cs_task_hist *h);
/* Drops all of them. */
void task_hists__reset(struct task_hists *t);
/* The counts of number `idx`; valid until the next change. */
const struct profile_bin *task_hists__bins(const struct task_hists *t, size_t idx, size_t *ret_len);
/* For number `idx`: sets hist_*_ns. */
void task_hists__sums(const struct task_hists *t, size_t idx, struct profile_task *ret);
/* Adds its counts to the builder's `task`. */
int task_hists__give(const struct task_hists *t, size_t idx, u32 task, struct builder *b);

#endif
