/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_WAIT_BPF_H
#define LIB_WAIT_BPF_H

/*
 * A wait of known length: is it listed, and its place in the sums.
 */
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"

/*
 * The choice, after the length is known: does this wait get its stacks? `len_ns` is the length of
 * the whole wait, also of the part before the window. Now every wait that the user's bounds let
 * through is chosen.
 */
static __always_inline bool wait_chosen(u64 len_ns, u32 raw_state)
{
	if (len_ns < cfg.min_ns || len_ns > cfg.max_ns)
		return false;
	if (cfg.state_any)
		return true;
	return raw_state ? raw_state & cfg.state_mask : cfg.state_r;
}

/*
 * Adds one wait to the sums; in wait.bpf.c, a global function, so that the verifier reads it once.
 * Returns 0, or 1 when the table is full: counted.
 */
int wait_add(const struct cs_wait_key *at, u64 blocked_ns, u64 runq_ns);

static __always_inline void wait_count_lost_stack(bool lost, u64 ns)
{
	if (!lost)
		return;
	STAT_INC(stack_lost);
	STAT_ADD(stack_lost_ns, ns);
}

#endif
