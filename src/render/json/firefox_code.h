/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_FIREFOX_CODE_H
#define RENDER_JSON_FIREFOX_CODE_H

#include "analysis/name/label.h"
#include "analysis/view/wait_stacks.h"
#include "base/intern.h"
#include "base/map64.h"
#include "profile/profile.h"
#include "render/encode/json_writer.h"
#include "render/words/cause_color.h"

/*
 * The "shared" part of a Firefox profile: stacks, frames, functions, resources, source files and
 * strings, as tables of columns. They fill as stacks are requested.
 */

/* Indexes into the categories of the profile; causes follow. */
enum firefox_category {
	FIREFOX_OTHER = 0,
	FIREFOX_USER,
	FIREFOX_INTERPRETED,
	FIREFOX_KERNEL,
	FIREFOX_CAUSES,
};

struct firefox_code {
	const struct profile *p; /* borrowed, as the labels */
	const struct labels *labels;
	struct strtab strings;
	struct intern stacks;
	struct intern frames;
	struct intern functions;
	struct intern resources; /* modules */
	struct intern sources;
	struct map64 known; /* category << 32 | frame of the profile: frame */
	struct vec path; /* u32 nodes of a stack on the way to its root */
};

/* -ENOMEM or 0. Release with firefox_code__done() in either case. */
int firefox_code__init(struct firefox_code *c, const struct profile *p,
		       const struct labels *labels);
void firefox_code__done(struct firefox_code *c);
/* Index of the stack of a wait; its leaf has that category. -ENOMEM or 0. */
int firefox_code__stack(struct firefox_code *c, const struct wait_stacks *s, u32 category,
			u32 *ret_index);
/* The index of a string of the profile's. -ENOMEM or 0. */
int firefox_code__string(struct firefox_code *c, const char *text, u32 *ret_index);
/* Writes the member "shared"; nothing may be added afterwards. */
void firefox_code__put(const struct firefox_code *c, struct json *to);

#endif
