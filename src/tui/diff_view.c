/* SPDX-License-Identifier: Apache-2.0 */
/* The tab Diff: what was marked as A beside what is shown, per second, largest change first. */
#include <stdio.h>
#include <string.h>

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/diff/diff_view.h"
#include "tui/lines.h"
#include "tui/view.h"
#include "tui/viewer.h"

#define SIDE_SZ 256

static int build(struct viewer *v, struct err *err)
{
	return comparison__build(&v->comparison, v->p, &v->drill, v->opt.rules, v->idle, err);
}

/* The row at place `at` among those that the filter leaves; false: there are not so many. */
static bool shown_row(const struct viewer *v, u32 at, struct comparison_row *ret)
{
	for (u32 i = 0; i < comparison__len(&v->comparison); i++) {
		*ret = comparison__row(&v->comparison, i);
		if (filter__matches(&v->filter, ret->name) && !at--)
			return true;
	}
	return false;
}

static u32 shown_len(const struct viewer *v)
{
	u32 n = 0;

	for (u32 i = 0; i < comparison__len(&v->comparison); i++)
		n += filter__matches(&v->filter, comparison__row(&v->comparison, i).name);
	return n;
}

static void paint_sides(const struct viewer *v, struct screen *s, u32 y)
{
	static const char *const names[] = { "A", "now" };
	char text[SIDE_SZ];

	for (u32 side = 0; side < 2; side++) {
		diff_side_text(&v->comparison.diff, side, text, sizeof(text));
		screen__printf(s, y + side, ATTR_BOLD, "%-4s", names[side]);
		screen__put(s, y + side, 0, text);
	}
}

static void paint_head(const struct viewer *v, struct screen *s, u32 y)
{
	screen__printf(s, y, ATTR_REVERSE, "%10s%10s%11s%9s  %s", "A per s", "now per s", "change",
		       "", v->comparison.frames ? "function" : "cause");
	screen__pad(s, y, ATTR_REVERSE, s->cols);
}

/* Red is more, blue is less; the sign says so, too. */
static u32 attr_of_verdict(u32 verdict)
{
	return verdict == DIFF_MORE			      ? ATTR_OF_CAUSE(CAUSE_LOCK) :
	       verdict == DIFF_LESS			      ? ATTR_OF_CAUSE(CAUSE_NET_RECV) :
	       verdict == DIFF_NOISE || verdict == DIFF_SMALL ? ATTR_DIM :
								0;
}

static void put_column(struct screen *s, u32 y, u32 attr, const char *text, u32 col)
{
	screen__put_right(s, y, attr, text, col);
}

static void paint_row(struct screen *s, u32 y, const struct comparison_row *row, bool chosen)
{
	u32 attr = chosen ? ATTR_REVERSE : 0;
	u32 colored = attr | (chosen ? 0 : attr_of_verdict(row->item->verdict));
	char text[64];

	diff_rate_text(row->item->rate[DIFF_BEFORE], text, sizeof(text));
	put_column(s, y, attr, text, 10);
	diff_rate_text(row->item->rate[DIFF_AFTER], text, sizeof(text));
	put_column(s, y, attr, text, 20);
	diff_change_text(row->item, text, sizeof(text));
	put_column(s, y, colored, text, 31);
	diff_percent_text(row->item, text, sizeof(text));
	put_column(s, y, colored, text, 40);
	screen__printf(s, y, colored, " %c", diff_verdict_mark(row->item->verdict));
	screen__put(s, y, colored, row->name);
	screen__pad(s, y, attr, s->cols);
}

static void paint_words(const struct viewer *v, struct screen *s, u32 y)
{
	char text[512];

	diff_tested_text(&v->comparison.diff, text, sizeof(text));
	screen__put(s, y, ATTR_DIM, text);
}

static void paint_rows(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	struct list *list = viewer__list(v);
	u32 len = shown_len(v);
	struct comparison_row row;

	v->page = end > y ? end - y : 1;
	v->rows_from = y;
	if (list->row >= len)
		list->row = len ? len - 1 : 0;
	if (list->row < list->first)
		list->first = list->row;
	if (list->row >= list->first + v->page)
		list->first = list->row - v->page + 1;
	for (u32 i = list->first; y < end && shown_row(v, i, &row); i++)
		paint_row(s, y++, &row, i == list->row);
}

static void paint(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	if (!v->comparison.mark) {
		screen__put(s, y, 0,
			    "Press A to mark what is shown; then this tab shows what changes.");
		return;
	}
	if (!v->comparison.ready) {
		screen__put(s, y, 0, "There are no such waits in A. Esc goes back.");
		return;
	}
	paint_sides(v, s, y);
	y += 2;
	if (end > y + 4)
		paint_words(v, s, --end);
	paint_head(v, s, y++);
	paint_rows(v, s, y, end);
}

static int act(struct viewer *v, enum action action, struct err *err)
{
	struct list *list = viewer__list(v);
	u32 len = shown_len(v);

	(void)err;
	if (viewer__move(v, action, len ? len - 1 : 0, &list->row))
		return 1;
	if (action != ACTION_GROUP)
		return 0;
	v->comparison.frames = !v->comparison.frames;
	list->row = 0;
	return 1;
}

static bool click(struct viewer *v, u32 row, u32 col)
{
	struct list *list = viewer__list(v);

	(void)col;
	if (row >= v->page || list->first + row >= shown_len(v))
		return false;
	list->row = list->first + row;
	return true;
}

const struct view view_diff = {
	.build = build,
	.paint = paint,
	.act = act,
	.click = click,
};
