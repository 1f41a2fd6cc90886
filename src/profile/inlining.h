/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_INLINING_H
#define PROFILE_INLINING_H

#include "base/vec.h"
#include "profile/profile.h"

/*
 * Functions that the compiler inlined, gathered while a profile is named, and then put into its
 * stacks as frames of their own. The one change of stacks after the freezing.
 */
struct inlining {
	struct profile *p;
	struct vec calls; /* struct inlined_call */
};

void inlining__init(struct inlining *in, struct profile *p);
void inlining__done(struct inlining *in);
/*
 * A function inlined at a frame, towards the leaf of those added for that frame before. `file` may
 * be NULL or "": not known. -ENOMEM; -EINVAL for an empty name, or a frame that does not exist or
 * is itself inlined; or 0.
 */
int inlining__add(struct inlining *in, u32 frame, const char *name, const char *file, u32 line);
/*
 * Makes the frames and rewrites stacks and waits; ids of frames stay, those of stacks do not. Costs
 * nothing when nothing was added. On -ENOMEM the profile is as it was.
 */
int inlining__apply(struct inlining *in);

#endif
