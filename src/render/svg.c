/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flame graph as one SVG file that needs nothing else: it opens from a disk, shows everything
 * without scripts, and with them zooms and searches as users of flamegraph.pl expect (flame.js).
 * At most 5,000 frames are drawn, the widest; browsers get slow above that, and the narrower ones
 * could not be seen.
 *
 * The foot says what the picture cannot: the totals, what was lost, and the command.
 */
#include <errno.h>

#include "analysis/shown.h"
#include "analysis/tree.h"
#include "base/units.h"
#include "profile/estimate.h"
#include "render/effort_text.h"
#include "render/flame_layout.h"
#include "render/loss_text.h"
#include "render/palette.h"
#include "render/render.h"
#include "render/scope_text.h"
#include "render/utf8.h"

#define MAX_RECTS 5000
#define DEFAULT_WIDTH 1200
#define MIN_WIDTH 400
#define MAX_WIDTH 20000
#define SIDE 10 /* empty to the left and right */
#define HEAD 56 /* above the frames */
#define ROW 16
#define FOOT_ROW 15
#define CHAR_HUNDREDTHS 708 /* width of a character: 12 px of Verdana */
#define TITLE_CHARS 1000
#define FOOT_CHARS 170

static const char css[] =
#include "gen/flame.css.inc"
	;

static const char script[] =
#include "gen/flame.js.inc"
	;

struct drawing {
	const struct profile *p;
	const struct render_options *opt;
	struct sink *out;
	const struct palette *palette;
	u32 width; /* pixels */
	struct tree tree;
	struct flame_layout layout;
	struct profile_budget budget;
};

/* At most `max` characters, then "..". Control bytes may not be in XML even as references. */
static void put_text(struct sink *out, const char *text, size_t max)
{
	size_t n = 0;
	u32 cp;

	while ((cp = utf8_next(&text))) {
		if (n++ == max) {
			sink__puts(out, "..");
			return;
		}
		if (cp == '&')
			sink__puts(out, "&amp;");
		else if (cp == '<')
			sink__puts(out, "&lt;");
		else if (cp == '>')
			sink__puts(out, "&gt;");
		else if (cp == '"')
			sink__puts(out, "&quot;");
		else if (cp == '\'')
			sink__puts(out, "&#39;");
		else if (cp < 0x20 || cp == 0xfffe || cp == 0xffff)
			utf8_put(out, UTF8_BAD);
		else
			utf8_put(out, cp);
	}
}

/* How many characters of a name fit into a frame; *ret_cut: not all, so ".." goes behind. */
static size_t fitting(const char *name, u32 tenths, bool *ret_cut)
{
	size_t room, used = 0, n = 0, cut_at = 0;
	bool cut_known = false;
	u32 cp;

	*ret_cut = false;
	room = tenths > 60 ? (size_t)(tenths - 60) * 10 / CHAR_HUNDREDTHS : 0;
	if (room < 3)
		return 0;
	for (; (cp = utf8_next(&name)); n++) {
		size_t step = cp >= 0x1100 ? 2 : 1;

		if (!cut_known && used + step > room - 2) {
			cut_known = true;
			cut_at = n;
		}
		used += step;
		if (used > room) {
			*ret_cut = true;
			return cut_at;
		}
	}
	return n;
}

static const char *name_of(const struct tree_node *n)
{
	if (n->kind == TREE_ALL)
		return "all";
	return *n->name ? n->name : "[no name]";
}

static const char *unit_name(const struct drawing *d)
{
	return d->opt->unit == RENDER_UNIT_NS ? "ns" : "us";
}

static u64 value_of(const struct drawing *d, u64 ns)
{
	return d->opt->unit == RENDER_UNIT_NS ? ns : units_ns_to_us(ns);
}

/* Share of the whole in hundredths of a percent, half up. */
static u32 share_of(const struct drawing *d, u64 ns)
{
	u64 total = d->tree.nodes[0].total_ns;

	return total ? (u32)(((unsigned __int128)ns * 10000 + total / 2) / total) : 0;
}

