/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_OBJECT_REGS_EXIT_BPF_H
#define LIB_OBJECT_REGS_EXIT_BPF_H

/* Arguments of a system call that is over, from the user registers; see lib/regs.bpf.h. */
#include "lib/regs.bpf.h"

#if defined(__TARGET_ARCH_x86)

/* The first. */
static __always_inline u64 regs_arg0_at_exit(const struct pt_regs *regs)
{
	return regs->di;
}

/* The fourth. */
static __always_inline u64 regs_arg3(const struct pt_regs *regs)
{
	return regs->r10;
}

#else

/* The first: the result of the call is in its register. */
static __always_inline u64 regs_arg0_at_exit(const struct pt_regs *regs)
{
	return regs->orig_x0;
}

/* The fourth. */
static __always_inline u64 regs_arg3(const struct pt_regs *regs)
{
	return regs->regs[3];
}

#endif

#endif
