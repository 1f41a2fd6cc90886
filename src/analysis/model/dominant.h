/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_DOMINANT_H
#define ANALYSIS_MODEL_DOMINANT_H

#include "base/intern.h"
#include "profile/profile.h"

/* For groups of waits: the owner of their objects with most of their time. */
struct dominant {
	struct intern owners; /* of struct dominant_sum */
};

struct dominant_sum {
	u32 group;
	u32 tid;
	u32 task;
	u32 pad;
	u64 ns; /* blocked + run queue */
};

/* -ENOMEM or 0. Release with dominant__done() in either case. */
int dominant__init(struct dominant *f);
void dominant__done(struct dominant *f);
/* Adds a wait to a group, numbered by the caller. -ENOMEM or 0. */
int dominant__add(struct dominant *f, const struct profile *p, u32 group, u32 wait);
/*
 * The sum with the most time for each group below `len`, into an array of that length; 0 ns: no
 * owner. If sums are equal, the wait added first wins.
 */
void dominant__of_groups(const struct dominant *f, struct dominant_sum *ret_owners, u32 len);

#endif
