/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_CODE_BPF_H
#define LIB_CODE_BPF_H

/*
 * Numbers that identify functions of interpreters in a stack (cs_pc_code()): a hash of the address
 * and of its contents, because memory is reused. Reading the contents each time would be expensive,
 * so a function that has been the same for a while is trusted for a moment.
 */
#include "lib/kernel/kernel.bpf.h"

#include "abi/stack.h"

/* How long a function is trusted without reading it, and from which age on. */
#define CODE_KNOWN_NS 10000000ULL
#define CODE_KNOWN_AGE_NS 1000000000ULL

/* Whether a function that is the same since `since_ns`, and was last read at `ns`, is trusted. */
static __always_inline bool code_is_believed(u64 since_ns, u64 ns, u64 now_ns)
{
	return now_ns - ns <= CODE_KNOWN_NS && ns - since_ns >= CODE_KNOWN_AGE_NS;
}

static __always_inline u64 code_mix(u64 h, u64 v)
{
	h = (h ^ v) * 0xd6e8feb86659fd93ULL;
	return h ^ (h >> 32);
}

/* As cs_pc_code() takes it; `java` is CS_CODE_JAVA or 0. */
static __always_inline u64 code_number(u64 h, u64 java)
{
	return (h & (CS_CODE_JAVA - 1) & ~15ULL) | java;
}

#endif
