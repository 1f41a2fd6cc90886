/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colour of a frame is that of everything waited below it. flamegraph.pl colours only the last
 * frame of a stack, and off the CPU that is always the scheduler.
 *
 * Merged, the width of a frame is the mean of both sides, so that what is gone is next to what is
 * new; zoom and search are those of svg.c. Side by side, both have one scale, and a frame has the
 * same colour on both sides; there is one script per graph, so these are static.
 */
#include <errno.h>
#include <math.h>

#include "base/text/units.h"
#include "render/diff/diff_view.h"
#include "render/svg/svg_frame.h"
#include "render/svg/svg_priv.h"
#include "render/encode/xml_text.h"

#define DEFAULT_WIDTH 1200
#define MIN_WIDTH 400
#define MAX_WIDTH 20000
#define MAX_RECTS 4900
#define HEAD 56
#define LEGEND 28
#define KEY_LINES 2
#define TITLE_CHARS 1000
/* Which side determines the width of a frame. */
#define BOTH 2

struct panel {
	u32 what; /* enum diff_side, or BOTH */
	u32 x; /* pixels */
	u32 width;
	struct tree tree;
	struct flame_layout layout;
};

struct graph {
	const struct diff *d;
	const struct diff_view *v;
	struct sink *out;
	u32 width;
	u32 rows;
	struct panel panels[2];
	u32 panels_len;
};

/* In thousandths of a ns per unit: a tree has whole numbers. */
static u64 width_of(double before, double after, u32 what)
{
	double value = what == BOTH ? (before + after) / 2 : what == DIFF_AFTER ? after : before;

	return (u64)llround(value * 1000);
}

/* Totals are added up from the leaves, so that rounding cannot make children wider than parents. */
static int make_tree(const struct graph *g, struct panel *pn, struct arena *a)
{
	const struct diff *d = g->d;
	u32 i;

	pn->tree.nodes = arena__array(a, d->nodes_len, sizeof(*pn->tree.nodes));
	if (!pn->tree.nodes)
		return -ENOMEM;
	pn->tree.len = d->nodes_len;
	pn->tree.depth = d->depth;
	for (i = d->nodes_len; i-- > 0;) {
		const struct diff_node *n = &d->nodes[i];
		struct tree_node *t = &pn->tree.nodes[i];

		t->name = n->name;
		t->kind = n->kind;
		t->parent = n->parent;
		t->depth = n->depth;
		t->end = n->end;
		t->path_hash = n->path_hash;
		t->self_ns = width_of((double)n->self_ns[0] / d->units[0],
				      (double)n->self_ns[1] / d->units[1], pn->what);
		t->total_ns += t->self_ns;
		if (i)
			pn->tree.nodes[n->parent].total_ns += t->total_ns;
	}
	return 0;
}

static void put_frame_title(const struct graph *g, const struct diff_node *n)
{
	char rate[2][32], change[40], percent[32], largest[96];
	u32 side;

	for (side = 0; side < 2; side++)
		diff_rate_text(n->item.rate[side], rate[side], sizeof(rate[side]));
	diff_change_text(&n->item, change, sizeof(change));
	diff_percent_text(&n->item, percent, sizeof(percent));
	sink__puts(g->out, "<title>");
	xml_text_put(g->out, n->name, TITLE_CHARS);
	sink__printf(g->out, " (%s, then %s per %s: %s, %s", rate[0], rate[1],
		     diff_unit_name(g->d->opt.per), change, percent);
	if (n->item.verdict == DIFF_NOISE)
		sink__printf(g->out, ", noise, p %.3f", n->item.p);
	else if (n->item.verdict == DIFF_MORE || n->item.verdict == DIFF_LESS)
		sink__printf(g->out, ", p %.3g", n->item.p);
	else
		sink__puts(g->out, ", not tested");
	if (diff_largest_text(g->d, &n->item, largest, sizeof(largest)))
		sink__printf(g->out, "; %s", largest);
	sink__puts(g->out, ")</title>");
}

