/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_TASK_HISTS_H
#define CAPTURE_TASK_HISTS_H

#include "abi/task.h"
#include "base/types.h"
#include "base/vec.h"
#include "profile/builder.h"

/*
 * Histograms of threads between the kernel and a builder: of 484 counts of a thread a few dozen are
 * not 0, and only these are kept.
 */
struct task_hists {
	struct vec sums; /* struct task_hist_sum, in the order of adding */
	struct vec bins; /* struct profile_bin, without a task */
};

void task_hists__init(struct task_hists *t);
void task_hists__done(struct task_hists *t);
/* Bytes of memory that one more may take at once; 0 when there is room for it. */
u64 task_hists__growth(const struct task_hists *t);
/* -ENOMEM or 0. */
int task_hists__add(struct task_hists *t, const struct cs_task_hist *h);
/* Forgets all of them. */
void task_hists__reset(struct task_hists *t);
/* The counts of the one that was added as number `idx`; they live until the next change. */
const struct profile_bin *task_hists__bins(const struct task_hists *t, size_t idx, size_t *ret_len);
/* Of the one that was added as number `idx`: sets hist_*_ns. */
void task_hists__sums(const struct task_hists *t, size_t idx, struct profile_task *ret);
/* Its counts, as those of the builder's `task`. */
int task_hists__give(const struct task_hists *t, size_t idx, u32 task, struct builder *b);

#endif
