/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_SELECT_SELECT_FRAMES_H
#define ANALYSIS_SELECT_SELECT_FRAMES_H

#include "analysis/select/select.h"

/*
 * Which texts of a selection match a frame of each stack, as bits: those of `under`, then of
 * `not_under`, then of `modules`.
 */
struct select_frames {
	u64 *of_stack; /* by leaf node */
	u64 under;
	u64 not_under;
	u64 modules;
};

/*
 * -EINVAL for an invalid pattern or too many of them, -ENOMEM, or 0. Release with
 * select_frames__done() in either case.
 */
int select_frames__init(struct select_frames *sf, const struct profile *p,
			const struct select_options *opt, struct err *err);
void select_frames__done(struct select_frames *sf);
/*
 * A frame name that contains the text, as a suggestion; "" if there is none. Lives as long as the
 * profile.
 */
const char *select_frames_like(const struct profile *p, const char *text);

#endif