static u32 row_y(const struct graph *g, u32 row)
{
	return HEAD + SVG_FRAME_ROW * (g->rows - 1 - row);
}

/* Ids are unique within one graph; two graphs on one page would repeat them. */
static void put_frame(const struct graph *g, const struct panel *pn, const struct flame_rect *rect)
{
	const struct diff_node *n = &g->d->nodes[rect->node];
	const struct svg_frame f = {
		.out = g->out,
		.rect = rect,
		.left = pn->x,
		.y = row_y(g, rect->row),
		.fill = rect->merged ? svg_merged_color : diff_color(&n->item),
	};

	svg_frame_begin(&f, pn->what == BOTH ? &n->path_hash : NULL);
	if (rect->merged)
		sink__printf(g->out,
			     "<title>[%u narrower frame%s] (too narrow to be drawn)</title>",
			     rect->merged, units_plural(rect->merged));
	else
		put_frame_title(g, n);
	svg_frame_end(&f, rect->merged ? NULL : n->name);
}

static void put_head(const struct graph *g, u32 height)
{
	sink__printf(g->out,
		     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
		     "height=\"%u\" viewBox=\"0 0 %u %u\" data-width=\"%u\" data-left=\"%u\" "
		     "font-family=\"Verdana, &quot;DejaVu Sans&quot;, sans-serif\" "
		     "font-size=\"12\">\n<style>\n",
		     g->width, height, g->width, height, g->width, SVG_SIDE);
	sink__puts(g->out, svg_css);
	sink__printf(g->out,
		     "</style>\n<defs><linearGradient id=\"background\" x1=\"0\" y1=\"0\" x2=\"0\" "
		     "y2=\"1\"><stop class=\"top\" offset=\"0.05\" stop-color=\"#eeeeee\"/>"
		     "<stop class=\"bottom\" offset=\"0.95\" stop-color=\"#e8e8ee\"/>"
		     "</linearGradient></defs>\n"
		     "<rect width=\"100%%\" height=\"100%%\" fill=\"url(#background)\"/>\n"
		     "<text class=\"title\" font-size=\"17\" x=\"%u\" y=\"24\" "
		     "text-anchor=\"middle\">Off-CPU time per %s: what changed</text>\n",
		     g->width / 2, diff_unit_name(g->d->opt.per));
}

static void put_panel_head(const struct graph *g, const struct panel *pn)
{
	char rate[2][32], change[40], percent[32];
	u32 side;

	for (side = 0; side < 2; side++)
		diff_rate_text(g->d->total.rate[side], rate[side], sizeof(rate[side]));
	diff_change_text(&g->d->total, change, sizeof(change));
	diff_percent_text(&g->d->total, percent, sizeof(percent));
	sink__printf(g->out,
		     "<text class=\"sub\" fill=\"#55555e\" x=\"%u\" y=\"44\" "
		     "text-anchor=\"middle\">",
		     pn->x + pn->width / 2);
	if (pn->what == BOTH)
		sink__printf(g->out, "in all %s, then %s: %s, %s", rate[0], rate[1], change,
			     percent);
	else
		sink__printf(g->out, "%s: %s", pn->what ? "after" : "before", rate[pn->what]);
	sink__puts(g->out, "</text>\n");
}

static void put_button(const struct graph *g, const char *id, u32 x, const char *anchor,
		       const char *text)
{
	sink__printf(g->out,
		     "<text class=\"button off\" id=\"%s\" display=\"none\" x=\"%u\" y=\"24\" "
		     "text-anchor=\"%s\">%s</text>\n",
		     id, x, anchor, text);
}

