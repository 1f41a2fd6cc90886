/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_INLINING_H
#define PROFILE_INLINING_H

#include "base/vec.h"
#include "profile/profile.h"

/*
 * Inlined functions, collected while a profile is named, and then added to its stacks as frames.
 * This is the only change of stacks after freezing.
 */
struct inlining {
	struct profile *p;
	struct vec calls; /* struct inlined_call */
};

void inlining__init(struct inlining *in, struct profile *p);
void inlining__done(struct inlining *in);
/*
 * Adds a function inlined at a frame, towards the leaf of those added for that frame before. `file`
 * may be NULL or "": unknown. -ENOMEM; -EINVAL for an empty name, or a frame that does not exist or
 * is inlined itself; or 0.
 */
int inlining__add(struct inlining *in, u32 frame, const char *name, const char *file, u32 line);
/*
 * Creates the frames and rewrites stacks and waits; frame ids stay, stack ids do not. Costs nothing
 * if nothing was added. On -ENOMEM the profile is unchanged.
 */
int inlining__apply(struct inlining *in);

#endif
