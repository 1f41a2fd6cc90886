/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* What happens to a thread that is off the CPU: it is woken, or moved to another one. */
#include "lib/measure.bpf.h"
#include "lib/task.bpf.h"

/* Only with CS_SPLIT_WAKING: the instant that splits a wait. */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_sched_waking, struct task_struct *task)
{
	struct task_slot *slot = task_slot(task);
	struct scratch *scr;
	u32 zero = 0;

	if (!slot)
		return 0;
	/* A waker may be here while the sleeper is still on its way out of the CPU. */
	if (slot->phase == CS_PHASE_ON) {
		slot->early_wake = 1;
		return 0;
	}
	if (slot->wake_ns)
		return 0;
	slot->wake_ns = clock_now();
	scr = bpf_map_lookup_elem(&scratches, &zero);
	if (scr && measure(scr))
		measured(slot->wake_ns);
	return 0;
}

/*
 * Only with CS_SPLIT_SCHED_INFO, in kernels that leave sleepers on the run queue for a while, as
 * EEVDF does since 6.12, 152e11f6df29 ("sched/fair: Implement delayed dequeue"). One that is moved
 * to another CPU meanwhile has from then on the notes of a thread that waits for a CPU.
 */
SEC("tp_btf/sched_migrate_task")
int BPF_PROG(on_sched_migrate, struct task_struct *task)
{
	struct task_slot *slot;

	if (!bpf_core_field_exists(struct sched_entity, sched_delayed) || !task->se.sched_delayed)
		return 0;
	slot = task_slot(task);
	if (slot && !slot->moved_ns)
		slot->moved_ns = clock_now();
	return 0;
}
