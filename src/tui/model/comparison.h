/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_MODEL_COMPARISON_H
#define TUI_MODEL_COMPARISON_H

#include "analysis/diff/diff.h"
#include "base/err.h"
#include "tui/model/drill.h"

/* What was marked as A, and how what is shown differs from it. */
struct comparison {
	struct profile *mark; /* NULL: nothing has been marked */
	struct profile *part; /* of the mark: what was drilled into */
	struct arena arena;
	struct diff diff;
	bool ready; /* there is a diff */
	bool frames; /* its rows are functions; otherwise causes */
};

/* A row, by its place in the order of the diff. */
struct comparison_row {
	const char *name;
	const struct diff_item *item;
};

void comparison__init(struct comparison *c);
void comparison__done(struct comparison *c);
/* Keeps a copy. Drops the diff. An error of profile_merge(). */
int comparison__mark(struct comparison *c, const struct profile *p, struct err *err);
/*
 * Between the mark, or what `drill` leaves of it, and `now`, which is borrowed until it is dropped.
 * Nothing is ready without a mark, or if nothing is left of it. Errors of select_profile() and
 * diff__build().
 */
int comparison__build(struct comparison *c, const struct profile *now, const struct drill *drill,
		      const struct ruleset *rules, bool idle, struct err *err);
void comparison__drop(struct comparison *c);
u32 comparison__len(const struct comparison *c);
struct comparison_row comparison__row(const struct comparison *c, u32 row);

#endif
