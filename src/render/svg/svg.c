/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flame graph as one self-contained SVG file: it opens from disk, shows everything without
 * scripts, and with them zooms and searches as users of flamegraph.pl expect (flame.js). At most
 * 5,000 rectangles are drawn, because browsers get slow above that. Frames that are too narrow are
 * merged, and marked as such.
 *
 * Wikis and mail programs remove scripts, and some remove styles. So every element has the
 * attributes it needs to look right, and the style is only for dark mode, print and the mouse. The
 * foot states what the graph cannot: the totals, the losses, and the command.
 */
#include <errno.h>

#include "base/text/units.h"
#include "profile/estimate.h"
#include "render/by_waker.h"
#include "render/words/effort_text.h"
#include "render/svg/svg_frame.h"
#include "render/svg/svg_priv.h"
#include "render/encode/xml_text.h"

#define MAX_RECTS 4950 /* frames; at most 5,000 including background and legend */
#define DEFAULT_WIDTH 1200
#define MIN_WIDTH 400
#define MAX_WIDTH 20000
#define HEAD 56 /* above the frames */
#define TITLE_CHARS 1000

const char svg_css[] =
#include "gen/flame.css.inc"
	;

const char svg_script[] =
#include "gen/flame.js.inc"
	;

static const char *name_of(const struct tree_node *n)
{
	if (n->kind == TREE_ALL)
		return "all";
	return *n->name ? n->name : "[no name]";
}

static const char *unit_name(const struct drawing *d)
{
	return d->opt->unit == RENDER_UNIT_NS ? "ns" : "µs";
}

static u64 value_of(const struct drawing *d, u64 ns)
{
	return d->opt->unit == RENDER_UNIT_NS ? ns : units_ns_to_us(ns);
}

void svg_share(const struct drawing *d, struct shared_time part, char *buf, size_t sz)
{
	const struct shared_time whole = { d->tree.nodes[0].total_ns,
					   d->causes.ns[CAUSE_SHOWN_IDLE] };

	share_text(part, whole, 2, buf, sz);
}

/* What a colour means, as text. */
static const char *kind_text(const struct drawing *d, const struct tree_node *n)
{
	switch (n->kind) {
	case TREE_KERNEL:
		return ", kernel";
	case TREE_CODE:
		return ", interpreted";
	case TREE_INLINED:
		return ", inlined";
	case TREE_WAKER:
		return d->opt->about ? "" : ", of the waker";
	case TREE_TRUNCATED:
		return ", its callers are not known";
	default:
		return "";
	}
}

/* The main cause of the time under a frame. */
static void put_cause(const struct drawing *d, const struct tree_node *n)
{
	const struct tree_cause *c = &d->causes.of_node[n - d->tree.nodes];

	if (c->cause != CAUSE_UNKNOWN && tree_cause__is_clear(c, n))
		sink__printf(d->out, ", %s%s", c->ns < n->total_ns ? "mostly " : "",
			     cause_shown_name(c->cause));
}

/* Number of waits, and of samples on a CPU. */
static void put_counts(const struct drawing *d, const struct tree_node *n)
{
	bool counted = !n->uncounted && (n->count || !(d->p->hdr.unknown & UNKNOWN_COUNTS));
	char count[32];

	if (d->view != VIEW_ON && counted && (n->count || (!n->on_ns && !d->p->hdr.visit_hz))) {
		units_format_count(n->count, count, sizeof(count));
		sink__printf(d->out, ", %s%s wait%s", profile__is_sampled(d->p) ? "about " : "",
			     count, units_plural(n->count));
	}
	if (n->on_ns && n->on_ns < n->total_ns) {
		units_format_count(value_of(d, n->on_ns), count, sizeof(count));
		sink__printf(d->out, ", %s %s on a CPU", count, unit_name(d));
	}
	if (d->view != VIEW_OFF && n->on_ns) {
		units_format_count(n->on_samples, count, sizeof(count));
		sink__printf(d->out, ", %s sample%s", count, units_plural(n->on_samples));
	}
}

static void put_frame_title(const struct drawing *d, const struct tree_node *n)
{
	const struct tree_cause *c = &d->causes.of_node[n - d->tree.nodes];
	char value[32], rough[64], share[SHARE_TEXT_SZ];

	svg_share(d, (struct shared_time){ n->total_ns, c->idle_ns }, share, sizeof(share));
	units_format_count(value_of(d, n->exact_ns), value, sizeof(value));
	sink__puts(d->out, "<title>");
	xml_text_put(d->out, name_of(n), TITLE_CHARS);
	sink__printf(d->out, " (%s", value);
	if (n->var_us2 == ESTIMATE_VAR_MAX) {
		sink__puts(d->out, " ±?");
	} else if (n->var_us2) {
		units_format_count(value_of(d, estimate_se_ns(n->var_us2)), value, sizeof(value));
		sink__printf(d->out, " ±%s", value);
	}
	sink__printf(d->out, " %s, %s", unit_name(d), share);
	put_counts(d, n);
	if (rough_text(n->var_us2, n->samples + n->on_samples, rough, sizeof(rough)))
		sink__printf(d->out, ", %s", rough);
	sink__puts(d->out, kind_text(d, n));
	put_cause(d, n);
	sink__puts(d->out, ")</title>");
}

