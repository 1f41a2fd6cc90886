/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_SENT_STACKS_H
#define PUSH_SENT_STACKS_H

#include "base/map64.h"
#include "base/vec.h"

/*
 * Which stacks a server has, by their hash. Forgotten at the end of each UTC day, so that the
 * server sees which stacks are still in use, and when there are too many.
 */
struct sent_stacks {
	struct map64 sent;
	struct vec fresh; /* u64: with the window that is being sent */
	u32 day;
};

void sent_stacks__init(struct sent_stacks *s);
void sent_stacks__done(struct sent_stacks *s);
/* Begins a window of that day. */
void sent_stacks__begin(struct sent_stacks *s, u32 day);
/* Whether the stack must be sent, now and once. -ENOMEM, 0 or 1. */
int sent_stacks__add(struct sent_stacks *s, u64 hash);
/* The server took the window, with all of these. If memory is short, some are sent again. */
void sent_stacks__taken(struct sent_stacks *s);

#endif
