/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_FLAME_LAYOUT_H
#define RENDER_FLAME_LAYOUT_H

#include "analysis/tree.h"
#include "base/arena.h"
#include "base/err.h"

/*
 * Where each frame of a graph is: rows by depth, and across, children side by side under their
 * parent. Coordinates are in tenths of a pixel.
 */
struct flame_rect {
	u32 node; /* index into the tree; where frames were merged, of what they stand on */
	u32 row; /* depth of the node */
	u32 x;
	u32 w; /* at least 1 */
	u32 merged; /* as many frames too narrow to be shown apart; 0: this is one frame */
	u64 start_ns; /* the same as x and w without rounding */
	u64 time_ns;
};

struct flame_layout {
	struct flame_rect *rects; /* in the order of the tree, merged ones behind their siblings */
	u32 len;
	u32 rows; /* in use, at least 1 */
	u32 left_out; /* nodes with time that are too narrow, merged ones too */
};

struct flame_layout_options {
	u32 width; /* tenths of a pixel */
	double min_share; /* of the whole; 0: one tenth of a pixel */
	u32 max_rects; /* at least 2; when there are more, the narrowest go */
};

/*
 * Lives in the arena. A node that is shown has its parent shown. Node 0 is always there, over the
 * whole width. What is not shown of a node's children is one merged rectangle to the right of those
 * that are, where it is wide enough to be seen, so that it is not taken for the node's own time.
 * -ENOMEM or 0.
 */
int flame_layout__build(const struct tree *t, const struct flame_layout_options *opt,
			struct arena *a, struct flame_layout *ret_layout, struct err *err);

#endif