static void merged_name(const struct flame_rect *rect, char *buf, size_t sz)
{
	char count[32];

	units_format_count(rect->merged, count, sizeof(count));
	snprintf(buf, sz, "[%s narrower frame%s]", count, units_plural(rect->merged));
}

static void put_merged_title(const struct drawing *d, const struct flame_rect *rect,
			     const char *name)
{
	char value[32], share[SHARE_TEXT_SZ] = "";

	units_format_count(value_of(d, rect->time_ns), value, sizeof(value));
	sink__printf(d->out, "<title>%s (%s %s", name, value, unit_name(d));
	/* how much of it is idle is not known */
	if (!d->causes.ns[CAUSE_SHOWN_IDLE]) {
		svg_share(d, (struct shared_time){ rect->time_ns, 0 }, share, sizeof(share));
		sink__printf(d->out, ", %s", share);
	}
	sink__puts(d->out, ", too narrow to be drawn apart)</title>");
}

static u32 row_y(const struct drawing *d, u32 row)
{
	return HEAD + SVG_FRAME_ROW * (d->opt->icicle ? row : d->layout.rows - 1 - row);
}

static struct color color_of(const struct drawing *d, const struct tree_node *n)
{
	const struct tree_cause *c = &d->causes.of_node[n - d->tree.nodes];

	if (d->palette->by_heat)
		return palette_color_heat(d->palette, (enum tree_kind)n->kind, n->name, n->on_ns,
					  n->total_ns);
	return palette_color(d->palette, (enum tree_kind)n->kind, n->name,
			     tree_cause__is_clear(c, n) ? c->cause : CAUSE_CNT);
}

static void put_frame(const struct drawing *d, const struct flame_rect *rect)
{
	const struct tree_node *n = &d->tree.nodes[rect->node];
	const struct svg_frame f = {
		.out = d->out,
		.rect = rect,
		.left = SVG_SIDE,
		.y = row_y(d, rect->row),
		.fill = rect->merged ? svg_merged_color : color_of(d, n),
	};
	char merged[64];

	svg_frame_begin(&f, &n->path_hash);
	merged_name(rect, merged, sizeof(merged));
	if (rect->merged)
		put_merged_title(d, rect, merged);
	else
		put_frame_title(d, n);
	svg_frame_end(&f, rect->merged ? merged : name_of(n));
}

static void put_button(const struct drawing *d, const char *id, const char *place, const char *text)
{
	sink__printf(d->out, "<text class=\"button off\" id=\"%s\" display=\"none\" %s>%s</text>\n",
		     id, place, text);
}

static void put_title(const struct drawing *d)
{
	static const char *const titles[] = {
		[VIEW_OFF] = "Off-CPU time",
		[VIEW_ON] = "On-CPU time",
		[VIEW_WALL] = "Wall-clock time",
	};

	sink__printf(d->out,
		     "<text class=\"title\" font-size=\"17\" x=\"%u\" y=\"24\" "
		     "text-anchor=\"middle\">",
		     d->width / 2);
	if (d->opt->title)
		xml_text_put(d->out, d->opt->title, d->width / 14);
	else
		sink__puts(d->out, titles[d->view]);
	sink__puts(d->out, "</text>\n");
}

static void put_subtitle(const struct drawing *d)
{
	char window[32];

	units_format_ns(d->p->hdr.window_ns, window, sizeof(window));
	sink__printf(d->out,
		     "<text class=\"sub\" fill=\"#55555e\" x=\"%u\" y=\"44\" "
		     "text-anchor=\"middle\">",
		     d->width / 2);
	if (d->opt->about) {
		xml_text_put(d->out, d->opt->about, d->width / 7);
		sink__printf(d->out, ", in %s</text>\n", unit_name(d));
		return;
	}
	sink__printf(d->out, "%s, in %s, for ", render_view_words(d->view), unit_name(d));
	xml_text_put(d->out, profile__str(d->p, d->p->hdr.target), d->width / 16);
	if (d->p->hdr.unknown & UNKNOWN_WINDOW)
		sink__puts(d->out, "</text>\n");
	else
		sink__printf(d->out, " in %s</text>\n", window);
}

