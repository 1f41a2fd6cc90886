/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_CODE_BPF_H
#define LIB_CODE_BPF_H

/*
 * Numbers that stand for functions of interpreters in a stack (cs_pc_code()): a hash of the address
 * and of what is found there, as memory is used again.
 */
#include "lib/kernel.bpf.h"

#define CODE_KEY_BITS 43

static __always_inline u64 code_mix(u64 h, u64 v)
{
	h = (h ^ v) * 0xd6e8feb86659fd93ULL;
	return h ^ (h >> 32);
}

/* As cs_pc_code() takes it. */
static __always_inline u64 code_number(u64 h)
{
	return (h & ((1ULL << CODE_KEY_BITS) - 1)) << 4;
}

#endif
