/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_MODEL_DRILL_H
#define TUI_MODEL_DRILL_H

#include "base/err.h"
#include "base/vec.h"
#include "tui/model/table.h"

#define CRUMB_TEXT_SZ 1024

/*
 * What the user has drilled into: one row after the other, each of the waits that the one before
 * left. Rows are known by their text, so that they can be found in the next window.
 */
struct crumb {
	enum table_kind kind; /* TABLE_CNT: a cause, by its name */
	enum tab from; /* where to go back to */
	char text[CRUMB_TEXT_SZ];
};

struct drill {
	struct vec crumbs; /* struct crumb */
};

void drill__init(struct drill *d);
void drill__done(struct drill *d);
/* -ENOMEM or 0. */
int drill__push(struct drill *d, enum table_kind kind, enum tab from, const char *text);
/* Removes the last one; false: there is none. */
bool drill__pop(struct drill *d, struct crumb *ret);
size_t drill__len(const struct drill *d);
const struct crumb *drill__at(const struct drill *d, size_t idx);
/*
 * The waits of `p` that are left, as a profile, which the caller frees. *ret is NULL without
 * crumbs. -ENOENT if nothing is left; else the errors of select_profile(). Rows of threads leave
 * these threads with all their time; other rows leave the threads that have such waits, and the
 * profile is filtered. `memo` is that of `p`.
 */
int drill__apply(const struct drill *d, const struct profile *p, struct cause_memo *memo,
		 struct profile **ret, struct err *err);

#endif
