/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_COST_TURN_BPF_H
#define LIB_COST_TURN_BPF_H

/* Some runs of many, chosen at random. */
#include "lib/kernel/kernel.bpf.h"

/*
 * True for one call in `mean`. The distance to the next one is random, 1 to 2 `mean` - 1: programs
 * and threads take turns on a CPU, and a fixed distance would choose the same one each time. `left`
 * is that of this CPU, 0 at first. docs/adr/0080.
 */
static __always_inline bool is_turn(u32 *left, u32 mean)
{
	if (*left) {
		*left -= 1;
		return false;
	}
	*left = bpf_get_prandom_u32() % (2 * mean - 1);
	return true;
}

#endif
