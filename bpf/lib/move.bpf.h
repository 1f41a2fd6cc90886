/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_MOVE_BPF_H
#define LIB_MOVE_BPF_H

/* A thread moves to another cgroup, or is no target any more. */
#include "lib/account.bpf.h"
#include "lib/filter.bpf.h"

/*
 * Asked at switches, because no other moment of a running thread is safe from its own hooks. What
 * it did when it was moved is the last of its old record. True: it is not recorded any more.
 */
static __always_inline bool task_moves(struct task_slot *slot, struct task_struct *task, u64 now)
{
	u64 id;

	/*
	 * First, with a barrier behind it: one that moves again is looked at again. There is no
	 * atomic exchange of a byte.
	 */
	*(volatile u8 *)&slot->moved = 0;
	__sync_fetch_and_add(&slot->reported_ns, 0);
	id = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	if (!task_stays(task, &slot->rec))
		id = 0;
	else if (id == slot->rec.cgroup_id)
		return false;
	read_names(&slot->rec, task);
	return slot_moves(slot, hist_of(task), id, now);
}

#endif