/* What a colour says, for those who do not know it. */
static const char *kind_text(const struct tree_node *n)
{
	switch (n->kind) {
	case TREE_CODE:
		return ", interpreted";
	case TREE_INLINED:
		return ", inlined";
	case TREE_TRUNCATED:
		return ", its callers are not known";
	default:
		return "";
	}
}

static void put_frame_title(const struct drawing *d, const struct tree_node *n)
{
	u32 share = share_of(d, n->total_ns);
	char value[32], count[32], rough[64];

	units_format_count(value_of(d, n->exact_ns), value, sizeof(value));
	units_format_count(n->count, count, sizeof(count));
	sink__puts(d->out, "<title>");
	put_text(d->out, name_of(n), TITLE_CHARS);
	sink__printf(d->out, " (%s", value);
	if (n->var_us2) {
		units_format_count(value_of(d, estimate_se_ns(n->var_us2)), value, sizeof(value));
		sink__printf(d->out, " ±%s", value);
	}
	sink__printf(d->out, " %s, %u.%02u%%, %s%s wait%s", unit_name(d), share / 100, share % 100,
		     profile__is_sampled(d->p) ? "about " : "", count, n->count == 1 ? "" : "s");
	if (rough_text(n->var_us2, n->samples, rough, sizeof(rough)))
		sink__printf(d->out, ", %s", rough);
	sink__printf(d->out, "%s)</title>", kind_text(n));
}

static u32 row_y(const struct drawing *d, u32 row)
{
	return HEAD + ROW * (d->opt->icicle ? row : d->layout.rows - 1 - row);
}

static void put_frame(const struct drawing *d, const struct flame_rect *rect)
{
	const struct tree_node *n = &d->tree.nodes[rect->node];
	struct color c = palette_color(d->palette, (enum tree_kind)n->kind, n->name);
	u32 x = rect->x + SIDE * 10, y = row_y(d, rect->row);
	bool cut;
	size_t chars = fitting(name_of(n), rect->w, &cut);

	sink__printf(
		d->out,
		"<g class=\"f\" id=\"n%016llx\" data-s=\"%llu\" data-t=\"%llu\" data-r=\"%u\">",
		n->path_hash, rect->start_ns, n->total_ns, rect->row);
	put_frame_title(d, n);
	sink__printf(d->out,
		     "<rect x=\"%u.%u\" y=\"%u\" width=\"%u.%u\" height=\"%u\" rx=\"2\" "
		     "fill=\"rgb(%u,%u,%u)\"/>",
		     x / 10, x % 10, y, rect->w / 10, rect->w % 10, ROW - 1, c.r, c.g, c.b);
	if (chars) {
		sink__printf(d->out, "<text x=\"%u.%u\" y=\"%u.5\">", (x + 30) / 10, (x + 30) % 10,
			     y + 11);
		put_text(d->out, name_of(n), cut ? chars : (size_t)-1);
		sink__puts(d->out, "</text>");
	}
	sink__puts(d->out, "</g>\n");
}

static void put_button(const struct drawing *d, const char *id, const char *place, const char *text)
{
	sink__printf(d->out, "<text class=\"button off\" id=\"%s\" %s>%s</text>\n", id, place,
		     text);
}

static void put_title(const struct drawing *d)
{
	sink__printf(d->out, "<text class=\"title\" x=\"%u\" y=\"24\" text-anchor=\"middle\">",
		     d->width / 2);
	if (d->opt->title)
		put_text(d->out, d->opt->title, d->width / 14);
	else
		sink__puts(d->out, "Off-CPU time");
	sink__puts(d->out, "</text>\n");
}

