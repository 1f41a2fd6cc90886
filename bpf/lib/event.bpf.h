/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_EVENT_BPF_H
#define LIB_EVENT_BPF_H

/* Events for user space, through the ring buffer. */
#include "lib/clock.bpf.h"
#include "lib/hist.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"

static __always_inline void task_lost(u64 wall_ns)
{
	STAT_INC(task_record_lost);
	STAT_ADD(task_record_lost_ns, wall_ns);
}

static __always_inline void task_copy(struct cs_task_record *to, const struct task_slot *slot,
				      u64 now, u32 flags)
{
	__builtin_memcpy(to, &slot->rec, sizeof(*to));
	to->flags |= flags;
	to->end_ns = now;
}

static __always_inline void task_send_hist(struct task_slot *slot, const struct cs_task_hist *hist,
					   u64 now, u32 flags, u64 wall_ns)
{
	struct cs_task_hist_event *ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);

	if (!ev) {
		task_lost(wall_ns);
		return;
	}
	ev->kind = CS_EVENT_TASK_HIST;
	ev->pad = 0;
	task_copy(&ev->record.task, slot, now, flags);
	hist_copy(&ev->record.hist, hist ? hist : (const void *)no_hist);
	bpf_ringbuf_submit(ev, BPF_RB_NO_WAKEUP);
}

/* How long the record lasted in the window that ends at `end`, or in the current one. */
static __always_inline u64 wall_until(const struct task_slot *slot, u64 end)
{
	u64 begin = slot->rec.begin_ns;

	if (begin < slot->window_ns)
		begin = slot->window_ns;
	if (end < control.first_ns || begin >= control.last_ns || end < begin)
		return 0;
	return end - begin;
}

/*
 * Sends the totals of a record that ended, or was cut by its window, and its histograms, or NULL if
 * there are none.
 */
static __always_inline void task_send(struct task_slot *slot, const struct cs_task_hist *hist,
				      u64 now, u32 flags)
{
	u64 wall_ns = wall_until(slot, now);
	struct cs_task_event *ev;

	if (!wall_ns) {
		/* After the end, a thread of the window has already sent its record. */
		if (slot->rec.id <= control.last_task_id && slot->reported_ns != control.last_ns)
			STAT_INC(task_record_outside);
		return;
	}
	if (cfg.hist_unit_ns) {
		task_send_hist(slot, hist, now, flags, wall_ns);
		return;
	}
	ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);
	if (!ev) {
		task_lost(wall_ns);
		return;
	}
	ev->kind = CS_EVENT_TASK;
	ev->pad = 0;
	task_copy(&ev->task, slot, now, flags);
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
	/* New mappings must be read while the process exists; those of a fork are known. */
	bpf_ringbuf_submit(ev, parent_image ? BPF_RB_NO_WAKEUP : BPF_RB_FORCE_WAKEUP);
}

/*
 * Code without a file was first seen in a program: user space opens what names it. The map of
 * interpreted functions records that too, as a function at address 0.
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
