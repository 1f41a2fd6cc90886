/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_CAUSE_STACK_LISTS_H
#define ANALYSIS_CAUSE_STACK_LISTS_H

#include "analysis/cause/rule_words.h"
#include "base/intern.h"
#include "base/map64.h"
#include "profile/profile.h"

/*
 * Which lists of names in rules contain a frame of a stack. Most frames are in none, so many stacks
 * share a few sets of lists: each set has a number, 0 is the empty one.
 */
struct stack_lists {
	size_t words; /* u64s per set */
	struct intern sets;
	struct map64 unions; /* smaller number << 32 | larger: their union */
	u32 *of_stack; /* sets by leaf node: for all frames */
	u32 *caller; /* for the frame that place_own_frame() finds */
	u32 *code; /* for the lowest interpreted frame */
};

/* -ENOMEM or 0. Release with stack_lists__done() in either case. */
int stack_lists__init(struct stack_lists *l, const struct rule_words *words,
		      const struct profile *p);
void stack_lists__done(struct stack_lists *l);
/* The set of two stacks together. -ENOMEM or 0. */
int stack_lists__both(struct stack_lists *l, u32 a, u32 b, u32 *ret_set);
u32 stack_lists__caller(const struct stack_lists *l, u32 stack);
u32 stack_lists__code(const struct stack_lists *l, u32 stack);
/* The lists of a set as bits; valid until the next call of stack_lists__both(). */
const u64 *stack_lists__bits(const struct stack_lists *l, u32 set);

#endif
