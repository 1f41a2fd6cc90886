/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_VIEW_UNNAMED_H
#define ANALYSIS_VIEW_UNNAMED_H

#include "profile/profile.h"

/* Which module has the most unresolved frames, and why they are unresolved. */
struct unnamed {
	u32 frames; /* distinct frames, of all modules and reasons */
	u32 most; /* of them, those with the most frequent module and reason */
	u32 module; /* 0: no mapping */
	enum frame_reason reason;
};

/* -ENOMEM or 0. All zero if every frame has a name. */
int unnamed__find(struct unnamed *ret, const struct profile *p);

#endif
