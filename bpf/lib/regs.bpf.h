/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_REGS_BPF_H
#define LIB_REGS_BPF_H

#include "lib/kernel/kernel.bpf.h"
#include "lib/walk.bpf.h"

#include "abi/wait.h"

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

static __always_inline bool regs_64bit(const struct pt_regs *regs)
{
	return regs->cs == USER_CS;
}

static __always_inline u64 regs_raw_sysno(const struct pt_regs *regs)
{
	return regs->orig_ax;
}

static __always_inline bool regs_in_exec(const struct pt_regs *regs)
{
	return regs->orig_ax == 59 /* execve */ || regs->orig_ax == 322 /* execveat */;
}

static __always_inline bool regs_in_futex(const struct pt_regs *regs)
{
	return regs->orig_ax == 202 && regs->cs == USER_CS;
}

/* An argument of the system call: one of the first three, by a constant. */
static __always_inline u64 regs_arg(const struct pt_regs *regs, u32 i)
{
	return i == 0 ? regs->di : i == 1 ? regs->si : regs->dx;
}

static __always_inline u64 regs_strip_ptrauth(u64 pc)
{
	return pc;
}

/* The registers with which a walk begins. */
static __always_inline void regs_to_walk(struct user_walk *w, const struct pt_regs *regs)
{
	w->ip = regs->ip;
	w->sp = regs->sp;
	w->fp = regs->bp;
	w->bx = regs->bx;
	w->bx_known = 1;
}

/* Registers that rules of the top frame may need. */
static __always_inline void regs_to_top_frame(struct user_walk *w, const struct pt_regs *regs)
{
	w->reg[0] = regs->ax;
	w->reg[1] = regs->dx;
	w->reg[2] = regs->cx;
	w->reg[3] = regs->bx;
	w->reg[4] = regs->si;
	w->reg[5] = regs->di;
	w->reg[6] = regs->bp;
	w->reg[7] = regs->sp;
	w->reg[8] = regs->r8;
	w->reg[9] = regs->r9;
	w->reg[10] = regs->r10;
	w->reg[11] = regs->r11;
	w->reg[12] = regs->r12;
	w->reg[13] = regs->r13;
	w->reg[14] = regs->r14;
	w->reg[15] = regs->r15;
}

static __always_inline u64 regs_tls(const struct task_struct *task)
{
	return task->thread.fsbase;
}

/* The leaf of a kernel stack taken by a kprobe at the first instruction of a function. */
static __always_inline u64 regs_probe_leaf(const struct pt_regs *ctx, u64 leaf)
{
	(void)ctx;
	return leaf; /* the kernel's unwinder finds the caller too */
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

static __always_inline bool regs_64bit(const struct pt_regs *regs)
{
	return !(regs->pstate & 0x10); /* PSR_MODE32_BIT */
}

static __always_inline u64 regs_raw_sysno(const struct pt_regs *regs)
{
	return (u32)regs->syscallno;
}

static __always_inline bool regs_in_exec(const struct pt_regs *regs)
{
	return regs->syscallno == 221 /* execve */ || regs->syscallno == 281 /* execveat */;
}

static __always_inline bool regs_in_futex(const struct pt_regs *regs)
{
	return regs->syscallno == 98;
}

/* Its result replaces the first argument only at its end. */
static __always_inline u64 regs_arg(const struct pt_regs *regs, u32 i)
{
	return regs->regs[i];
}

/* Return addresses may be signed in the bits that user addresses do not use. */
static __always_inline u64 regs_strip_ptrauth(u64 pc)
{
	return pc & ((1ULL << 52) - 1);
}

static __always_inline void regs_to_walk(struct user_walk *w, const struct pt_regs *regs)
{
	w->ip = regs->pc;
	w->sp = regs->sp;
	w->fp = regs->regs[29];
	w->lr = regs->regs[30];
	w->bx_known = 0;
}

static __always_inline void regs_to_top_frame(struct user_walk *w, const struct pt_regs *regs)
{
	(void)w;
	(void)regs;
}

static __always_inline u64 regs_tls(const struct task_struct *task)
{
	return task->thread.uw.tp_value;
}

/* The function has no frame yet, and the unwinder uses frames: its caller is only in x30. */
static __always_inline u64 regs_probe_leaf(const struct pt_regs *ctx, u64 leaf)
{
	(void)leaf;
	return ctx->regs[30];
}

#endif

/* Kernel threads of a process, such as those of io_uring and vhost, run no user code. */
static __always_inline bool regs_are_user(const struct pt_regs *regs)
{
	return regs_ip(regs) || regs->sp;
}

/*
 * 32-bit programs have other system call numbers. A program may pass any number: an invalid one
 * counts as none, like the -1 outside of calls.
 */
static __always_inline s16 regs_sysno(const struct pt_regs *regs)
{
	u64 raw = regs_raw_sysno(regs);

	return regs_64bit(regs) && regs_are_user(regs) && raw <= CS_SYSNO_MAX ? (s16)raw :
										CS_SYSNO_NONE;
}

#endif
