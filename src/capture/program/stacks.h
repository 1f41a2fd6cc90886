/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_STACKS_H
#define CAPTURE_PROGRAM_STACKS_H

#include "abi/stack.h"
#include "base/err.h"
#include "base/map64.h"
#include "base/vec.h"
#include "capture/program/programs.h"

/* The distinct stacks of a trace by id, as of the end of a window. */
struct stacks {
	struct vec
		bytes; /* struct cs_stack one after the other, each as long as its table has it */
	struct map64 at; /* id to where it begins */
	struct vec starts; /* of size_t, the same */
	u64 entries[PROGRAMS_STACKS]; /* in each table */
	size_t sz; /* of a stack in the table being read */
	u32 table; /* being read */
	bool full; /* our own memory is used up: some are missing */
};

void stacks__init(struct stacks *s);
void stacks__done(struct stacks *s);
/* Reads the tables of the kernel. Call it once. */
int stacks__read(struct stacks *s, const struct programs *p, struct err *err);
/* NULL if there is none. Only the first `len` addresses exist in memory. */
const struct cs_stack *stacks__find(const struct stacks *s, u64 id);
/* Replaces the stack with this id. -ENOMEM or 0. */
int stacks__replace(struct stacks *s, u64 id, const struct cs_stack *st);
/* In no particular order. */
size_t stacks__len(const struct stacks *s);
const struct cs_stack *stacks__at(const struct stacks *s, size_t idx);

#endif
