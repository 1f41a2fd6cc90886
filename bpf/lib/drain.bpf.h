/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_DRAIN_BPF_H
#define LIB_DRAIN_BPF_H

/* What the walks at the end of a window write for user space. */
#include "lib/task.bpf.h"

/* A thread without a slot, at the end of the trace. */
static __always_inline void count_unmarked(struct task_struct *task, u64 begin, u64 end)
{
	if (end == control.last_ns &&
	    task_matches(task, task_tgid(task), task_tid(task), task->comm) &&
	    !task_has_ended(task) && begin < end)
		STAT_INC(unmarked);
}

static __always_inline void write_record(struct bpf_iter__task *ctx, struct drain_task *at)
{
	bpf_seq_write(ctx->meta->seq, &at->slot.rec, sizeof(at->slot.rec));
	if (cfg.hist_unit_ns)
		bpf_seq_write(ctx->meta->seq, &at->hist, sizeof(at->hist));
}

static __always_inline void write_young(struct bpf_iter__task *ctx, struct task_slot *slot,
					struct drain_task *at)
{
	if (bpf_probe_read_kernel(&at->slot, sizeof(at->slot), slot))
		return;
	at->slot.rec.end_ns = at->slot.rec.begin_ns;
	write_record(ctx, at);
}

#endif
