/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* Begins and ends of requests, at the probes that the user named. */
#include "lib/moment.bpf.h"
#include "lib/task.bpf.h"

/*
 * One program for all probes: the cookie says which one, and whether it begins or ends a request. A
 * probe in a shared file also fires in processes that are not recorded; they have no slot.
 */
SEC("uprobe")
int BPF_KPROBE(on_request)
{
	struct task_slot *slot = task_slot(bpf_get_current_task_btf());
	struct cs_mark *m;

	if (!slot)
		return 0;
	m = bpf_ringbuf_reserve(&moments, sizeof(*m), 0);
	if (!m) {
		STAT_INC(mark_lost);
		return 0;
	}
	m->at_ns = clock_now();
	m->task = slot->rec.id;
	m->probe = (u32)bpf_get_attach_cookie(ctx);
	m->connection = 0;
	m->head = 0;
	/* Moments wake user space, and it looks at the ring ten times a second anyway. */
	bpf_ringbuf_submit(m, BPF_RB_NO_WAKEUP);
	return 0;
}