/* A swatch has a border, because grey on grey is invisible. */
static u32 put_swatch(const struct graph *g, struct color c, const char *words, u32 x, u32 y)
{
	sink__printf(g->out,
		     "<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" rx=\"2\" "
		     "stroke=\"#77777f\" stroke-width=\"0.5\" fill=\"rgb(%u,%u,%u)\"/>"
		     "<text class=\"foot\" font-size=\"11\" fill=\"#55555e\" x=\"%u\" "
		     "y=\"%u\">%s</text>\n",
		     x, y, c.r, c.g, c.b, x + 16, y + 10, words);
	return x + 32 + (u32)strlen(words) * SVG_FOOT_CHAR_TENTHS / 10;
}

static bool has_merged(const struct graph *g)
{
	u32 k, i;

	for (k = 0; k < g->panels_len; k++) {
		for (i = 0; i < g->panels[k].layout.len; i++) {
			if (g->panels[k].layout.rects[i].merged)
				return true;
		}
	}
	return false;
}

/* Colours, from less to more; the words are explained below. */
static void put_legend(const struct graph *g, u32 y)
{
	static const struct {
		const char *words;
		struct diff_item item;
	} entries[] = {
		{ "much less", { .ns = { 9, 1 }, .rate = { 9, 1 }, .verdict = DIFF_LESS } },
		{ "less", { .ns = { 10, 9 }, .rate = { 10, 9 }, .verdict = DIFF_LESS } },
		{ "noise", { .ns = { 9, 1 }, .rate = { 9, 1 }, .verdict = DIFF_NOISE } },
		{ "small", { .ns = { 9, 1 }, .rate = { 9, 1 }, .verdict = DIFF_SMALL } },
		{ "more", { .ns = { 9, 10 }, .rate = { 9, 10 }, .verdict = DIFF_MORE } },
		{ "much more", { .ns = { 1, 9 }, .rate = { 1, 9 }, .verdict = DIFF_MORE } },
	};
	u32 x = SVG_SIDE;
	size_t i;

	for (i = 0; i < ARRAY_LEN(entries); i++) {
		struct diff_item it = entries[i].item;

		if (!g->d->tested && it.verdict == DIFF_NOISE)
			continue;
		if (!g->d->tested && it.verdict != DIFF_SMALL)
			it.verdict = DIFF_UNKNOWN;
		x = put_swatch(g, diff_color(&it), entries[i].words, x, y);
	}
	if (has_merged(g))
		put_swatch(g, svg_merged_color, "too narrow", x, y);
}

static void put_line(const struct graph *g, const char *text, u32 y)
{
	sink__printf(g->out,
		     "<text class=\"foot\" font-size=\"11\" fill=\"#55555e\" x=\"%u\" y=\"%u\">",
		     SVG_SIDE, y);
	xml_text_put(g->out, text, (g->width - 2 * SVG_SIDE) * 10 / SVG_FOOT_CHAR_TENTHS);
	sink__puts(g->out, "</text>\n");
}

/* What the words of the legend mean, in as many lines as that takes. */
static u32 put_key(const struct graph *g, u32 y)
{
	char text[512], *line, *next;

	diff_key_text(g->d, false, text, sizeof(text));
	if (!*text)
		snprintf(text, sizeof(text),
			 "Red: more; blue: less; whether that is chance is not known.\n"
			 "small: below %g%% of either side.",
			 100 * DIFF_WEIGHT_MIN);
	for (line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		put_line(g, line, y);
		y += SVG_FOOT_ROW;
	}
	return y;
}

static void put_foot(const struct graph *g, u32 y)
{
	char text[512], line[1024];
	u32 side;

	y = put_key(g, y);
	for (side = 0; side < 2; side++) {
		diff_side_text(g->d, side, text, sizeof(text));
		snprintf(line, sizeof(line), "%s: %s: %s, %s", side ? "after" : "before",
			 g->v->names[side], profile__str(g->d->p[side], g->d->p[side]->hdr.target),
			 text);
		put_line(g, line, y + side * SVG_FOOT_ROW);
	}
	diff_tested_text(g->d, text, sizeof(text));
	put_line(g, text, y + 2 * SVG_FOOT_ROW);
}

