/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_HOLDER_H
#define ANALYSIS_HOLDER_H

#include "analysis/cause.h"
#include "profile/profile.h"

/*
 * What the thread that held something did itself: over all of the time that was recorded of it, and
 * not just while others waited for it, so this is a hint and no proof. `causes` are the profile's.
 */
struct holder {
	u64 wall_ns; /* of the thread; 0: it was not recorded */
	u64 on_ns;
	u64 cause_ns; /* of its waits by cause, the longest */
	enum cause cause;
};

/* Of all threads that held something. */
struct holders {
	const struct profile *p;
	u32 *place; /* by task; 0: it held nothing */
	u64 *by_cause_ns; /* of waits, CAUSE_CNT for each place */
};

/* Borrows the profile. -ENOMEM or 0; release with holders__done() in either case. */
int holders__init(struct holders *h, const struct profile *p, const struct causes *causes);
void holders__done(struct holders *h);
/* All zero for task 0. */
struct holder holders__of(const struct holders *h, u32 task);

#endif
