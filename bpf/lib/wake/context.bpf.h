/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_WAKE_CONTEXT_BPF_H
#define LIB_WAKE_CONTEXT_BPF_H

/*
 * Whether a thread or an interrupt is at work: an interrupt has the thread that it hit as current.
 */
#include "lib/kernel/kernel_word.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/untrusted.bpf.h"

#include "abi/waker.h"

/*
 * include/linux/preempt.h, all; of the bits for soft interrupts only the one that is being served.
 */
#define IN_NMI 0xf00000
#define IN_HARDIRQ 0x0f0000
#define IN_SOFTIRQ 0x000100

/*
 * preempt_count(). On x86-64 it is a variable of each CPU, as the run queue is, and the distance
 * between the two is the same on every CPU: BTF has it, and user space computes it. An address from
 * kallsyms would need CONFIG_KALLSYMS_ALL. 0 if it is unknown.
 */
static __always_inline u32 preempt_count(struct task_struct *me)
{
#if defined(__TARGET_ARCH_x86)
	const char *rq;
	u32 count = 0;

	if (!cfg.preempt_known)
		return 0;
	rq = (const char *)BPF_CORE_READ(untrusted(me)->se.cfs_rq, rq);
	if (!rq || bpf_probe_read_kernel(&count, sizeof(count), rq + cfg.preempt_minus_rq))
		return 0;
	return count;
#else
	return BPF_CORE_READ(me, thread_info.preempt_count);
#endif
}

static __always_inline u32 wake_context(struct task_struct *me)
{
	u32 count = preempt_count(me);

	if (count & IN_NMI)
		return CS_WAKER_NMI;
	if (count & IN_HARDIRQ)
		return CS_WAKER_HARDIRQ;
	if (count & IN_SOFTIRQ)
		return CS_WAKER_SOFTIRQ;
	/* An idle thread wakes nobody: an interrupt whose count could not be read. */
	return me->pid ? CS_WAKER_THREAD : CS_WAKER_HARDIRQ;
}

#endif
