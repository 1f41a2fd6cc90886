/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* Begins and ends of requests, at the probes that the user named. */
#include "lib/request/mark.bpf.h"
#include "lib/task.bpf.h"

/*
 * One program for all probes: the cookie says which one, and whether it begins or ends a request. A
 * probe in a shared file also fires in processes that are not recorded; they have no slot.
 */
SEC("uprobe")
int BPF_KPROBE(on_request)
{
	struct task_slot *slot = task_slot(bpf_get_current_task_btf());
	struct cs_mark m = { .at_ns = clock_now() };

	if (!slot)
		return 0;
	m.task = slot->rec.id;
	m.probe = (u32)bpf_get_attach_cookie(ctx);
	return mark_send(&m, slot->rec.image, slot->rec.tgid);
}