static void put_head(const struct drawing *d, u32 height)
{
	char place[64];

	sink__printf(d->out,
		     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
		     "height=\"%u\" viewBox=\"0 0 %u %u\" data-width=\"%u\" data-left=\"%u\" "
		     "font-family=\"Verdana, &quot;DejaVu Sans&quot;, sans-serif\" "
		     "font-size=\"12\">\n",
		     d->width, height, d->width, height, d->width, SVG_SIDE);
	sink__puts(d->out, "<style>\n");
	sink__puts(d->out, svg_css);
	sink__printf(d->out,
		     "</style>\n<defs><linearGradient id=\"background\" x1=\"0\" y1=\"0\" x2=\"0\" "
		     "y2=\"1\"><stop class=\"top\" offset=\"0.05\" stop-color=\"#eeeeee\"/>"
		     "<stop class=\"bottom\" offset=\"0.95\" stop-color=\"%s\"/>"
		     "</linearGradient></defs>\n"
		     "<rect width=\"100%%\" height=\"100%%\" fill=\"url(#background)\"/>\n",
		     d->palette->background);
	put_title(d);
	put_subtitle(d);
	put_button(d, "reset", "x=\"10\" y=\"24\"", "Reset Zoom");
	snprintf(place, sizeof(place), "x=\"%u\" y=\"24\" text-anchor=\"end\"", d->width - 34);
	put_button(d, "search", place, "Search");
	snprintf(place, sizeof(place), "x=\"%u\" y=\"24\" text-anchor=\"end\"",
		 d->width - SVG_SIDE);
	put_button(d, "ignorecase", place, SVG_IGNORE_CASE);
}

/* Two lines for the script to fill. */
static void put_details(const struct drawing *d, u32 y)
{
	sink__printf(d->out, "<text id=\"details\" x=\"%u\" y=\"%u\"> </text>\n", SVG_SIDE, y);
	sink__printf(d->out,
		     "<text id=\"matched\" x=\"%u\" y=\"%u\" text-anchor=\"end\"> </text>\n",
		     d->width - SVG_SIDE, y);
}

static void put_drawing(const struct drawing *d)
{
	u32 frames_end = HEAD + SVG_FRAME_ROW * d->layout.rows, i;
	u32 legend_y = frames_end + 28;
	u32 foot_y = legend_y + svg_legend_height(d) + 10;

	put_head(d, foot_y + svg_foot_height(d) + 4);
	sink__puts(d->out, "<g id=\"frames\">\n");
	for (i = 0; i < d->layout.len; i++)
		put_frame(d, &d->layout.rects[i]);
	sink__puts(d->out, "</g>\n");
	put_details(d, frames_end + 18);
	svg_legend_put(d, legend_y);
	svg_foot_put(d, foot_y);
	sink__puts(d->out, "<script><![CDATA[\n");
	sink__puts(d->out, svg_script);
	sink__puts(d->out, "]]></script>\n</svg>\n");
}

/* The default is the palette that suits the view. */
static const char *palette_of(const struct drawing *d)
{
	static const char *const of_view[] = {
		[VIEW_OFF] = "cause",
		[VIEW_ON] = "hot",
		[VIEW_WALL] = "hotcold",
	};

	return d->opt->palette ? d->opt->palette : of_view[d->view];
}

static int check_options(struct drawing *d, struct err *err)
{
	const struct render_options *opt = d->opt;

	d->palette = palette_find(palette_of(d));
	if (!d->palette)
		return err__set(err, -EINVAL, "there is no palette '%s'", opt->palette);
	d->width = opt->width ? opt->width : DEFAULT_WIDTH;
	if (d->width < MIN_WIDTH || d->width > MAX_WIDTH)
		return err__set(err, -EINVAL, "a width of %u is not between %u and %u pixels",
				d->width, MIN_WIDTH, MAX_WIDTH);
	if (!(opt->min_share >= 0 && opt->min_share <= 1))
		return err__set(err, -EINVAL, "the smallest share is not between 0 and 1");
	return 0;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_WALL);
	struct drawing d = { .p = p, .opt = opt, .out = out, .view = shown_opt.view };
	struct tree_options tree_opt;
	struct flame_layout_options layout_opt = {
		.min_share = opt->min_share,
		.by_name = opt->by_name,
		.max_rects = MAX_RECTS,
	};
	struct by_waker rows = { 0 };
	struct shown shown;
	struct arena a;
	int r = check_options(&d, err);

	if (!r && profile__budget(p, &d.budget))
		r = err__nomem(err);
	if (!r)
		r = by_waker__init(&rows, p, opt, err);
	if (r) {
		by_waker__done(&rows);
		return r;
	}
	tree_opt = render_tree_options(opt, shown_opt.view, rows.memo);
	layout_opt.width = (d.width - 2 * SVG_SIDE) * 10;
	arena__init(&a);
	sink__init_mem(&d.foot);
	r = shown__init(&shown, rows.p, &shown_opt, err);
	if (!r)
		r = tree__build(shown.p, &tree_opt, &a, &d.tree, err);
	if (!r)
		r = tree_causes__build(shown.p, &d.tree, &a, rows.memo, &d.causes, err);
	if (!r)
		r = flame_layout__build(&d.tree, &layout_opt, &a, &d.layout, err);
	if (!r)
		r = svg_foot_write(&d, err);
	if (!r)
		put_drawing(&d);
	sink__done(&d.foot);
	shown__done(&shown);
	by_waker__done(&rows);
	arena__done(&a);
	return r;
}

const struct render_ops render_svg = {
	.name = "svg",
	.endings = ".svg",
	.mime = "image/svg+xml",
	.help = "flame graph that opens in a browser: zoom, search, no network",
	.takes_root = true,
	.takes_invert = true,
	.takes_wakers = true,
	.render = render,
};
