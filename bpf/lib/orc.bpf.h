/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_ORC_BPF_H
#define LIB_ORC_BPF_H

/*
 * Kernel stacks, told apart for a fortieth of what the kernel's helper takes to read one: 2 us.
 *
 * All that a thread off the CPU has on its kernel stack lies still, so our own walk by the kernel's
 * ORC tables sees the same frames as the helper, and makes a hash of them. The stack itself is read
 * by the helper when its hash is met for the first time, and now and then afterwards, to compare.
 *
 * The walk is that of arch/x86/kernel/unwind_orc.c, less all that a thread which left the CPU by
 * __schedule() cannot have. Entries are as since 6.4, fb799447ae29 ("x86,objtool: Split
 * UNWIND_HINT_EMPTY in two"); capture checks that.
 */
#include "lib/kernel_stack.bpf.h"

#ifdef __TARGET_ARCH_x86

/*
 * Reads of what a number points to, by plain loads that are caught where there is no memory: a
 * helper's call would cost more than the rest of a frame. 6.2+, so only under cfg.orc; where it is
 * not, NULL is put in the place of the call.
 */
#ifndef bpf_rdonly_cast /* tests for this machine have their own */
static void *(*const bpf_rdonly_cast)(const void *obj, __u32 btf_id) = (void *)CS_CALL_RDONLY_CAST;
#endif

#define FRAMES_MAX 31
/* The low bits of a fingerprint are the number of frames that it is of. */
#define PRINT_FRAMES 31
/* struct inactive_task_frame: r15 to bx, then these; 64-bit. */
#define INACTIVE_BP 40
#define INACTIVE_IP 48
#define INACTIVE_SZ 56

enum { ORC_END = 1, ORC_CALL = 2, ORC_REGS = 3 };
enum { ORC_PREV_SP = 1, ORC_BP = 4, ORC_SP = 5 };

static __always_inline u64 kernel_word(u64 addr)
{
	struct timespec64 *p = bpf_rdonly_cast((void *)addr, cfg.timespec64_id);

	return p->tv_sec;
}

/* The last of the ascending addresses that is not above `ip`; no branch depends on what is read. */
static __always_inline u32 orc_index(u64 ip)
{
	u64 ips = control.orc.ips;
	u32 lo = 0, len = control.orc.len, step;

	for (step = 1U << 23; step; step >>= 1) {
		u32 i = lo + step;
		u64 at = ips + (u64)i * 4;
		u32 below;

		if (i >= len)
			continue;
		below = 1 - (u32)((ip - (at + (s32)kernel_word(at))) >> 63);
		barrier_var(below);
		lo += step * below;
	}
	return lo;
}

/* The packed entry of an instruction, from the kernel's tables; 0: none that we could use. */
__noinline u64 orc_search(u64 ip)
{
	u64 raw, type, packed;
	s32 sp_off, bp_off;

	/* A global function is verified by itself, also where the kernel has no such cast. */
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

static __always_inline u64 orc_print(u64 hash, u32 frames)
{
	return (hash & ~(u64)PRINT_FRAMES) | frames;
}

/*
 * The fingerprint of the kernel stack of a thread that is off the CPU: `sp` is its thread.sp. 0:
 * there is something on it that only the helper can walk.
 */
__noinline u64 orc_fingerprint(u64 sp)
{
	u64 top = (sp | (KERNEL_STACK_SZ - 1)) + 1, user = top - control.orc.regs_sz,
	    h = 0x9e3779b97f4a7c15ULL;
	u64 ip, bp, orc, next;
	u32 i, reg;

	if (!cfg.orc)
		return 0; /* see orc_search() */
	ip = kernel_word(sp + INACTIVE_IP);
	bp = kernel_word(sp + INACTIVE_BP);
	sp += INACTIVE_SZ;
	for (i = 0; i < FRAMES_MAX; i++) {
		h = (h ^ ip) * 0xd6e8feb86659fd93ULL;
		h ^= h >> 32;
		orc = orc_of(ip - 1);
		if ((orc & 7) == ORC_END)
			return orc_print(h, i + 1);
		reg = orc >> 4 & 15;
		if (!orc || (reg != ORC_SP && reg != ORC_BP))
			return 0;
		next = (reg == ORC_SP ? sp : bp) + (orc >> 20 & 0xfff) * 8;
		/* Where the thread came from user space; interrupts of the kernel are left. */
		if ((orc & 7) == ORC_REGS)
			return next == user ? orc_print(h, i + 1) : 0;
		if (next < sp || next > top)
			return 0;
		ip = kernel_word(next - 8);
		if (!ip)
			return orc_print(h, i + 1);
		reg = orc >> 8 & 15;
		if (reg == ORC_PREV_SP)
			bp = kernel_word(next + (s64)(s8)(orc >> 12) * 8);
		else if (reg == ORC_BP)
			bp = kernel_word(bp + (s64)(s8)(orc >> 12) * 8);
		sp = next;
	}
	return 0;
}

/* The user registers of a thread, without the helper's call where that can be. */
static __always_inline const struct pt_regs *task_regs(struct task_struct *task)
{
	if (cfg.orc && control.orc.regs_sz)
		return bpf_rdonly_cast((void *)(kernel_stack_top(task) - control.orc.regs_sz),
				       cfg.pt_regs_id);
	return (struct pt_regs *)bpf_task_pt_regs(task);
}

#else

#define PRINT_FRAMES 0

static __always_inline u64 orc_fingerprint(u64 sp)
{
	(void)sp;
	return 0;
}

static __always_inline const struct pt_regs *task_regs(struct task_struct *task)
{
	return (struct pt_regs *)bpf_task_pt_regs(task);
}

#endif

#endif
