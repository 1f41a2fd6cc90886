/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* The sums of waits. */
#include "lib/wait.bpf.h"

__noinline int wait_add(const struct cs_wait_key *key, u64 blocked_ns, u64 runq_ns,
			struct cs_wait_sum *fresh)
{
	u64 ns = blocked_ns + runq_ns;
	u32 bucket = cs_hist_bucket(ns) & (CS_HIST_LEN - 1);
	struct cs_wait_sum *sum;

	if (!key || !fresh)
		return 1;
	sum = bpf_map_lookup_elem(&waits, key);
	if (!sum) {
		__builtin_memset(fresh, 0, sizeof(*fresh));
		bpf_map_update_elem(&waits, key, fresh, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&waits, key);
		if (!sum) {
			STAT_INC(wait_lost);
			STAT_ADD(wait_lost_ns, ns);
			return 1;
		}
	}
	/* A thread is on one CPU at a time, but its stopped record may be drained on another. */
	__sync_fetch_and_add(&sum->blocked_ns, blocked_ns);
	__sync_fetch_and_add(&sum->runq_ns, runq_ns);
	__sync_fetch_and_add(&sum->count, 1);
	__sync_fetch_and_add(&sum->hist[bucket], 1);
	if (ns > sum->max_ns)
		sum->max_ns = ns;
	return 0;
}
