/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_FILE_LOCK_BPF_H
#define LIB_FILE_LOCK_BPF_H

/* Locks of files: of flock(), and of fcntl() with F_SETLKW or F_OFD_SETLKW. */
#include "lib/regs.bpf.h"

#define TASK_INTERRUPTIBLE 1 /* include/linux/sched.h, all; a thread waits so for a file lock */

#if defined(__TARGET_ARCH_x86)
#define SYSNO_FCNTL 72
#define SYSNO_FLOCK 73
#else
#define SYSNO_FCNTL 25
#define SYSNO_FLOCK 32
#endif

static __always_inline bool in_file_lock(const struct pt_regs *regs)
{
	u64 sysno = regs_raw_sysno(regs);

	return (sysno == SYSNO_FLOCK || sysno == SYSNO_FCNTL) && regs_64bit(regs);
}

/* struct flock of include/uapi/asm-generic/fcntl.h on 64-bit machines. */
struct user_flock {
	s16 type;
	s16 whence;
	u32 pad;
	s64 start;
	s64 len;
};

/*
 * The owner of the lock that a thread waits for, as cs_wait_key.owner; 0: it waits for none.
 * `task` is the address of a sleeping thread, whose struct flock at `at` was read into *l; 0 and
 * NULL: the running thread. In file_lock.bpf.c, a global function, so that the verifier reads it
 * once.
 */
u32 owner_of_file_lock(u64 task, u32 fd, u32 cmd, u64 at, const struct user_flock *l);

/* The second argument of flock() in place of a command of fcntl(). */
#define CMD_OF_FLOCK 0x10000

static __always_inline u32 file_lock_cmd(const struct pt_regs *regs)
{
	u32 arg = regs_arg(regs, 1);

	return regs_raw_sysno(regs) == SYSNO_FLOCK ? (arg & 0xffff) | CMD_OF_FLOCK : arg & 0xffff;
}

#endif
