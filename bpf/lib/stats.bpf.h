/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_STATS_BPF_H
#define LIB_STATS_BPF_H

#include "lib/maps.bpf.h"

static __always_inline struct cs_stats *this_stats(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&stats, &zero);
}

/* Counters are per CPU and only summed, so nothing can vanish. Atomic against interrupts. */
#define STAT_ADD(name, n)                                                                          \
	do {                                                                                       \
		struct cs_stats *_stats = this_stats();                                            \
		if (_stats)                                                                        \
			__sync_fetch_and_add(&_stats->name, (n));                                  \
	} while (0)

#define STAT_INC(name) STAT_ADD(name, 1)

/*
 * For hooks that run with preemption off, of counters that no hook in an interrupt has: a plain
 * addition. An iterator that it interrupts adds in one instruction, before or after.
 */
#define STAT_BUMP(name, n)                                                                         \
	do {                                                                                       \
		struct cs_stats *_stats = this_stats();                                            \
		if (_stats)                                                                        \
			_stats->name += (n);                                                       \
	} while (0)

#endif
