/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_SVG_SVG_PRIV_H
#define RENDER_SVG_SVG_PRIV_H

#include "analysis/model/tree.h"
#include "analysis/model/tree_cause.h"
#include "render/words/share_text.h"
#include "render/svg/flame_layout.h"
#include "render/words/palette.h"
#include "render/render.h"
#include "render/render_view.h"

/* One SVG: svg.c is the graph, svg_legend.c explains colours, svg_foot.c is the footer. */

#define SVG_SIDE 10 /* empty pixels to the left and right */
#define SVG_FOOT_ROW 15 /* height of a line of the footer */
/* Width of a footer character, 11 px of Verdana, on average, with some reserve. */
#define SVG_FOOT_CHAR_TENTHS 66

struct drawing {
	const struct profile *p; /* the whole of it */
	const struct render_options *opt;
	struct sink *out;
	const struct palette *palette;
	enum time_view view;
	u32 width; /* pixels */
	struct tree tree;
	struct tree_causes causes;
	struct flame_layout layout;
	struct profile_budget budget;
	struct sink foot; /* in memory: its paragraphs, one per line */
};

/* The colour of frames merged because they are too narrow. */
extern const struct color svg_merged_color;

/* What displays and moves the frames: flame.css and flame.js. */
extern const char svg_css[];
extern const char svg_script[];

/* flamegraph.pl's name for it, and its meaning. */
#define SVG_IGNORE_CASE "ic<title>Ignore case when searching: Ctrl-I</title>"
/* Share of the time that is not idle: share_text(). */
void svg_share(const struct drawing *d, struct shared_time part, char *buf, size_t sz);

u32 svg_legend_height(const struct drawing *d);
void svg_legend_put(const struct drawing *d, u32 y);

/* Fills `foot`; the tree and the layout must exist. -ENOMEM or 0. */
int svg_foot_write(struct drawing *d, struct err *err);
u32 svg_foot_height(const struct drawing *d);
void svg_foot_put(const struct drawing *d, u32 y);

#endif
