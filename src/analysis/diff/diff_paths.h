/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_DIFF_DIFF_PATHS_H
#define ANALYSIS_DIFF_DIFF_PATHS_H

#include "base/err.h"
#include "base/intern.h"
#include "base/strtab.h"
#include "profile/profile.h"

/* The paths of the waits of two profiles in one tree, with names common to both. */

/* A function or its substitute: equal ones of both sides are one. */
struct diff_symbol {
	u32 name; /* in `names` */
	u32 module;
	u32 kind; /* enum tree_kind */
	u32 seen; /* for callers: not part of the key */
};

/* Not a thread, nor a note on a stack. */
bool diff_symbol_is_function(const struct diff_symbol *s);

struct diff_path {
	u32 parent; /* 0: the root */
	u32 symbol;
};

struct diff_paths {
	struct strtab names;
	struct intern symbols; /* struct diff_symbol */
	struct intern paths; /* struct diff_path, parents before children */
	u32 *of_wait[2]; /* leaf by wait id */
};

/*
 * Frames must be named. Waits whose `counted_ns`, by side and wait, is 0 have no path: their leaf
 * is the root. -ENOMEM or 0; release with diff_paths__done() in either case.
 */
int diff_paths__init(struct diff_paths *dp, const struct profile *const p[2],
		     u64 *const counted_ns[2], struct err *err);
void diff_paths__done(struct diff_paths *dp);

#endif
