/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_STACKS_H
#define CAPTURE_STACKS_H

#include "abi/stack.h"
#include "base/err.h"
#include "base/map64.h"
#include "base/vec.h"
#include "capture/programs.h"

/* The distinct stacks of a trace that is over, by their id. */
struct stacks {
	struct vec
		bytes; /* struct cs_stack one after the other, each as long as its table has it */
	struct map64 at; /* id to where it begins */
	struct vec starts; /* of size_t, the same */
	size_t sz; /* of those that are being read */
	bool full; /* our own memory is used up: some are missing */
};

void stacks__init(struct stacks *s);
void stacks__done(struct stacks *s);
/* Once. */
int stacks__read(struct stacks *s, const struct programs *p, struct err *err);
/* NULL when there is none. It may be cut: only the first `len` addresses are there. */
const struct cs_stack *stacks__find(const struct stacks *s, u64 id);
/* In no particular order. */
size_t stacks__len(const struct stacks *s);
const struct cs_stack *stacks__at(const struct stacks *s, size_t idx);

#endif
