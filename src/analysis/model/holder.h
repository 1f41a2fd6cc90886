/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_HOLDER_H
#define ANALYSIS_MODEL_HOLDER_H

#include "analysis/cause/cause.h"
#include "profile/profile.h"

/*
 * What the owner of an object did itself, over all of its recorded time, not just while others
 * waited for it: a hint, not a proof. `causes` are the profile's.
 */
struct holder {
	u64 wall_ns; /* of the thread; 0: not recorded */
	u64 on_ns;
	u64 cause_ns; /* the longest of its waits by cause */
	enum cause cause;
};

/* All threads that owned something. */
struct holders {
	const struct profile *p;
	u32 *place; /* by task; 0: it owned nothing */
	u64 *by_cause_ns; /* of waits, CAUSE_CNT per place */
};

/* Borrows the profile. -ENOMEM or 0; release with holders__done() in either case. */
int holders__init(struct holders *h, const struct profile *p, const struct causes *causes);
void holders__done(struct holders *h);
/* All zero for task 0. */
struct holder holders__of(const struct holders *h, u32 task);

#endif
