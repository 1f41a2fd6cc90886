/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_STATS_BPF_H
#define LIB_STATS_BPF_H

#include "lib/maps.bpf.h"

static __always_inline struct cs_stats *this_stats(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&stats, &zero);
}

/*
 * Adds to the counter with this number. A global function, in stats.bpf.c: a lookup at every call
 * site would be two paths for the verifier, and would change a program of ten thousand instructions
 * when the kernel inlines the call.
 */
int stat_add(u32 i, u64 n);

#define STAT_ADD(name, n) stat_add(__builtin_offsetof(struct cs_stats, name) / sizeof(u64), (n))

#define STAT_INC(name) STAT_ADD(name, 1)

/*
 * For hooks that run with preemption off, and counters that no hook in an interrupt uses: a plain
 * addition. An iterator that it interrupts adds in one instruction, before or after.
 */
#define STAT_BUMP(name, n)                                                                         \
	do {                                                                                       \
		struct cs_stats *_stats = this_stats();                                            \
		if (_stats)                                                                        \
			_stats->name += (n);                                                       \
	} while (0)

#endif
