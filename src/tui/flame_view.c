/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tab Flame. A frame begins with a bar, and with the letter of its cause where one cause has
 * most of it for the first time, so that the graph can be read without colours.
 */
#include <errno.h>
#include <stdio.h>

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/words/share_text.h"
#include "tui/view.h"
#include "tui/viewer.h"
#include "tui/waits_text.h"

static int build(struct viewer *v, struct err *err)
{
	return flame__build(&v->flame, v->p, v->memo, v->idle, err);
}

/* The cause that stands for a node, or CAUSE_CNT. */
static u32 clear_cause(const struct flame *f, u32 node)
{
	const struct tree_cause *c = &f->causes.of_node[node];

	return tree_cause__is_clear(c, &f->tree.nodes[node]) ? c->cause : CAUSE_CNT;
}

static char letter_of(const struct flame *f, u32 node)
{
	u32 cause = clear_cause(f, node);

	if (!node || cause >= CAUSE_CNT ||
	    (f->tree.nodes[node].parent && clear_cause(f, f->tree.nodes[node].parent) == cause))
		return 0;
	return cause_family_row(cause_row((enum cause)cause)->family)->letter;
}

static void frame_text(const struct flame *f, u32 node, bool ascii, char *buf, size_t sz)
{
	const struct tree_node *n = &f->tree.nodes[node];
	char letter = letter_of(f, node);
	size_t len;

	len = (size_t)snprintf(buf, sz, ascii ? "|" : "\u258f");
	if (letter)
		len += (size_t)snprintf(buf + len, sz - len, "%c ", letter);
	if (node)
		snprintf(buf + len, sz - len, "%s", n->name);
	else
		snprintf(buf + len, sz - len, "all");
}

static void paint_mark(struct screen *s, u32 y, u32 attr, u32 w)
{
	while (w--)
		screen__put(s, y, attr, s->ascii ? "-" : "\u2592");
}

static u32 attr_of(const struct viewer *v, u32 node)
{
	const struct flame *f = &v->flame;
	const struct tree_node *n = &f->tree.nodes[node];
	u32 attr = ATTR_FILL | ATTR_OF_CAUSE(clear_cause(f, node));

	if (node == f->cursor_node)
		return ATTR_REVERSE | ATTR_BOLD;
	if (node && !filter__is_empty(&v->filter) && filter__matches(&v->filter, n->name))
		return ATTR_MATCH;
	return n->kind == TREE_KERNEL ? attr | ATTR_PALE : attr;
}

static void paint_cell(const struct viewer *v, struct screen *s, u32 y,
		       const struct flame_cell *cell)
{
	const struct flame *f = &v->flame;
	u32 attr = attr_of(v, cell->node), cols = s->cols;
	char text[512];

	screen__pad(s, y, 0, cell->x);
	s->cols = cell->x + cell->w < cols ? cell->x + cell->w : cols;
	if (f->tree.nodes[cell->node].kind == TREE_MARK) {
		paint_mark(s, y, attr & ATTR_REVERSE ? attr : ATTR_DIM, cell->w);
	} else {
		frame_text(f, cell->node, s->ascii, text, sizeof(text));
		screen__put(s, y, attr, text);
		screen__pad(s, y, attr, s->cols);
	}
	s->cols = cols;
}

static u32 rows_of(const struct flame *f)
{
	const struct flame_cell *last;

	if (!f->cells.len)
		return 0;
	last = vec__at(&f->cells, f->cells.len - 1);
	return last->row + 1;
}

/* Scrolls until the cursor can be seen. */
static void scroll_to_cursor(struct flame *f, u32 page)
{
	u32 row = f->tree.nodes[f->cursor_node].depth, rows = rows_of(f);

	if (row < f->first_row)
		f->first_row = row;
	if (row >= f->first_row + page)
		f->first_row = row - page + 1;
	if (f->first_row + page > rows)
		f->first_row = rows > page ? rows - page : 0;
}

