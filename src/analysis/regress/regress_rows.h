/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_REGRESS_REGRESS_ROWS_H
#define ANALYSIS_REGRESS_REGRESS_ROWS_H

#include "base/err.h"
#include "base/intern.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/profile.h"

struct ruleset;

/*
 * What threads waited for in each of many windows: off-CPU time by process name and cause, and by
 * process name and function. Waits for work are left out, except for their run queue time, as in a
 * diff. Windows are added one by one, so only one profile is in memory.
 */
enum regress_kind {
	REGRESS_CAUSE = 0,
	REGRESS_FUNCTION, /* the lowest function of the program's own code */
	REGRESS_KINDS,
};

/* Names are ids in `names`. */
struct regress_key {
	u32 kind; /* enum regress_kind */
	u32 process; /* of a kernel thread without what is behind the '/': "kworker" */
	u32 cause; /* enum cause; REGRESS_CAUSE only */
	u32 function; /* REGRESS_FUNCTION only, as symbol_key.h has it, and the next */
	u32 module;
};

/* A window, or several that are together as long as others. */
struct regress_slot {
	u32 day; /* days before the range in question; 0: in it */
	bool is_sum; /* a sum of windows: it says nothing about the variation between windows */
	u64 length_ns;
};

struct regress_cell {
	u32 key;
	u32 slot; /* index */
	u64 ns;
};

struct regress_rows {
	struct strtab names;
	struct intern keys; /* struct regress_key */
	struct vec slots; /* struct regress_slot */
	struct vec cells; /* struct regress_cell; missing ones are 0 */
	struct vec sums; /* u64 by key: of the window at hand */
	struct vec touched; /* u32: keys in it */
	u64 longest_ns; /* window so far that is not a sum */
};

/* -ENOMEM or 0. Release with regress_rows__done() in either case. */
int regress_rows__init(struct regress_rows *rr, struct err *err);
void regress_rows__done(struct regress_rows *rr);
/*
 * Adds a window of the day `day`; frames are named. Windows of a day come in order of time. One
 * shorter than half of the longest becomes part of the slot before, if that is of the same day.
 * -ENOMEM or 0.
 */
int regress_rows__add(struct regress_rows *rr, const struct profile *p, const struct ruleset *rules,
		      u32 day, bool is_sum, struct err *err);

#endif
