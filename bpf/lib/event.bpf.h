/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_EVENT_BPF_H
#define LIB_EVENT_BPF_H

/* News for user space, through the ring buffer. */
#include "lib/clock.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"

/* Sends the totals of a record that is over. */
static __always_inline void task_send(struct task_slot *slot, u64 now, u32 flags)
{
	u64 wall = clock_clip(slot->rec.begin_ns, now);
	struct cs_task_event *ev;

	if (!wall)
		return; /* it was over before the window */
	ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);
	if (!ev) {
		STAT_INC(task_record_lost);
		STAT_ADD(task_record_lost_ns, wall);
		return;
	}
	ev->kind = CS_EVENT_TASK;
	ev->pad = 0;
	__builtin_memcpy(&ev->task, &slot->rec, sizeof(ev->task));
	ev->task.flags |= flags;
	ev->task.end_ns = now;
	bpf_ringbuf_submit(ev, BPF_RB_NO_WAKEUP);
}

static __always_inline void image_send(u32 tgid, u64 image, u64 parent_image)
{
	struct cs_image_event *ev;

	if (cfg.mm_walk)
		return; /* the programs find mappings by themselves */
	ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);
	if (!ev) {
		STAT_INC(process_event_lost);
		return;
	}
	ev->kind = CS_EVENT_IMAGE;
	ev->tgid = tgid;
	ev->image = image;
	ev->parent_image = parent_image;
	/* New mappings must be read while the process lives; those of a fork are known. */
	bpf_ringbuf_submit(ev, parent_image ? BPF_RB_NO_WAKEUP : BPF_RB_FORCE_WAKEUP);
}

/*
 * Code without a file was met in a program, for the first time: user space opens what names it. The
 * map of interpreted functions keeps that too, as one at address 0.
 */
static __always_inline void runtime_send(u32 tgid, u64 image)
{
	struct code_key key = { .image = image };
	struct cs_image_event *ev;
	u8 told = 1;

	if (bpf_map_lookup_elem(&codes, &key))
		return;
	ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);
	if (!ev) {
		STAT_INC(process_event_lost);
		return;
	}
	bpf_map_update_elem(&codes, &key, &told, BPF_ANY);
	ev->kind = CS_EVENT_RUNTIME;
	ev->tgid = tgid;
	ev->image = image;
	ev->parent_image = 0;
	bpf_ringbuf_submit(ev, BPF_RB_FORCE_WAKEUP);
}

#endif
