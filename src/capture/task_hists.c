/* SPDX-License-Identifier: Apache-2.0 */

/* Converts the kernel's arrays, with a counter for each length, to lists of nonzero counts. */
#include "capture/task_hists.h"

#include <errno.h>

_Static_assert(HIST_BINS == CS_FINE_LEN && (u32)HIST_KINDS == (u32)CS_TASK_HIST_KINDS &&
		       (u32)HIST_ON == (u32)CS_TASK_HIST_ON &&
		       (u32)HIST_OFF == (u32)CS_TASK_HIST_OFF &&
		       (u32)HIST_RUNQ == (u32)CS_TASK_HIST_RUNQ &&
		       (u32)HIST_BLOCKED == (u32)CS_TASK_HIST_BLOCKED,
	       "the two halves of histograms are one");

struct task_hist_sum {
	u64 on_ns;
	u64 runq_ns;
	u64 blocked_ns;
	size_t end; /* in bins */
};

void task_hists__init(struct task_hists *t)
{
	vec__init(&t->sums, sizeof(struct task_hist_sum));
	vec__init(&t->bins, sizeof(struct profile_bin));
}

void task_hists__done(struct task_hists *t)
{
	vec__done(&t->sums);
	vec__done(&t->bins);
}

u64 task_hists__growth(const struct task_hists *t)
{
	return vec__growth(&t->sums, 1) + vec__growth(&t->bins, HIST_KINDS * HIST_BINS);
}

int task_hists__add(struct task_hists *t, const struct cs_task_hist *h)
{
	struct task_hist_sum *sum;
	struct profile_bin *bin;

	for (u16 kind = 0; kind < HIST_KINDS; kind++) {
		for (u16 bucket = 0; bucket < HIST_BINS; bucket++) {
			if (!h->counts[kind][bucket])
				continue;
			bin = vec__push(&t->bins);
			if (!bin)
				return -ENOMEM;
			bin->kind = kind;
			bin->bucket = bucket;
			bin->count = h->counts[kind][bucket];
		}
	}
	sum = vec__push(&t->sums);
	if (!sum)
		return -ENOMEM;
	*sum = (struct task_hist_sum){ h->on_ns, h->runq_ns, h->blocked_ns, t->bins.len };
	return 0;
}

void task_hists__sums(const struct task_hists *t, size_t idx, struct profile_task *ret)
{
	const struct task_hist_sum *sum = vec__at(&t->sums, idx);

	ret->hist_on_ns = sum->on_ns;
	ret->hist_runq_ns = sum->runq_ns;
	ret->hist_blocked_ns = sum->blocked_ns;
}

void task_hists__reset(struct task_hists *t)
{
	vec__reset(&t->sums);
	vec__reset(&t->bins);
}

const struct profile_bin *task_hists__bins(const struct task_hists *t, size_t idx, size_t *ret_len)
{
	const struct task_hist_sum *sum = vec__at(&t->sums, idx);
	size_t first = idx ? sum[-1].end : 0;

	*ret_len = sum->end - first;
	return *ret_len ? vec__at(&t->bins, first) : NULL;
}

int task_hists__give(const struct task_hists *t, size_t idx, u32 task, struct builder *b)
{
	size_t len, i;
	const struct profile_bin *bins = task_hists__bins(t, idx, &len);
	int r = 0;

	for (i = 0; !r && i < len; i++) {
		struct profile_bin bin = bins[i];

		bin.task = task;
		r = builder__bin(b, &bin);
	}
	return r;
}
