/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_KERNEL_KERNEL_REGS_BPF_H
#define LIB_KERNEL_KERNEL_REGS_BPF_H

/* The part of lib/kernel.bpf.h about user registers; see there. */
#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15;
	unsigned long r14;
	unsigned long r13;
	unsigned long r12;
	unsigned long bp;
	unsigned long bx;
	unsigned long r11;
	unsigned long r10;
	unsigned long r9;
	unsigned long r8;
	unsigned long ax;
	unsigned long cx;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax; /* system call number, -1 outside of one */
	unsigned long ip;
	unsigned long cs;
	unsigned long sp;
};

struct thread_struct {
	unsigned long sp; /* of a thread that is not running: its struct inactive_task_frame */
	unsigned long fsbase; /* 4.7+ */
};

/* Two words, to read kernel memory by; 3.19+. */
struct timespec64 {
	long long tv_sec;
	long tv_nsec;
};
#elif defined(__TARGET_ARCH_arm64)
struct thread_uw {
	unsigned long tp_value;
};

struct cpu_context {
	unsigned long sp;
};

struct thread_struct {
	struct cpu_context cpu_context; /* of a thread that is not running; all */
	struct thread_uw uw; /* an unnamed struct type in the kernel; 4.16+ */
};

struct pt_regs {
	__u64 regs[31];
	__u64 sp;
	__u64 pc;
	__u64 pstate;
	__u64 orig_x0; /* the first argument of the system call; all */
	int syscallno; /* -1 outside of a system call */
};
#else
#error "coldspot knows the registers of x86-64 and arm64 only"
#endif

#pragma clang attribute pop

#endif
