/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_ORC_ORC_BPF_H
#define LIB_ORC_ORC_BPF_H

/*
 * The kernel's own tables of frame layouts by instruction, for lib/orc/orc_walk.bpf.h. Entries are
 * as since 6.4, fb799447ae29 ("x86,objtool: Split UNWIND_HINT_EMPTY in two"); capture checks that.
 */
#include "lib/kernel/kernel_word.bpf.h"

#ifdef __TARGET_ARCH_x86

enum { ORC_END = 1, ORC_CALL = 2, ORC_REGS = 3 };
enum { ORC_PREV_SP = 1, ORC_BP = 4, ORC_SP = 5 };

/*
 * The last of the ascending addresses that is not above `ip`, without a branch, which would be two
 * paths for the verifier in every iteration: past the end of the table, its first address is read
 * again.
 */
static __always_inline u32 orc_index(u64 ip)
{
	u64 ips = control.orc.ips;
	u32 lo = 0, len = control.orc.len, step;

	for (step = 1U << 23; step; step >>= 1) {
		u32 i = lo + step, inside = ((u64)i - len) >> 63, below;
		u64 at;

		barrier_var(inside);
		at = ips + (u64)(i * inside) * 4;
		below = inside & ~(u32)((ip - (at + (s32)kernel_word(at))) >> 63);
		barrier_var(below);
		lo += step * below;
	}
	return lo;
}

/* The packed entry of an instruction, from the kernel's tables; 0: none that we can use. */
__noinline u64 orc_search(u64 ip)
{
	u64 raw, type, packed;
	s32 sp_off, bp_off;

	/* A global function is verified alone, even if the kernel has no such cast. */
	if (!cfg.orc || ip < control.orc.text || ip >= control.orc.text_end || !control.orc.len)
		return 0;
	raw = kernel_word(control.orc.entries + (u64)orc_index(ip) * 6);
	sp_off = (s16)raw;
	bp_off = (s16)(raw >> 16);
	type = raw >> 40 & 7;
	if (type < ORC_END || type > ORC_REGS || sp_off & 7 || bp_off & 7 || sp_off < 0 ||
	    sp_off >= 1 << 15 || bp_off < -1024 || bp_off >= 1024)
		return 0;
	packed = type | (raw >> 43 & 1) << 3 | (raw >> 32 & 0xff) << 4 |
		 (u64)(u8)(bp_off >> 3) << 12 | (u64)(sp_off >> 3) << 20 | ip << 32;
	orc_cache[(u32)ip * 2654435769U >> 20 & (ORC_CACHE_LEN - 1)] = packed;
	return packed;
}

static __always_inline u64 orc_of(u64 ip)
{
	u64 packed = orc_cache[(u32)ip * 2654435769U >> 20 & (ORC_CACHE_LEN - 1)];

	return packed >> 32 == (u32)ip && packed & 7 ? packed : orc_search(ip);
}

#endif

#endif
