/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_HIST_BPF_H
#define LIB_HIST_BPF_H

/*
 * Lengths of slices on a CPU and of waits, per thread: all of them, chosen or not. Only if
 * cfg.hist_unit_ns is set; otherwise it is dead code and uses no memory.
 */
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"

/* A zeroed struct cs_task_hist: sent for a thread whose histograms could not be allocated. */
extern const char no_hist[sizeof(struct cs_task_hist)];

/* In hist.bpf.c, a global function, so that the verifier reads its steps once. */
int hist_bucket(u64 ns);

static __always_inline void hist_new(struct task_struct *task)
{
	if (cfg.hist_unit_ns &&
	    !bpf_task_storage_get(&task_hists, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE))
		STAT_INC(hist_lost);
}

/* NULL: not kept, or out of memory. */
static __always_inline struct cs_task_hist *hist_of(struct task_struct *task)
{
	return cfg.hist_unit_ns ? bpf_task_storage_get(&task_hists, task, 0, 0) : NULL;
}

static __always_inline const struct cs_task_hist *hist_or_none(struct task_struct *task)
{
	const struct cs_task_hist *h = hist_of(task);

	return h ? h : (const void *)no_hist;
}

/* Two KiB are too much for 8-byte instructions. */
static __always_inline void hist_copy(struct cs_task_hist *to, const struct cs_task_hist *from)
{
	bpf_probe_read_kernel(to, sizeof(*to), from);
}

static __always_inline void hist_reset(struct task_struct *task)
{
	struct cs_task_hist *h = hist_of(task);

	if (h)
		hist_copy(h, (const void *)no_hist);
}

static __always_inline u32 *hist_count(struct cs_task_hist *h, u32 kind, u64 ns)
{
	u64 bucket = (u32)hist_bucket(ns);

	/* The verifier of 6.1 needs the bound on the register that is used. */
	barrier_var(bucket);
	if (bucket >= CS_FINE_LEN)
		bucket = CS_FINE_LEN - 1;
	barrier_var(bucket);
	return &h->counts[kind][bucket];
}

/* A slice that ends now. It counts in the window in which it ends, with its full length. */
static __always_inline void hist_slice(struct task_struct *task, u64 since, u64 now)
{
	struct cs_task_hist *h;
	u64 ns = now - since;
	u32 *n;

	if (!cfg.hist_unit_ns || since < control.first_ns || now >= control.last_ns)
		return;
	h = hist_of(task);
	if (!h)
		return;
	n = hist_count(h, CS_TASK_HIST_ON, ns);
	if (!~*n)
		return;
	++*n;
	h->on_ns += ns;
}

/* Likewise, a wait. */
static __always_inline void hist_wait(const struct task_slot *slot, struct task_struct *task,
				      u64 since, u64 wake, u64 now)
{
	u64 blocked_ns = wake - since, runq_ns = now - wake;
	struct cs_task_hist *h;
	u32 *off, *runq, *blocked;

	if (!cfg.hist_unit_ns || slot->flags & CS_WAIT_PRE || since < control.first_ns ||
	    now >= control.last_ns)
		return;
	h = hist_of(task);
	if (!h)
		return;
	off = hist_count(h, CS_TASK_HIST_OFF, blocked_ns + runq_ns);
	runq = hist_count(h, CS_TASK_HIST_RUNQ, runq_ns);
	blocked = hist_count(h, CS_TASK_HIST_BLOCKED, blocked_ns);
	if (!~*off || !~*runq || !~*blocked)
		return;
	++*off;
	++*runq;
	if (slot->raw_state && !(slot->raw_state & CS_RAW_NEW))
		++*blocked;
	h->runq_ns += runq_ns;
	h->blocked_ns += blocked_ns;
}

#endif
