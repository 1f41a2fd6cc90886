/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include "base/err.h"
#include "tui/key.h"
#include "tui/model/table.h"
#include "tui/screen.h"

struct viewer;

/*
 * How a tab looks and which keys it takes: one const table per kind of tab, and a line in views.c
 * for each tab. Functions that a view does not need are NULL.
 */
struct view {
	/* What is shown has changed: another profile, another tab, another grouping. */
	int (*build)(struct viewer *v, struct err *err);
	/* Rows from `y`, and not `end`. `v->p` is not NULL, and build() has succeeded. */
	void (*paint)(struct viewer *v, struct screen *s, u32 y, u32 end);
	/* 1: it has done something; 0: a key of others; or an error of build(). */
	int (*act)(struct viewer *v, enum action action, struct err *err);
	/* Chooses what is at a row of the page, from 0, and a column. False: nothing is there. */
	bool (*click)(struct viewer *v, u32 row, u32 col);
	/* The filter has changed. */
	void (*filtered)(struct viewer *v);
	/* Does without a profile. */
	bool always;
};

extern const struct view view_table;
extern const struct view view_flame;
extern const struct view view_diff;
extern const struct view view_output;
extern const struct view view_cost;

const struct view *view_of_tab(enum tab tab);

#endif
