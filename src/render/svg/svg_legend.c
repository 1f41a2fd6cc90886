/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the colours of a flame graph mean, for readers on paper or in a wiki, where there are no
 * tooltips: the kinds of frames that occur, and with palette "cause" the causes with their shares.
 */
#include "base/text/units.h"
#include "render/svg/svg_priv.h"

#define ROW 18
#define SWATCH 12
#define GAP 16
#define MAX_ENTRIES (CAUSE_SHOWN_CNT + 12)

const struct color svg_merged_color = { 214, 212, 208 };

struct entry {
	struct color color;
	char words[64];
};

struct legend {
	struct entry entries[MAX_ENTRIES];
	u32 len;
};

static void add(struct legend *l, struct color color, const char *words)
{
	struct entry *e = &l->entries[l->len++];

	e->color = color;
	snprintf(e->words, sizeof(e->words), "%s", words);
}

static bool has_kind(const struct drawing *d, enum tree_kind kind)
{
	u32 i;

	for (i = 0; i < d->layout.len; i++) {
		const struct flame_rect *rect = &d->layout.rects[i];

		if (!rect->merged && d->tree.nodes[rect->node].kind == kind)
			return true;
	}
	return false;
}

static bool has_merged(const struct drawing *d)
{
	u32 i;

	for (i = 0; i < d->layout.len; i++) {
		if (d->layout.rects[i].merged)
			return true;
	}
	return false;
}

/* If the hue shows something else, these have no colour of their own. */
static bool is_said(const struct drawing *d, enum tree_kind kind)
{
	if (d->palette->by_cause)
		return kind == TREE_USER || kind == TREE_INLINED || kind == TREE_CODE ||
		       kind == TREE_WAKER;
	return d->palette->by_heat && d->view == VIEW_WALL && kind == TREE_USER;
}

static void add_kinds(const struct drawing *d, struct legend *l)
{
	static const struct {
		enum tree_kind kind;
		const char *words;
	} kinds[] = {
		{ TREE_GROUP, "thread" },    { TREE_USER, "user" },
		{ TREE_INLINED, "inlined" }, { TREE_CODE, "interpreted" },
		{ TREE_KERNEL, "kernel" },   { TREE_TRUNCATED, "callers not known" },
		{ TREE_NOTE, "not known" },  { TREE_WAKER, "waker" },
	};
	u32 i;

	if (d->palette->by_cause)
		add(l, palette_color(d->palette, TREE_USER, "", CAUSE_CNT), "several causes");
	if (d->palette->by_heat && d->view == VIEW_WALL) {
		add(l, palette_color(d->palette, TREE_USER, "", CAUSE_ON_CPU), "on a CPU");
		add(l, palette_color(d->palette, TREE_USER, "", CAUSE_CNT), "off it");
		add(l, palette_color_heat(d->palette, TREE_USER, "", 1, 2), "both");
	}
	for (i = 0; i < ARRAY_LEN(kinds); i++) {
		if (has_kind(d, kinds[i].kind) && !is_said(d, kinds[i].kind))
			add(l, palette_color(d->palette, kinds[i].kind, "", CAUSE_CNT),
			    kinds[i].words);
	}
	if (has_merged(d))
		add(l, svg_merged_color, "too narrow to be drawn apart");
}

/* The next cause after those with more than `below` ns, or with as much and a lower number. */
static u32 next_cause(const struct drawing *d, u64 below, u32 last)
{
	u32 best = CAUSE_CNT, i;

	for (i = 0; i < CAUSE_SHOWN_CNT; i++) {
		u64 ns = d->causes.ns[i];

		if (!ns || ns > below || (ns == below && i <= last))
			continue;
		if (best == CAUSE_CNT || ns > d->causes.ns[best])
			best = i;
	}
	return best;
}

static void add_causes(const struct drawing *d, struct legend *l)
{
	u64 below = ~0ULL;
	u32 cause = CAUSE_CNT;
	char words[64], share[SHARE_TEXT_SZ];

	while ((cause = next_cause(d, below, cause)) != CAUSE_CNT) {
		below = d->causes.ns[cause];
		svg_share(d, (struct shared_time){ below, 0 }, share, sizeof(share));
		if (cause == CAUSE_SHOWN_IDLE)
			units_format_ns(below, share, sizeof(share));
		snprintf(words, sizeof(words), "%s %s", cause_shown_name(cause), share);
		add(l, palette_color(d->palette, TREE_USER, "", cause), words);
	}
}

static void fill(const struct drawing *d, struct legend *l)
{
	l->len = 0;
	if (d->palette->by_cause)
		add_causes(d, l);
	add_kinds(d, l);
}

static u32 width_of(const struct entry *e)
{
	return SWATCH + 4 + (u32)strlen(e->words) * SVG_FOOT_CHAR_TENTHS / 10 + GAP;
}

/* Puts entry `i` after the others on its line, or on the next line. */
static void advance(const struct drawing *d, const struct entry *e, u32 *x, u32 *y)
{
	if (*x > SVG_SIDE && *x + width_of(e) - GAP > d->width - SVG_SIDE) {
		*x = SVG_SIDE;
		*y += ROW;
	}
}

u32 svg_legend_height(const struct drawing *d)
{
	u32 x = SVG_SIDE, y = ROW, i;
	struct legend l;

	fill(d, &l);
	if (!l.len)
		return 0;
	for (i = 0; i < l.len; i++) {
		advance(d, &l.entries[i], &x, &y);
		x += width_of(&l.entries[i]);
	}
	return y;
}

void svg_legend_put(const struct drawing *d, u32 y)
{
	u32 x = SVG_SIDE, i;
	struct legend l;

	fill(d, &l);
	sink__puts(d->out, "<g id=\"legend\">\n");
	for (i = 0; i < l.len; i++) {
		const struct entry *e = &l.entries[i];

		advance(d, e, &x, &y);
		sink__printf(d->out,
			     "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"2\" "
			     "fill=\"rgb(%u,%u,%u)\"/><text class=\"foot\" font-size=\"11\" "
			     "fill=\"#55555e\" x=\"%u\" y=\"%u\">%s</text>\n",
			     x, y, SWATCH, SWATCH, e->color.r, e->color.g, e->color.b,
			     x + SWATCH + 4, y + 10, e->words);
		x += width_of(e);
	}
	sink__puts(d->out, "</g>\n");
}