static void put_merged_parts(const struct graph *g, u32 y)
{
	put_button(g, "reset", SVG_SIDE, "start", "Reset Zoom");
	put_button(g, "search", g->width - 34, "end", "Search");
	put_button(g, "ignorecase", g->width - SVG_SIDE, "end", SVG_IGNORE_CASE);
	sink__printf(g->out, "<text id=\"details\" x=\"%u\" y=\"%u\"> </text>\n", SVG_SIDE, y);
	sink__printf(g->out,
		     "<text id=\"matched\" x=\"%u\" y=\"%u\" text-anchor=\"end\"> </text>\n",
		     g->width - SVG_SIDE, y);
}

static void put_graph(const struct graph *g)
{
	u32 frames_end = HEAD + SVG_FRAME_ROW * g->rows, legend_y = frames_end + LEGEND, k, i;
	bool merged = g->panels_len == 1;

	put_head(g, legend_y + LEGEND + (KEY_LINES + 3) * SVG_FOOT_ROW + 8);
	sink__puts(g->out, "<g id=\"frames\">\n");
	for (k = 0; k < g->panels_len; k++) {
		for (i = 0; i < g->panels[k].layout.len; i++)
			put_frame(g, &g->panels[k], &g->panels[k].layout.rects[i]);
	}
	sink__puts(g->out, "</g>\n");
	for (k = 0; k < g->panels_len; k++)
		put_panel_head(g, &g->panels[k]);
	if (merged)
		put_merged_parts(g, frames_end + 18);
	put_legend(g, legend_y);
	put_foot(g, legend_y + LEGEND + 4);
	if (merged) {
		sink__puts(g->out, "<script><![CDATA[\n");
		sink__puts(g->out, svg_script);
		sink__puts(g->out, "]]></script>\n");
	}
	sink__puts(g->out, "</svg>\n");
}

/* The widths of the two panels are proportional to their totals. */
static void place_panels(struct graph *g)
{
	u32 room = g->width - 2 * SVG_SIDE, half = room / 2 - SVG_SIDE / 2, k;
	double most = fmax(g->d->total.rate[0], g->d->total.rate[1]);

	if (!g->v->side_by_side) {
		g->panels[g->panels_len++] = (struct panel){ BOTH, SVG_SIDE, room, { 0 }, { 0 } };
		return;
	}
	for (k = 0; k < 2; k++) {
		double part = most > 0 ? g->d->total.rate[k] / most : 1;
		u32 width = (u32)(part * half);

		g->panels[g->panels_len++] = (struct panel){
			k, SVG_SIDE + k * (half + SVG_SIDE), width ? width : 1, { 0 }, { 0 }
		};
	}
}

static int lay_out(struct graph *g, struct arena *a, struct err *err)
{
	u32 k;
	int r = 0;

	for (k = 0; k < g->panels_len && !r; k++) {
		struct panel *pn = &g->panels[k];
		const struct flame_layout_options opt = {
			.width = pn->width * 10,
			.by_name = true, /* the same place in both */
			.max_rects = MAX_RECTS / g->panels_len,
		};

		if (make_tree(g, pn, a))
			return err__nomem(err);
		r = flame_layout__build(&pn->tree, &opt, a, &pn->layout, err);
		if (!r && pn->layout.rows > g->rows)
			g->rows = pn->layout.rows;
	}
	return r;
}

int diff_svg_put(const struct diff_view *v, struct sink *out, struct err *err)
{
	struct graph g = { .d = v->d, .v = v, .out = out, .width = v->width };
	struct arena a;
	int r;

	if (!g.width)
		g.width = DEFAULT_WIDTH;
	if (g.width < MIN_WIDTH || g.width > MAX_WIDTH)
		return err__set(err, -EINVAL, "a width of %u is not between %u and %u pixels",
				g.width, MIN_WIDTH, MAX_WIDTH);
	arena__init(&a);
	place_panels(&g);
	r = lay_out(&g, &a, err);
	if (!r)
		put_graph(&g);
	arena__done(&a);
	return r;
}
