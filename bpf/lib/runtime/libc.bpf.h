/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_RUNTIME_LIBC_BPF_H
#define LIB_RUNTIME_LIBC_BPF_H

/* The data of C libraries around the words that threads sleep on, as far as it identifies them. */
#include "lib/kernel/kernel.bpf.h"

/* sysdeps/nptl/bits/struct_mutex.h and struct_rwlock.h of glibc, the same in 2.25 to 2.42. */
struct glibc_mutex {
	u32 lock; /* 0: free, 1: locked, 2: locked, with waiters */
	u32 count;
	u32 owner;
	u32 nusers; /* the owner, and threads in a condition variable with it */
	u32 kind;
	u32 rest;
};

#define GLIBC_LOCK_WAITED 2
#define GLIBC_NUSERS_MAX 0x4000
#define GLIBC_KIND_MAX 0x400
/*
 * The word that readers and writers sleep on while a writer has the lock, by its position in the
 * rwlock.
 */
#define GLIBC_RWLOCK_WRITER 3
#define GLIBC_WRPHASE_AT 8
#define GLIBC_CUR_WRITER_AT 24
#define GLIBC_WRITERS_AT 12
#define GLIBC_WRLOCKED 2 /* of __readers, the first word */

/*
 * struct pthread of glibc, relative to `tid`, which the kernel clears at the exit of the thread:
 * the head of the list of robust mutexes, and the preceding pointer to the last of them, which is
 * that head if the thread owns none.
 */
#define GLIBC_ROBUST_LAST_AT 8
#define GLIBC_ROBUST_HEAD_AT 16

/* struct pthread of musl 1.1.20 to 1.2.5, from 8 bytes before `detach_state` on. */
struct musl_thread {
	u32 tid; /* 0 if it has exited */
	u32 errno_val;
	u32 detach_state; /* less than MUSL_JOINABLE if it has exited */
	u32 cancel; /* 0 or 1 */
	u32 flags;
	u32 rest; /* 0 */
	u64 map_base; /* the start of its stack's mapping */
};

#define MUSL_JOINABLE 2
#define PAGE_MASK_4K 0xfffULL
/* For a mutex of musl, whose word is its second; with kind 0 the owner is unknown. */
#define MUSL_KIND_MASK 15

#endif