static void put_subtitle(const struct drawing *d)
{
	char window[32];

	units_format_ns(d->p->hdr.window_ns, window, sizeof(window));
	sink__printf(d->out,
		     "<text class=\"sub\" x=\"%u\" y=\"44\" text-anchor=\"middle\">blocked and "
		     "waiting for a CPU, in %s, for ",
		     d->width / 2, unit_name(d));
	put_text(d->out, profile__str(d->p, d->p->hdr.target), d->width / 16);
	sink__printf(d->out, " in %s</text>\n", window);
}

static void put_head(const struct drawing *d, u32 height)
{
	char place[64];

	sink__printf(d->out,
		     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
		     "height=\"%u\" viewBox=\"0 0 %u %u\" data-width=\"%u\" data-left=\"%u\">\n",
		     d->width, height, d->width, height, d->width, SIDE);
	sink__puts(d->out, "<style>\n");
	sink__puts(d->out, css);
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
	snprintf(place, sizeof(place), "x=\"%u\" y=\"24\" text-anchor=\"end\"", d->width - SIDE);
	put_button(d, "ignorecase", place, "ic");
}

static void begin_foot_line(const struct drawing *d, u32 *y)
{
	sink__printf(d->out, "<text class=\"foot\" x=\"%u\" y=\"%u\">", SIDE, *y);
	*y += FOOT_ROW;
}

static void put_totals(const struct drawing *d, u32 *y)
{
	const struct profile_budget *b = &d->budget;
	char total[32], blocked[32], runq[32], count[32];

	bool exact = profile__is_sampled(d->p) && !d->p->hdr.filtered;
	u64 blocked_ns = exact ? b->blocked_ns : b->listed_blocked_ns;
	u64 runq_ns = exact ? b->preempted_ns + b->runq_ns : b->listed_runq_ns;

	units_format_ns(d->tree.nodes[0].exact_ns, total, sizeof(total));
	units_format_ns(blocked_ns, blocked, sizeof(blocked));
	units_format_ns(runq_ns, runq, sizeof(runq));
	units_format_count(d->tree.nodes[0].count, count, sizeof(count));
	begin_foot_line(d, y);
	sink__printf(d->out, "%s in %s%s wait%s of %u thread%s: blocked %s, waiting for a CPU %s.",
		     total, profile__is_sampled(d->p) ? "about " : "", count,
		     d->tree.nodes[0].count == 1 ? "" : "s", b->threads, b->threads == 1 ? "" : "s",
		     blocked, runq);
	if (d->layout.left_out)
		sink__printf(d->out, " %u frame%s too narrow to be drawn.", d->layout.left_out,
			     d->layout.left_out == 1 ? " is" : "s are");
	if (d->p->hdr.filtered)
		sink__puts(d->out, " Other waits were left out on request.");
	sink__puts(d->out, "</text>\n");
}

static void put_losses(const struct drawing *d, u32 *y)
{
	char text[256];
	int i;

	for (i = 0; i < LOSS_CNT; i++) {
		if (!loss_text(d->p, (enum profile_loss_kind)i, text, sizeof(text)))
			continue;
		begin_foot_line(d, y);
		sink__puts(d->out, "Lost: ");
		put_text(d->out, text, FOOT_CHARS);
		sink__puts(d->out, "</text>\n");
	}
	if (!loss_kinds(d->p)) {
		begin_foot_line(d, y);
		sink__puts(d->out, "Nothing lost.</text>\n");
	}
}

static void put_effort(const struct drawing *d, u32 *y)
{
	char text[EFFORT_TEXT_SZ];

	begin_foot_line(d, y);
	effort_seen_text(d->p, text, sizeof(text));
	put_text(d->out, text, FOOT_CHARS);
	effort_cost_text(d->p, text, sizeof(text));
	sink__puts(d->out, "; ");
	put_text(d->out, text, FOOT_CHARS);
	sink__puts(d->out, ".</text>\n");
}

