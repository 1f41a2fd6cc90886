/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_KERNEL_KERNEL_WORD_BPF_H
#define LIB_KERNEL_KERNEL_WORD_BPF_H

/*
 * Reads of what a number points to, by plain loads that are caught where there is no memory: a
 * helper's call would cost more than what is done with the word. 6.2+, so only under cfg.orc; where
 * it is not, capture puts NULL in the place of the call.
 */
#include "lib/kernel_stack.bpf.h"

#ifdef __TARGET_ARCH_x86

#ifndef bpf_rdonly_cast /* tests for this machine have their own */
static void *(*const bpf_rdonly_cast)(const void *obj, __u32 btf_id) = (void *)CS_CALL_RDONLY_CAST;
#endif

static __always_inline u64 kernel_word(u64 addr)
{
	struct timespec64 *p = bpf_rdonly_cast((void *)addr, cfg.timespec64_id);

	return p->tv_sec;
}

/* The field of a struct that a number points to, and what follows it if it is shorter. */
#define KERNEL_WORD(type, addr, field) kernel_word((u64) & ((const type *)(addr))->field)

/* The user registers of a thread, without the helper's call where that can be. */
static __always_inline const struct pt_regs *task_regs(struct task_struct *task)
{
	u64 at;

	if (!cfg.orc)
		return (struct pt_regs *)bpf_task_pt_regs(task);
	if (control.orc.regs_sz)
		at = kernel_stack_top(task) - control.orc.regs_sz;
	else
		at = (u64)bpf_task_pt_regs(task);
	/* Also of the helper's: two kinds of pointers would be two ways for the verifier. */
	return bpf_rdonly_cast((void *)at, cfg.pt_regs_id);
}

#else

static __always_inline const struct pt_regs *task_regs(struct task_struct *task)
{
	return (struct pt_regs *)bpf_task_pt_regs(task);
}

#endif

/* A word by a plain load where that can be, and else by the helper. */
static __always_inline u64 kernel_peek(u64 addr)
{
	u64 word = 0;

#ifdef __TARGET_ARCH_x86
	if (cfg.orc)
		return kernel_word(addr);
#endif
	bpf_probe_read_kernel(&word, sizeof(word), (const void *)addr);
	return word;
}

#endif
