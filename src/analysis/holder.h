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

void holder_of_task(const struct profile *p, const struct causes *causes, u32 task,
		    struct holder *ret);

#endif
