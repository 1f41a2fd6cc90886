/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* The sums of waits. */
#include "lib/wait.bpf.h"

static const struct cs_wait_sum empty_sum = {};

__noinline int wait_add(const struct cs_wait_key *at, u64 blocked_ns, u64 runq_ns)
{
	u64 ns = blocked_ns + runq_ns;
	u32 bucket = cs_hist_bucket(ns) & (CS_HIST_LEN - 1);
	struct cs_wait_sum *sum;
	struct cs_wait_key key;

	if (!at)
		return 1;
	/* 6.1 takes no argument of a global function as the key or value of a map. */
	key = *at;
	sum = bpf_map_lookup_elem(&waits, &key);
	if (!sum) {
		bpf_map_update_elem(&waits, &key, &empty_sum, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(&waits, &key);
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
