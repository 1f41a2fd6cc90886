/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_SVG_FLAME_LAYOUT_H
#define RENDER_SVG_FLAME_LAYOUT_H

#include "analysis/model/tree.h"
#include "base/arena.h"
#include "base/err.h"

/*
 * The position of each frame of a graph: rows by depth, and children side by side under their
 * parent. Coordinates are in tenths of a pixel.
 */
struct flame_rect {
	u32 node; /* index into the tree; for merged frames, of their parent */
	u32 row; /* depth of the node */
	u32 x;
	u32 w; /* at least 1 */
	u32 merged; /* number of frames too narrow to show separately; 0: this is one frame */
	u64 start_ns; /* the same as x and w without rounding */
	u64 time_ns;
};

struct flame_layout {
	struct flame_rect *rects; /* from left to right, parents before their children */
	u32 len;
	u32 rows; /* in use, at least 1 */
	u32 left_out; /* nodes with time that are too narrow, including merged ones */
};

struct flame_layout_options {
	u32 width; /* tenths of a pixel */
	double min_share; /* of the total; 0: one tenth of a pixel */
	bool by_name; /* children in the order of the tree; otherwise the widest first */
	u32 max_rects; /* at least 2; if there are more, the narrowest are dropped */
};

/*
 * In the arena. The parent of a shown node is shown. Node 0 is always there, across the full width.
 * The hidden children of a node are one merged rectangle to the right of the shown ones, if it is
 * wide enough to be visible, so that they do not look like the node's own time. -ENOMEM or 0.
 */
int flame_layout__build(const struct tree *t, const struct flame_layout_options *opt,
			struct arena *a, struct flame_layout *ret_layout, struct err *err);

#endif
