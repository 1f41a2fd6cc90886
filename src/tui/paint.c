/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a viewer to a picture:
 *
 *	the head (head.c)
 *	what was drilled into
 *	the view of the tab, or the help
 *	keys, what is typed, or what happened
 */
#include <errno.h>

#include "tui/head.h"
#include "tui/pages.h"
#include "tui/questions.h"
#include "tui/view.h"
#include "tui/viewer.h"

void page_paint(struct viewer *v, const struct lines *lines, struct screen *s, u32 y, u32 end)
{
	size_t i;

	v->page = end > y ? end - y : 1;
	v->page_len = (u32)lines->list.len;
	if (v->scroll > v->page_len || v->scroll + v->page > v->page_len)
		v->scroll = v->page_len > v->page ? v->page_len - v->page : 0;
	for (i = v->scroll; i < lines->list.len && y < end; i++) {
		const struct line *line = vec__at(&lines->list, i);

		screen__put(s, y++, line->attr, line->text);
	}
	s->failed |= lines->failed;
}

static void paint_help(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	struct lines lines;

	lines__init(&lines, s->cols, s->ascii);
	page_help(&lines);
	page_paint(v, &lines, s, y, end);
	lines__done(&lines);
}

/* "why: lock futex (S) > thread: web-10/10" */
static void paint_crumbs(const struct viewer *v, struct screen *s, u32 y)
{
	size_t i;

	screen__put(s, y, ATTR_BOLD, "only ");
	for (i = 0; i < drill__len(&v->drill); i++) {
		const struct crumb *c = drill__at(&v->drill, i);

		screen__put(s, y, ATTR_DIM, i ? " > " : "");
		screen__put(s, y, 0, c->text);
	}
	screen__put(s, y, ATTR_DIM, "  (Esc: back)");
}

static void paint_keys(const struct viewer *v, struct screen *s, u32 y)
{
	const bool is_store = viewer__is_of_store(v);
	const char *const keys[][2] = {
		{ "?", "help" },      { "q", "quit" },
		{ "Enter", "drill" }, { "d", "detail" },
		{ "s", "sort" },      { "g", "group" },
		{ "/", "filter" },    { "i", "idle" },
		{ "m", "time" },      { is_store ? "[ ]" : "f", is_store ? "windows" : "freeze" },
	};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		screen__put(s, y, ATTR_BOLD, keys[i][0]);
		screen__printf(s, y, ATTR_DIM, " %s%s", keys[i][1],
			       i + 1 < ARRAY_LEN(keys) ? "  " : "");
	}
}

static void paint_foot(const struct viewer *v, struct screen *s, u32 y)
{
	if (v->prompt.what) {
		screen__put(s, y, ATTR_BOLD, question_text(v));
		screen__printf(s, y, ATTR_BOLD, "%s_",
			       *v->prompt.text ? v->prompt.text : v->asked_of);
		return;
	}
	if (v->over)
		screen__printf(s, y, ATTR_WARN, "%s ", v->over);
	if (*v->said) {
		screen__put(s, y, ATTR_BOLD, v->said);
		return;
	}
	if (!filter__is_empty(&v->filter))
		screen__printf(s, y, ATTR_WARN, "filter: %s ", v->filter.text);
	paint_keys(v, s, y);
}

static void paint_view(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	const struct view *view = view_of_tab(v->tab);

	if (v->help)
		paint_help(v, s, y, end);
	else if (v->p || view->always)
		view->paint(v, s, y, end);
	else if (v->base)
		screen__put(s, y, 0, "No such waits in this window. Esc goes back.");
	else
		screen__put(s, y, 0, "The first window is not over yet.");
}

int viewer__paint(struct viewer *v, struct screen *s)
{
	u32 y = head_paint(v, s), end = s->rows ? s->rows - 1 : 0;

	v->rows = s->rows;
	if (drill__len(&v->drill) && y < end)
		paint_crumbs(v, s, y++);
	if (y < end || v->help)
		paint_view(v, s, y, end);
	if (end >= y)
		paint_foot(v, s, end);
	return s->failed ? -ENOMEM : 0;
}
