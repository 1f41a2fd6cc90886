/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Marks on their way to user space. Where a thread keeps its trace is found in user space, for it
 * takes symbols and relocations; the first mark of a program asks for it.
 */
#include "lib/request/mark.bpf.h"
#include "lib/request/thread_context.bpf.h"

static __always_inline void ask(u64 image, u32 tgid)
{
	struct cs_thread_context asked = { .is_seen = 1 };
	struct cs_image_event *ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);

	if (!ev) {
		STAT_INC(process_event_lost);
		return;
	}
	bpf_map_update_elem(&thread_contexts, &image, &asked, BPF_NOEXIST);
	ev->kind = CS_EVENT_REQUESTS;
	ev->tgid = tgid;
	ev->image = image;
	ev->parent_image = 0;
	/* The first answer is often a moment away. */
	bpf_ringbuf_submit(ev, BPF_RB_FORCE_WAKEUP);
}

/* NULL: nobody knows yet. */
static __always_inline struct cs_thread_context *context_of(u64 image, u32 tgid)
{
	struct cs_thread_context *from = bpf_map_lookup_elem(&thread_contexts, &image);

	if (!from)
		ask(image, tgid);
	else if (from->is_found)
		return from;
	else if (!from->is_seen)
		from->is_seen = 1;
	return NULL;
}

__noinline int mark_ask(u64 image, u32 tgid)
{
	return context_of(image, tgid) != NULL;
}

static __always_inline bool is_read(const struct cs_mark *m)
{
	return m->probe & CS_MARK_SOCKET && !(m->probe & 1);
}

__noinline int mark_send(const struct cs_mark *m, u64 image, u32 tgid)
{
	struct cs_thread_context *from;
	struct cs_traced_mark *traced;
	struct cs_mark *plain;
	u64 trace[2];

	if (!m)
		return 0;
	from = context_of(image, tgid);
	if (from && !is_read(m) && thread_context_trace(from, trace)) {
		traced = bpf_ringbuf_reserve(&moments, sizeof(*traced), 0);
		if (!traced)
			goto lost;
		traced->mark = *m;
		__builtin_memcpy(traced->trace, trace, sizeof(traced->trace));
		traced->pad = 0;
		/* Moments wake user space, and it looks at the ring ten times a second anyway. */
		bpf_ringbuf_submit(traced, BPF_RB_NO_WAKEUP);
		return 0;
	}
	plain = bpf_ringbuf_reserve(&moments, sizeof(*plain), 0);
	if (!plain)
		goto lost;
	*plain = *m;
	bpf_ringbuf_submit(plain, BPF_RB_NO_WAKEUP);
	return 0;
lost:
	STAT_INC(mark_lost);
	return 0;
}
