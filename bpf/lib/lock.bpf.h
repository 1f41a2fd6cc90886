/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_LOCK_BPF_H
#define LIB_LOCK_BPF_H

/* Locks of the kernel that threads sleep for: lock.bpf.c notes them in the thread's slot. */
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"

/*
 * Who has the lock in the slot of a thread that is leaving the CPU, as cs_wait_key.owner. Where
 * nobody waits for that lock, the note of it is stale, and goes. In lock.bpf.c, a global function,
 * so that the verifier reads it once, and a thread that waits for no such lock pays for none of it.
 */
u32 owner_of_lock(struct task_slot *slot);

/* A wait for a lock of the kernel, and it is not known whose it was. */
static __always_inline void count_unknown_holder(u64 lock, u32 owner, u64 weight_ns)
{
	if (!lock || owner)
		return;
	STAT_INC(holder_unknown);
	STAT_ADD(holder_unknown_ns, weight_ns);
}

#endif
