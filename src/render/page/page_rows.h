/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_PAGE_ROWS_H
#define RENDER_PAGE_PAGE_ROWS_H

#include "analysis/diff/diff.h"
#include "analysis/name/label.h"
#include "base/strtab.h"
#include "render/encode/columns.h"
#include "render/page/page_moments.h"

/* The tables of page_data.h, for one profile or for the two of a diff, one after the other. */

/* One profile. Everything is borrowed for the call. */
struct page_side {
	const struct profile *p; /* as it is shown */
	u32 sides; /* as in render.h */
	const struct causes *causes; /* of `p` */
	const struct labels *labels; /* of `p`; for a diff, the common names of functions */
	/* by wait; NULL without a diff: as in diff.h, and rows of page_rows__put_path() */
	const u64 *counted_ns;
	const u32 *path;
	bool idle_apart; /* for a diff: waits for work are in no total */
};

struct page_rows {
	bool diff;
	struct strtab strings;
	struct columns columns;
	u32 modules, frames, stacks, tasks, objects, waits; /* number of rows so far */
	u32 divided; /* the last waits, this many, are those of page_rows__add_divided() */
	struct page_moments moments;
	int error; /* -ENOMEM; -EPROTO: a column of waits has no place */
};

/* -ENOMEM or 0; release with page_rows__done() in either case. */
int page_rows__init(struct page_rows *rows, bool diff);
void page_rows__done(struct page_rows *rows);
/* Once, or twice for a diff: before, then after. -ENOMEM or 0. */
int page_rows__add(struct page_rows *rows, const struct page_side *side);
/*
 * The same waits once more, behind all others, divided by who ended them and with the stacks of
 * wakers behind their own (shown.h). Once, after page_rows__add() of the undivided ones, not of a
 * diff. -ENOMEM or 0.
 */
int page_rows__add_divided(struct page_rows *rows, const struct page_side *side);
/* A probability as a whole number. */
u64 page_billionths(double p);
/*
 * For a diff: a tested path, below the row of its parent; 0 for the first, which contains all
 * waits. Rows count from 1; a wait belongs to the deepest path that leads to it.
 */
void page_rows__put_path(struct page_rows *rows, u32 parent, const struct diff_item *it);
/* A tested function, by the label of its frames. */
void page_rows__put_function(struct page_rows *rows, const char *label, u32 kind,
			     const struct diff_item *it);
/* -ENOMEM or 0; no row may be added afterwards. */
int page_rows__finish(struct page_rows *rows);

#endif
