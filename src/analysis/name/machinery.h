/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_MACHINERY_H
#define ANALYSIS_NAME_MACHINERY_H

#include "base/err.h"
#include "profile/profile.h"

/*
 * The functions with which an interpreter runs a program: its loop, and those that pass calls in
 * and out of it. They are noise where interpreted frames represent them. Immutable once built.
 */
struct machinery {
	u8 *of_frame; /* by frame id; NULL: nothing in the profile is interpreted */
	u32 frames_len;
};

/* After frames are named. -ENOMEM or 0. Release with machinery__done() in either case. */
int machinery__init(struct machinery *m, const struct profile *p, struct err *err);
void machinery__done(struct machinery *m);
/*
 * `frames` are those of one user stack, leaf first. Sets hidden[i] for each machinery frame that
 * interpreted frames represent, and clears it for the others. Returns how many are set.
 */
u32 machinery__mark(const struct machinery *m, const u32 *frames, u32 len, bool *hidden);

#endif
