/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MACHINERY_H
#define ANALYSIS_MACHINERY_H

#include "base/err.h"
#include "profile/profile.h"

/*
 * The functions by which an interpreter runs a program: its loop, and what passes calls to and from
 * it. Where interpreted frames stand for them they tell a reader nothing. Immutable once made.
 */
struct machinery {
	u8 *of_frame; /* by frame id; NULL: nothing in the profile is interpreted */
	u32 frames_len;
};

/* After frames are named. -ENOMEM or 0. Release with machinery__done() in either case. */
int machinery__init(struct machinery *m, const struct profile *p, struct err *err);
void machinery__done(struct machinery *m);
/*
 * `frames` are those of one user stack, leaf first. Sets hidden[i] for each that is machinery and
 * has interpreted frames to stand for it, and returns how many these are. Other elements of
 * `hidden` are cleared.
 */
u32 machinery__mark(const struct machinery *m, const u32 *frames, u32 len, bool *hidden);

#endif
