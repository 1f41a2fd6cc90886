/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_TRACED_H
#define TESTS_LIB_TRACED_H

#include "base/types.h"

#define TRACED_REGS 17

/* A child that stopped itself and is traced by ptrace: its registers, memory and stack. */
struct traced {
	s32 pid;
	s32 tid; /* the thread that stopped */
	int mem_fd;
	struct Dwfl *dwfl;
};

/*
 * Runs `program arg` up to the first SIGSTOP of any of its threads, or its first vfork(). False if
 * it reaches neither; it is killed with this process.
 */
bool traced__start(struct traced *t, const char *program, const char *arg);
/* Executes one instruction of the stopped thread; false if it is gone. */
bool traced__step(struct traced *t);
/* Kills and releases it. NULL and a zeroed one are fine. */
void traced__done(struct traced *t);
/* DWARF order; [16] is the instruction pointer. x86-64 only. */
bool traced__regs(const struct traced *t, u64 reg[TRACED_REGS]);
/* 0 or a negative errno; -EIO for a partial read. */
int traced__read(const struct traced *t, void *dst, size_t sz, u64 addr);
/*
 * The stack according to libdwfl, leaf first; returns the number of frames, at most `max`.
 * `ret_whole`: it ended without an error.
 */
size_t traced__unwind(struct traced *t, u64 *pcs, size_t max, bool *ret_whole);

#endif
