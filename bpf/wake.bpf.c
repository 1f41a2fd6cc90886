/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* Events of a thread off the CPU: it is woken, or moved to another CPU. */
#include "lib/cost/measure.bpf.h"
#include "lib/event.bpf.h"
#include "lib/task.bpf.h"

/*
 * The instant that splits a wait: always with CS_SPLIT_WAKING, and otherwise while there are
 * sleepers for whom sched_info is wrong, see on_sched_migrate.
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_sched_waking, struct task_struct *task)
{
	struct task_slot *slot = task_slot(task);
	struct scratch *scr;
	u32 zero = 0;

	if (!slot)
		return 0;
	/* A waker may be here while the sleeper is still leaving the CPU. */
	if (slot->phase == CS_PHASE_ON) {
		slot->early_wake = 1;
		return 0;
	}
	if (slot->wake_ns)
		return 0;
	slot->wake_ns = clock_now();
	scr = bpf_map_lookup_elem(&scratches, &zero);
	if (scr && is_measured(scr))
		measured(slot->wake_ns);
	return 0;
}

/* User space attaches on_sched_waking then. If the ring is full, the next one tells. */
static __always_inline void tell_moved(void)
{
	struct cs_event ev = { .kind = CS_EVENT_MOVED };

	if (!bpf_ringbuf_output(&events, &ev, sizeof(ev), BPF_RB_FORCE_WAKEUP))
		moved_sleepers.told = 1;
}

/*
 * Only with CS_SPLIT_SCHED_INFO, in kernels that leave sleepers on the run queue for a while, as
 * EEVDF does since 6.12, 152e11f6df29 ("sched/fair: Implement delayed dequeue"). From then on, one
 * that is moved to another CPU meanwhile has the sched_info of a thread waiting for a CPU.
 */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_sched_migrate, struct task_struct *task)
{
	struct task_slot *slot;

	if (!bpf_core_field_exists(struct sched_entity, sched_delayed) || !task->se.sched_delayed)
		return 0;
	slot = task_slot(task);
	if (!slot || slot->moved_ns)
		return 0;
	slot->moved_ns = clock_now();
	__sync_fetch_and_add(&moved_sleepers.asleep, 1);
	if (!moved_sleepers.told)
		tell_moved();
	return 0;
}
