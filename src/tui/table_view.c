/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table and the place in it. Rows change their places with each window, so the chosen row is
 * followed by its text; but as long as nobody moved, the first row stays chosen.
 */
#include <stdio.h>
#include <string.h>

#include "tui/pages.h"
#include "tui/table_row.h"
#include "tui/view.h"
#include "tui/viewer.h"

/* From so many rows on, details have room below the table. */
#define PANE_FROM_ROWS 36

/* Goes to the chosen row again, or stays at its place if it is no longer there. */
static void follow(struct viewer *v)
{
	struct list *list = viewer__list(v);
	u32 i;

	v->missing = false;
	if (!*list->chosen) {
		list->row = 0;
		return;
	}
	for (i = 0; i < v->table.shown_len; i++) {
		if (strcmp(v->table.texts[v->table.shown[i]], list->chosen) == 0) {
			list->row = i;
			return;
		}
	}
	v->missing = true;
	if (list->row >= v->table.shown_len)
		list->row = v->table.shown_len ? v->table.shown_len - 1 : 0;
}

static void choose(struct viewer *v)
{
	const struct table_choice choice = {
		.sort = viewer__list(v)->sort,
		.idle = v->idle,
		.filter = &v->filter,
	};

	if (!v->has_table)
		return;
	table__choose(&v->table, &choice);
	follow(v);
}

static int build(struct viewer *v, struct err *err)
{
	int r = table__init(&v->table, v->p, v->memo, viewer__list(v)->kind, err);

	v->has_table = !r;
	if (r)
		table__done(&v->table);
	choose(v);
	return r;
}

static const char *text_of_row(const struct viewer *v, u32 row)
{
	return v->table.texts[v->table.shown[row]];
}

static void choose_row(struct viewer *v, u32 row)
{
	struct list *list = viewer__list(v);
	u32 len = v->table.shown_len;

	list->row = row < len ? row : len ? len - 1 : 0;
	list->chosen[0] = '\0';
	if (list->row || (v->detail && len))
		snprintf(list->chosen, sizeof(list->chosen), "%s", text_of_row(v, list->row));
	v->missing = false;
}

/* The next larger form of details: below the table where there is room, then in its place. */
static void turn_detail(struct viewer *v)
{
	struct list *list = viewer__list(v);

	v->scroll = 0;
	if (v->detail == DETAIL_PAGE || (!v->detail && list->row >= v->table.shown_len)) {
		v->detail = DETAIL_NONE;
		return;
	}
	v->detail = !v->detail && v->rows >= PANE_FROM_ROWS ? DETAIL_PANE : DETAIL_PAGE;
	/* it stays on this row, also if that is the first one */
	if (list->row < v->table.shown_len)
		snprintf(list->chosen, sizeof(list->chosen), "%s", text_of_row(v, list->row));
}

/* From a tab to the one that says more of its rows. */
static enum tab drill_tab(enum tab from)
{
	return from == TAB_WHY ? TAB_STACKS : from == TAB_THREADS ? TAB_FLAME : TAB_THREADS;
}

static int drill(struct viewer *v, struct err *err)
{
	const struct list *list = viewer__list(v);
	int r;

	if (list->row >= v->table.shown_len || v->missing)
		return 0;
	r = drill__push(&v->drill, list->kind, v->tab, text_of_row(v, list->row));
	if (r)
		return err__nomem(err);
	filter__set(&v->filter, "");
	viewer__forget(v);
	v->tab = drill_tab(v->tab);
	v->detail = DETAIL_NONE;
	v->lists[v->tab].chosen[0] = '\0';
	return viewer__show(v, err);
}

static int act(struct viewer *v, enum action action, struct err *err)
{
	struct list *list = viewer__list(v);
	u32 len = v->table.shown_len, row = list->row;
	int r = 0;

	if (!v->has_table)
		return 0;
	if (viewer__move(v, action, len ? len - 1 : 0, &row))
		choose_row(v, row);
	else if (action == ACTION_DETAIL)
		turn_detail(v);
	else if (action == ACTION_DRILL)
		r = drill(v, err);
	else if (action == ACTION_SORT)
		list->sort = (list->sort + 1) % SORT_CNT;
	else if (action == ACTION_GROUP)
		list->kind = table_next(list->kind);
	else
		return 0;
	if (action == ACTION_SORT)
		choose(v);
	if (action == ACTION_GROUP) {
		list->chosen[0] = '\0';
		r = viewer__build(v, err);
	}
	return r ? r : 1;
}

static void paint_empty(const struct viewer *v, struct screen *s, u32 y)
{
	char idle[32];

	units_format_ns(v->table.idle_ns, idle, sizeof(idle));
	if (!filter__is_empty(&v->filter))
		screen__printf(s, y, 0, "No row contains '%s'. Esc removes the filter.",
			       v->filter.text);
	else if (v->table.idle_ns)
		screen__printf(s, y, 0, "Only waits for work (%s): press i to see them.", idle);
	else
		screen__put(s, y, 0, "Nothing waited.");
}

static void paint_rows(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	struct list *list = viewer__list(v);
	u32 i;

	table_head_paint(v, s, y++);
	v->rows_from = y;
	v->page = end > y ? end - y : 1;
	if (list->row < list->first)
		list->first = list->row;
	if (list->row >= list->first + v->page)
		list->first = list->row - v->page + 1;
	if (list->first + v->page > v->table.shown_len)
		list->first = v->table.shown_len > v->page ? v->table.shown_len - v->page : 0;
	if (!v->table.shown_len && y < end)
		paint_empty(v, s, y);
	for (i = list->first; i < v->table.shown_len && y < end; i++)
		table_row_paint(v, s, y++, i);
}

static void put_detail(struct viewer *v, struct lines *l, bool in_short)
{
	const struct list *list = viewer__list(v);

	if (v->missing || list->row >= v->table.shown_len)
		lines__printf(l, 0, 0, "%s: not in this window. Esc goes back.", list->chosen);
	else
		page_detail(l, &v->table, v->table.shown[list->row], in_short);
}

static void paint_pane(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	struct lines lines;

	lines__init(&lines, s->cols, s->ascii);
	put_detail(v, &lines, true);
	screen__put(s, y, ATTR_REVERSE, " details: d shows all of them, Esc hides them");
	screen__pad(s, y++, ATTR_REVERSE, s->cols);
	for (size_t i = 0; i < lines.list.len && y < end; i++) {
		const struct line *line = vec__at(&lines.list, i);

		screen__put(s, y++, line->attr, line->text);
	}
	s->failed |= lines.failed;
	lines__done(&lines);
}

static void paint(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	bool pane = v->detail == DETAIL_PANE && v->rows >= PANE_FROM_ROWS;
	u32 middle = pane ? y + (end - y) / 2 : end;
	struct lines lines;

	if (!v->detail || pane) {
		paint_rows(v, s, y, middle);
		if (pane)
			paint_pane(v, s, middle, end);
		return;
	}
	lines__init(&lines, s->cols, s->ascii);
	put_detail(v, &lines, false);
	page_paint(v, &lines, s, y, end);
	lines__done(&lines);
}

static bool click(struct viewer *v, u32 row, u32 col)
{
	u32 at = viewer__list(v)->first + row;

	(void)col;
	if (!v->has_table || v->detail == DETAIL_PAGE || row >= v->page || at >= v->table.shown_len)
		return false;
	choose_row(v, at);
	return true;
}

const struct view view_table = {
	.build = build,
	.paint = paint,
	.act = act,
	.click = click,
	.filtered = choose,
};
