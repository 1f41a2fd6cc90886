/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Ends a thread's record and begins the next one: at the end of a window, when the thread moves to
 * another cgroup, and when it stops being a target.
 */
#include "lib/account.bpf.h"

static __always_inline void hist_clear(struct cs_task_hist *hist)
{
	if (cfg.hist_unit_ns && hist)
		hist_copy(hist, (const void *)no_hist);
}

__noinline int slot_roll(struct task_slot *slot, struct cs_task_hist *hist, u64 window, u64 wake,
			 struct split *ret)
{
	u64 since, gap_ns = 0;

	if (!slot || !ret)
		return 0;
	since = __sync_lock_test_and_set(&slot->since_ns, window);
	if (cfg.gap_from_ns && wake != ~0ULL && window == control.first_ns)
		gap_ns = gap_part(slot, since, window);
	if (window == control.end_ns &&
	    __sync_lock_test_and_set(&slot->reported_ns, window) != window) {
		if (slot->window_ns != control.begin_ns)
			hist_clear(hist);
		close_at_end(slot, since, wake, control.begin_ns, window, ret);
		task_send(slot, hist, window, CS_TASK_CUT);
	}
	totals_reset(slot, window);
	slot->rec.totals.gap_ns = gap_ns;
	hist_clear(hist);
	return 0;
}

/* The slot stays with the task, but on_sched_process_free() will ignore it. */
static __always_inline void slot_leave(struct task_slot *slot)
{
	__sync_lock_test_and_set(&slot->rec.id, 0);
	__builtin_memset(slot, 0, sizeof(*slot));
	__sync_fetch_and_sub((u32 *)&control.tasks, 1);
}

__noinline int slot_moves(struct task_slot *slot, struct cs_task_hist *hist, u64 cgroup_id, u64 now)
{
	if (!slot || now >= control.last_ns)
		return 0;
	slot->rec.raw_state = 0;
	task_send(slot, hist, now, CS_TASK_MOVED | (cgroup_id ? 0 : CS_TASK_LEFT));
	if (!cgroup_id) {
		slot_leave(slot);
		return 1;
	}
	totals_reset(slot, slot->window_ns);
	hist_clear(hist);
	slot->rec.cgroup_id = cgroup_id;
	slot->rec.flags &= ~CS_TASK_BORN;
	slot->rec.begin_ns = now;
	slot->rec.id = new_task_id();
	return 0;
}
