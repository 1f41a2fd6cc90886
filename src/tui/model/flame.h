/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_MODEL_FLAME_H
#define TUI_MODEL_FLAME_H

#include "analysis/model/tree.h"
#include "analysis/model/tree_cause.h"
#include "base/err.h"
#include "base/vec.h"
#include "tui/model/filter.h"

/*
 * An icicle graph of cells: a row for each depth, and children side by side under their parent, the
 * widest first. What is narrower than a cell is not shown, with all below it. Frames are known by
 * the hash of their path, so that zoom and cursor are kept from window to window.
 */
struct flame_cell {
	u32 node;
	u32 row; /* the depth of the node */
	u32 x;
	u32 w; /* at least 1 */
};

struct flame {
	struct arena arena; /* of the tree */
	struct tree tree;
	struct tree_causes causes;
	bool ready; /* there is a tree */
	bool idle; /* waits for work are part of it */
	enum group_by root;
	struct vec zooms; /* u64 hashes; the last one is the root that is shown */
	u64 cursor; /* likewise; 0: that root */
	u32 zoom_node;
	u32 cursor_node;
	bool zoom_missing; /* there is no such frame in this window */
	u32 cols; /* of the last layout */
	struct vec cells; /* struct flame_cell: by row, from left to right */
	u32 first_row; /* at the top of the screen */
};

void flame__init(struct flame *f);
void flame__done(struct flame *f);
/* Of a profile with the causes of its waits. Drops what was there. -ENOMEM or 0. */
int flame__build(struct flame *f, const struct profile *p, struct cause_memo *memo, bool idle,
		 struct err *err);
/* Frees the tree, and keeps zoom and cursor. */
void flame__drop(struct flame *f);
/* Sets the cells for a width, and puts the cursor on one of them. -ENOMEM or 0. */
int flame__layout(struct flame *f, u32 cols);
/* The time of a node: without waits for work, unless they are part of the graph. */
u64 flame__ns(const struct flame *f, u32 node);
u64 flame__count(const struct flame *f, u32 node);

enum flame_step {
	FLAME_UP, /* the caller */
	FLAME_DOWN, /* the widest below */
	FLAME_LEFT,
	FLAME_RIGHT,
	FLAME_TOP, /* the root that is shown */
	FLAME_BOTTOM, /* the widest path to its end */
};

void flame__step(struct flame *f, enum flame_step step);
void flame__point(struct flame *f, u32 node);
/* Into the frame of the cursor, and out again. 1; 0: nothing has changed; or -ENOMEM. */
int flame__zoom_in(struct flame *f);
int flame__zoom_out(struct flame *f);
/* The next way to group, in a loop. */
void flame__next_root(struct flame *f);
/* Time below frames that match, each counted once, in the root that is shown. */
u64 flame__matched_ns(const struct flame *f, const struct filter *filter, u32 *ret_frames);

#endif
