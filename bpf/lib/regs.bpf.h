/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_REGS_BPF_H
#define LIB_REGS_BPF_H

#include "lib/kernel.bpf.h"

/* The user registers of a task, one architecture each. */

#if defined(__TARGET_ARCH_x86)

#define USER_CS 0x33 /* __USER_CS: 64-bit code; 32-bit programs have 0x23 */

static __always_inline u64 regs_ip(const struct pt_regs *regs)
{
	return regs->ip;
}

static __always_inline u64 regs_fp(const struct pt_regs *regs)
{
	return regs->bp;
}

static __always_inline s16 regs_sysno(const struct pt_regs *regs)
{
	return (s16)regs->orig_ax;
}

static __always_inline bool regs_64bit(const struct pt_regs *regs)
{
	return regs->cs == USER_CS;
}

#else

static __always_inline u64 regs_ip(const struct pt_regs *regs)
{
	return regs->pc;
}

static __always_inline u64 regs_fp(const struct pt_regs *regs)
{
	return regs->regs[29];
}

static __always_inline s16 regs_sysno(const struct pt_regs *regs)
{
	return (s16)regs->syscallno;
}

static __always_inline bool regs_64bit(const struct pt_regs *regs)
{
	return !(regs->pstate & 0x10); /* PSR_MODE32_BIT */
}

#endif

#endif
