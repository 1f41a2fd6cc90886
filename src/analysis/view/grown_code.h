/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_VIEW_GROWN_CODE_H
#define ANALYSIS_VIEW_GROWN_CODE_H

#include "base/intern.h"
#include "base/map64.h"
#include "base/strtab.h"
#include "profile/profile.h"

/* The stacks, frames and strings of a profile, to which a view adds its own. Old ids stay. */
struct grown_code {
	struct intern stacks; /* struct profile_stack */
	struct vec frames; /* struct profile_frame */
	struct strtab strings;
	struct map64 notes; /* name: frame */
};

/* -ENOMEM or 0; release with grown_code__done() in either case. */
int grown_code__init(struct grown_code *g, const struct profile *p);
void grown_code__done(struct grown_code *g);
/*
 * Appends a frame behind *stack, or a FRAME_NOTE with a name. `flags` are enum profile_stack_flag;
 * STACK_CUT is inherited. -ENOMEM or 0.
 */
int grown_code__add_frame(struct grown_code *g, u32 frame, u32 flags, u32 *stack);
int grown_code__add_note(struct grown_code *g, const char *name, u32 flags, u32 *stack);
/* The profile then has this code, which it borrows. */
void grown_code__lend(const struct grown_code *g, struct profile *to);

#endif
