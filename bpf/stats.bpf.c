/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* Counters. */
#include "lib/stats.bpf.h"

__noinline int stat_add(u32 i, u64 n)
{
	struct cs_stats *s = this_stats();

	if (!s || i >= sizeof(*s) / sizeof(u64))
		return 0;
	barrier_var(i);
	/* Per CPU and only summed, so nothing can vanish. Atomic against interrupts. */
	__sync_fetch_and_add((u64 *)s + i, n);
	return 0;
}