/* What part of the world this is; returns how many lines that takes, `y` NULL: without writing. */
static u32 put_scope(const struct drawing *d, u32 *y)
{
	static bool (*const texts[])(const struct profile *, char *,
				     size_t) = { scope_windows_text, scope_selection_text };
	char text[SCOPE_TEXT_SZ];
	u32 rows = 0, i;

	for (i = 0; i < ARRAY_LEN(texts); i++) {
		if (!texts[i](d->p, text, sizeof(text)))
			continue;
		rows++;
		if (!y)
			continue;
		begin_foot_line(d, y);
		put_text(d->out, text, FOOT_CHARS);
		sink__puts(d->out, "</text>\n");
	}
	return rows;
}

static const char *command_of(const struct drawing *d)
{
	return d->opt->command ? d->opt->command : profile__str(d->p, d->p->hdr.command);
}

static u32 foot_rows(const struct drawing *d)
{
	u32 kinds = loss_kinds(d->p);

	return 2 + put_scope(d, NULL) + (kinds ? kinds : 1) + (*command_of(d) ? 1 : 0);
}

static void put_foot(const struct drawing *d, u32 y)
{
	sink__printf(d->out, "<text id=\"details\" x=\"%u\" y=\"%u\"> </text>\n", SIDE, y);
	sink__printf(d->out,
		     "<text id=\"matched\" x=\"%u\" y=\"%u\" text-anchor=\"end\"> </text>\n",
		     d->width - SIDE, y);
	y += 20;
	put_totals(d, &y);
	put_scope(d, &y);
	put_losses(d, &y);
	put_effort(d, &y);
	if (*command_of(d)) {
		begin_foot_line(d, &y);
		sink__puts(d->out, "<title>");
		put_text(d->out, command_of(d), (size_t)-1);
		sink__puts(d->out, "</title>");
		put_text(d->out, command_of(d), d->width / 7);
		sink__puts(d->out, "</text>\n");
	}
}

static void put_drawing(const struct drawing *d)
{
	u32 frames_end = HEAD + ROW * d->layout.rows, i;

	put_head(d, frames_end + 46 + FOOT_ROW * foot_rows(d));
	sink__puts(d->out, "<g id=\"frames\">\n");
	for (i = 0; i < d->layout.len; i++)
		put_frame(d, &d->layout.rects[i]);
	sink__puts(d->out, "</g>\n");
	put_foot(d, frames_end + 18);
	sink__puts(d->out, "<script><![CDATA[\n");
	sink__puts(d->out, script);
	sink__puts(d->out, "]]></script>\n</svg>\n");
}

static int check_options(struct drawing *d, struct err *err)
{
	const struct render_options *opt = d->opt;

	d->palette = palette_find(opt->palette);
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
	struct drawing d = { .p = p, .opt = opt, .out = out };
	struct tree_options tree_opt = {
		.root = opt->root,
		.sides = opt->sides,
		.delimiter = opt->delimiter,
		.invert = opt->invert,
	};
	const struct shown_options shown_opt = { opt->interpreter, opt->no_truncated };
	struct flame_layout_options layout_opt = {
		.min_share = opt->min_share,
		.max_rects = MAX_RECTS,
	};
	struct shown shown;
	struct arena a;
	int r = check_options(&d, err);

	if (r)
		return r;
	if (profile__budget(p, &d.budget))
		return err__nomem(err);
	layout_opt.width = (d.width - 2 * SIDE) * 10;
	arena__init(&a);
	r = shown__init(&shown, p, &shown_opt, err);
	if (!r)
		r = tree__build(shown.p, &tree_opt, &a, &d.tree, err);
	if (!r)
		r = flame_layout__build(&d.tree, &layout_opt, &a, &d.layout, err);
	if (!r)
		put_drawing(&d);
	shown__done(&shown);
	arena__done(&a);
	return r;
}

const struct render_ops render_svg = {
	.name = "svg",
	.endings = ".svg",
	.mime = "image/svg+xml",
	.help = "flame graph that opens in a browser: zoom, search, no network",
	.render = render,
};
