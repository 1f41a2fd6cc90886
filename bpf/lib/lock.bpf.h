/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_LOCK_BPF_H
#define LIB_LOCK_BPF_H

/* Kernel locks that threads sleep for: lock.bpf.c records them in the thread's slot. */
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"

/*
 * The owner of the lock in the slot of a thread that is leaving the CPU, as cs_wait_key.owner. If
 * no thread waits for that lock, the record is stale and is cleared. In lock.bpf.c, a global
 * function, so that the verifier reads it once, and a thread that waits for no such lock does not
 * pay for it.
 */
u32 owner_of_lock(struct task_slot *slot);

#endif
