/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_ORC_ORC_PRINT_BPF_H
#define LIB_ORC_ORC_PRINT_BPF_H

/* What a fingerprint of a kernel stack is; lib/orc/orc_walk.bpf.h makes them. */
#include "lib/kernel/kernel_word.bpf.h"
#include "lib/scratch.bpf.h"

#ifdef __TARGET_ARCH_x86

/* The low bits of a fingerprint are its number of frames. */
#define PRINT_FRAMES 31
/* Of no frames yet. */
#define ORC_HASH 0x9e3779b97f4a7c15ULL

static __always_inline u64 orc_hash(u64 h, u64 ip)
{
	h = (h ^ ip) * 0xd6e8feb86659fd93ULL;
	return h ^ h >> 32;
}

static __always_inline u64 orc_print(u64 h, u32 frames)
{
	return (h & ~(u64)PRINT_FRAMES) | (frames & PRINT_FRAMES);
}

/*
 * The fingerprint of the kernel stack of the running thread, from the return address at `at` on; 0:
 * it contains something that only the helper can unwind. Defined where lib/orc/orc_walk.bpf.h is
 * used.
 */
u64 orc_walk_running(u64 at, struct orc_walk *w, struct print_memo *m);

#endif

#endif
