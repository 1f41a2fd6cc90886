/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_FOREMOST_H
#define ANALYSIS_FOREMOST_H

#include "base/intern.h"
#include "profile/profile.h"

/* Of groups of waits: the object, and its holder, that most of their time was for. */
struct foremost {
	struct intern objects; /* of struct foremost_sum */
	struct intern owners;
};

struct foremost_sum {
	u32 group;
	u32 id; /* object */
	u32 tid; /* of a holder */
	u32 task; /* of a holder */
	u64 ns; /* blocked + run queue */
};

/* -ENOMEM or 0. Release with foremost__done() in either case. */
int foremost__init(struct foremost *f);
void foremost__done(struct foremost *f);
/* Adds a wait to a group, of which numbers are the caller's. -ENOMEM or 0. */
int foremost__add(struct foremost *f, const struct profile *p, u32 group, u32 wait);
/*
 * The sum with the most time for each group below `len`, into arrays of that length; 0 ns: there is
 * none. The first wait that was added wins where sums are equal.
 */
void foremost__of_groups(const struct foremost *f, struct foremost_sum *ret_objects,
			 struct foremost_sum *ret_owners, u32 len);

#endif
