/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_WAIT_BPF_H
#define LIB_WAIT_BPF_H

/*
 * A wait of known length: is it listed, and its place in the sums.
 */
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"

#include "abi/sample.h"

/*
 * How many points of its periods does a thread pass in a wait that is shorter than the period? 2 at
 * most. In wait.bpf.c, a global function, so that the verifier reads it once.
 */
u64 wait_points(struct task_slot *slot, u64 ns, u64 period_ns);

/*
 * The choice, after the length is known: does this wait get its stacks, and for how much time does
 * it stand? 0: it is not listed. `len_ns` is the length of the whole wait, which the user's bounds
 * are for; `ns` is its part in the window.
 */
static __always_inline u64 wait_weight(struct task_slot *slot, u64 len_ns, u64 ns)
{
	u64 period = control.period_ns;

	if (len_ns < cfg.min_ns || len_ns > cfg.max_ns)
		return 0;
	if (!cfg.state_any && !(slot->raw_state ? slot->raw_state & cfg.state_mask : cfg.state_r))
		return 0;
	if (ns >= period)
		return ns;
	return wait_points(slot, ns, period) * period;
}

/*
 * Adds one wait, which stands for weight_ns, to the sums; in wait.bpf.c, a global function, so that
 * the verifier reads it once. Returns 0, or 1 when the table is full: counted.
 */
int wait_add(const struct cs_wait_key *at, u64 blocked_ns, u64 runq_ns, u64 weight_ns);

/* Adds one sample of a thread on a CPU. Likewise. */
int sample_add(const struct cs_wait_key *at);

static __always_inline void wait_count_lost_stack(bool lost, u64 weight_ns)
{
	if (!lost)
		return;
	STAT_INC(stack_lost);
	STAT_ADD(stack_lost_ns, weight_ns);
}

#endif
