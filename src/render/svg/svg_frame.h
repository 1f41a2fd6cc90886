/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_SVG_SVG_FRAME_H
#define RENDER_SVG_SVG_FRAME_H

#include "base/sink.h"
#include "render/svg/flame_layout.h"
#include "render/words/palette.h"

/*
 * One frame of a flame graph in SVG: a group with a title, a rectangle, and as much of the name as
 * fits.
 */

#define SVG_FRAME_ROW 16 /* pixels from one row to the next */

struct svg_frame {
	struct sink *out;
	const struct flame_rect *rect;
	u32 left; /* pixels, of the whole graph */
	u32 y;
	struct color fill;
};

/*
 * Opens the group; the caller writes a title next. `path_hash`: of the node, for the script that
 * zooms and searches; NULL: the frame is static.
 */
void svg_frame_begin(const struct svg_frame *f, const u64 *path_hash);
/* The rest of it. `label`: NULL for none. */
void svg_frame_end(const struct svg_frame *f, const char *label);

#endif
