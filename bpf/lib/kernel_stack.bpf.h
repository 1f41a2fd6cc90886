/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_KERNEL_STACK_BPF_H
#define LIB_KERNEL_STACK_BPF_H

/* Where the kernel stack of a thread is. */
#include "lib/maps.bpf.h"

/* How far it reached when the thread last left a CPU; the task is a number to the verifier. */
static __always_inline u64 kernel_stack_reach(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(task, thread.sp);
#else
	return BPF_CORE_READ(task, thread.cpu_context.sp);
#endif
}

#if defined(__TARGET_ARCH_x86)
#define KERNEL_STACK_SZ 16384 /* THREAD_SIZE of x86-64 without KASAN */

/* Of the stack that `sp` lies in. */
static __always_inline u64 kernel_stack_end(u64 sp)
{
	return (sp | (KERNEL_STACK_SZ - 1)) + 1;
}

/* The end of it in use, of a thread that is not on a CPU. */
static __always_inline u64 kernel_stack_sp(const struct task_struct *task)
{
	return task->thread.sp;
}

/* Of any thread: what it left behind when it last left a CPU is on the same stack. */
static __always_inline u64 kernel_stack_top(const struct task_struct *task)
{
	return kernel_stack_end(task->thread.sp);
}
#else
static __always_inline u64 kernel_stack_sp(const struct task_struct *task)
{
	(void)task;
	return 0;
}

static __always_inline u64 kernel_stack_top(const struct task_struct *task)
{
	(void)task;
	return 0;
}
#endif

#endif
