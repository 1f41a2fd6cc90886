/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_SINGLE_H
#define RECORDING_SINGLE_H

#include "profile/profile.h"

/*
 * A row of waits with one sample, stored as that wait: its two lengths and what it stands for. The
 * other numbers of the row follow (docs/adr/0073). In a sampled window most rows are of this kind.
 */
struct single {
	u64 blocked_ns; /* of the wait that was chosen */
	u64 runq_ns;
	u64 weight_ns; /* it stands for so much, more than its length; 0: for itself */
	bool round_up; /* its count, weight / length, was rounded up */
};

/* False unless single__expand() gives all values of the row again. */
bool single__of(const struct profile_wait *w, struct single *ret);
/*
 * Sets the values of a row: times, count, longest, samples, variance and histogram. False for
 * numbers that no row has.
 */
bool single__expand(const struct single *s, struct profile_wait *w);

/* The weights of a section by number, from 0, in the order of their first use. */
#define SINGLE_WEIGHTS 64
struct single_weights {
	u64 at[SINGLE_WEIGHTS];
	u32 len;
};

/* The number of a weight, which is new if it was `len` before; SINGLE_WEIGHTS: no room for it. */
u32 single_weights__find(struct single_weights *weights, u64 weight_ns);

#endif
