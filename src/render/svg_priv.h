/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_SVG_PRIV_H
#define RENDER_SVG_PRIV_H

#include "analysis/tree.h"
#include "analysis/tree_cause.h"
#include "render/flame_layout.h"
#include "render/palette.h"
#include "render/render.h"
#include "render/render_view.h"

/* One SVG: svg.c is the graph, svg_legend.c what colours mean, svg_foot.c the small print. */

#define SVG_SIDE 10 /* pixels that are empty to the left and right */
#define SVG_FOOT_ROW 15 /* height of a line of small print */
/* Width of a character of it, 11 px of Verdana, on average; a little more, to be sure. */
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
	struct sink foot; /* in memory: its paragraphs, a line each */
};

/* What stands for frames that are too narrow. */
extern const struct color svg_merged_color;

/* What shows and moves the frames: flame.css and flame.js. */
extern const char svg_css[];
extern const char svg_script[];

/* The name that flamegraph.pl has for it, and what it means. */
#define SVG_IGNORE_CASE "ic<title>Ignore case when searching: Ctrl-I</title>"
/* Of the whole in hundredths of a percent, half up. */
u32 svg_share(const struct drawing *d, u64 ns);

u32 svg_legend_height(const struct drawing *d);
void svg_legend_put(const struct drawing *d, u32 y);

/* Fills `foot`; the tree and the layout are there. -ENOMEM or 0. */
int svg_foot_write(struct drawing *d, struct err *err);
u32 svg_foot_height(const struct drawing *d);
void svg_foot_put(const struct drawing *d, u32 y);

#endif
