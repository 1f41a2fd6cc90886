/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_HOOK_CHOICE_H
#define CAPTURE_PROGRAM_HOOK_CHOICE_H

#include "base/err.h"
#include "capture/feature/features.h"
#include "capture/feature/hooks.h"
#include "capture/program/options.h"

/* Which rows of the table of hooks one capture loads. Pure: options and features in, rows out. */

/* What a use means to a capture. */
enum hook_wish {
	HOOK_NOT_WANTED = 0,
	HOOK_IF_THERE, /* something is missing from the result without it, as its feature says */
	HOOK_REQUIRED,
};

struct hook_choice {
	const struct features *features; /* borrowed */
	u32 resume; /* CS_RESUME_*: where stacks are taken */
	u8 uses[HOOK_USE_CNT]; /* enum hook_wish */
};

/*
 * `split`: CS_SPLIT_*. -EOPNOTSUPP: the options need a hook that this kernel does not have; the
 * sentence says what it costs and what to do.
 */
int hook_choice__init(struct hook_choice *c, const struct capture_options *opt,
		      const struct features *f, u32 split, struct err *err);
bool hook_choice__loads(const struct hook_choice *c, const struct hook *h);

/* Below this --max-memory, the tables of sums need the room that repeating a walk takes. */
#define POSTPONED_FROM_BYTES (16ULL << 20)
/* Are walks that meet a file without a table sent to be repeated? */
bool walks_are_postponed(const struct capture_options *opt, const struct features *f);

#endif