/* "pthread_mutex_lock: 1.20 s in 4 waits, 12.3%, lock" */
static void paint_details(const struct viewer *v, struct screen *s, u32 y)
{
	const struct flame *f = &v->flame;
	const struct tree_node *n = &f->tree.nodes[f->cursor_node];
	u64 ns = flame__ns(f, f->cursor_node);
	u32 frames, cause = f->causes.of_node[f->cursor_node].cause;
	char time[32], waits[WAITS_TEXT_SZ], share[SHARE_TEXT_SZ], matched[SHARE_TEXT_SZ];

	units_format_ns(ns, time, sizeof(time));
	waits_text(ns, flame__count(f, f->cursor_node), waits, sizeof(waits));
	share_text((struct shared_time){ ns, 0 }, (struct shared_time){ flame__ns(f, 0), 0 }, 1,
		   share, sizeof(share));
	if (!filter__is_empty(&v->filter)) {
		share_text((struct shared_time){ flame__matched_ns(f, &v->filter, &frames), 0 },
			   (struct shared_time){ flame__ns(f, f->zoom_node), 0 }, 1, matched,
			   sizeof(matched));
		screen__printf(s, y, ATTR_WARN | ATTR_BOLD, "%s matched  ", matched);
	}
	screen__printf(s, y, ATTR_BOLD, "%s %s", time, share);
	screen__printf(s, y, 0, " %s, %s%s: ", waits,
		       clear_cause(f, f->cursor_node) < CAUSE_CNT ? "" : "most ",
		       cause_shown_name(cause));
	screen__put(s, y, 0, f->cursor_node ? n->name : "everything");
	if (f->zoom_missing)
		screen__put(s, y, ATTR_WARN, "  The zoomed frame is not in this window.");
}

static void paint(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	struct flame *f = &v->flame;
	u32 top = y;
	size_t i;

	if (!f->ready || !flame__ns(f, 0)) {
		screen__put(s, y, 0,
			    f->ready && f->tree.nodes[0].total_ns ?
				    "Only waits for work: press i to see them." :
				    "Nothing waited.");
		return;
	}
	if (flame__layout(f, s->cols)) {
		s->failed = true;
		return;
	}
	if (end > y + 1)
		paint_details(v, s, --end);
	v->page = end > y ? end - y : 1;
	v->rows_from = y;
	scroll_to_cursor(f, v->page);
	for (i = 0; i < f->cells.len; i++) {
		const struct flame_cell *cell = vec__at(&f->cells, i);

		if (cell->row >= f->first_row && top + cell->row - f->first_row < end)
			paint_cell(v, s, top + cell->row - f->first_row, cell);
	}
}

static int step(struct viewer *v, enum action action)
{
	static const struct {
		enum action action;
		enum flame_step step;
	} steps[] = {
		{ ACTION_UP, FLAME_UP },      { ACTION_DOWN, FLAME_DOWN },
		{ ACTION_LEFT, FLAME_LEFT },  { ACTION_RIGHT, FLAME_RIGHT },
		{ ACTION_PAGE_UP, FLAME_UP }, { ACTION_PAGE_DOWN, FLAME_DOWN },
		{ ACTION_HOME, FLAME_TOP },   { ACTION_END, FLAME_BOTTOM },
	};
	bool page = action == ACTION_PAGE_UP || action == ACTION_PAGE_DOWN;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		if (steps[i].action != action)
			continue;
		for (u32 n = page ? v->page : 1; n; n--)
			flame__step(&v->flame, steps[i].step);
		return 1;
	}
	return 0;
}

static int act(struct viewer *v, enum action action, struct err *err)
{
	int r;

	if (action == ACTION_DRILL) {
		r = flame__zoom_in(&v->flame);
		return r < 0 ? err__nomem(err) : 1;
	}
	/* a search ends before a zoom does */
	if (action == ACTION_BACK) {
		r = filter__is_empty(&v->filter) ? flame__zoom_out(&v->flame) : 0;
		return r < 0 ? err__nomem(err) : r;
	}
	if (action == ACTION_GROUP) {
		flame__next_root(&v->flame);
		r = viewer__build(v, err);
		return r ? r : 1;
	}
	return step(v, action);
}

static bool click(struct viewer *v, u32 row, u32 col)
{
	struct flame *f = &v->flame;

	for (size_t i = 0; i < f->cells.len && row < v->page; i++) {
		const struct flame_cell *cell = vec__at(&f->cells, i);

		if (cell->row != f->first_row + row || col < cell->x || col >= cell->x + cell->w)
			continue;
		flame__point(f, cell->node);
		return true;
	}
	return false;
}

const struct view view_flame = {
	.build = build,
	.paint = paint,
	.act = act,
	.click = click,
};
