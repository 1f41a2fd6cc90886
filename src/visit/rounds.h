/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_ROUNDS_H
#define VISIT_ROUNDS_H

#include "base/types.h"

/*
 * When to look: rounds follow each other at random gaps, between half a period and one and a half,
 * so that work which runs every 50 ms is not always met at the same point. A late round does not
 * make those after it come closer together. Instants are of CLOCK_MONOTONIC.
 */
struct rounds {
	u32 hz;
	u64 random;
	u64 due_ns; /* of the next round */
};

/* How rounds kept time. */
struct round_counts {
	u64 rounds;
	u64 late_ns; /* of all rounds together */
	u64 late_max_ns;
};

void rounds__init(struct rounds *r, u32 hz);
/* The first round is a gap from now. */
void rounds__start(struct rounds *r);
/* A random number, for whoever also chooses what to look at. */
u64 rounds__draw(struct rounds *r);
/* A round begins. */
void rounds__begin(const struct rounds *r, struct round_counts *counts);
/* It is over. */
void rounds__end(struct rounds *r);
/*
 * Waits until a round is due, which *ret_due says, until `until_ns`, or until `wake_fd` (-1: none)
 * is readable. 0, 1 if it is, or a negative errno.
 */
int rounds__wait(const struct rounds *r, int wake_fd, u64 until_ns, bool *ret_due);

#endif
