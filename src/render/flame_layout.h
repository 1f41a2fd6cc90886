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
	u32 node; /* index into the tree */
	u32 row; /* depth of the node */
	u32 x;
	u32 w; /* at least 1 */
	u64 start_ns; /* the same without rounding */
};

struct flame_layout {
	struct flame_rect *rects; /* in the order of the tree */
	u32 len;
	u32 rows; /* in use, at least 1 */
	u32 left_out; /* nodes with time that are too narrow */
};

struct flame_layout_options {
	u32 width; /* tenths of a pixel */
	double min_share; /* of the whole; 0: one tenth of a pixel */
	u32 max_rects; /* when there are more, the narrowest go */
};

/*
 * Lives in the arena. A node that is shown has its parent shown. Node 0 is always there, over the
 * whole width. -ENOMEM or 0.
 */
int flame_layout__build(const struct tree *t, const struct flame_layout_options *opt,
			struct arena *a, struct flame_layout *ret_layout, struct err *err);

#endif
