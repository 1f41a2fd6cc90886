/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_UNNAMED_H
#define ANALYSIS_UNNAMED_H

#include "profile/profile.h"

/* Where most frames without a name are, and why they have none. */
struct unnamed {
	u32 frames; /* distinct ones, of all modules and reasons */
	u32 most; /* of them with the module and the reason that most have */
	u32 module; /* 0: no mapping */
	enum frame_reason reason;
};

/* -ENOMEM or 0. With no unnamed frame all is zero. */
int unnamed__find(struct unnamed *ret, const struct profile *p);

#endif
