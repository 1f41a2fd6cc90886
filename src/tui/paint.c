/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a viewer to a picture:
 *
 *	what is recorded                    which time is shown
 *	threads, blocked, idle, cost, lost
 *	blocked time by second
 *	tabs
 *	table or page
 *	keys, or the filter
 *
 * On few rows the sparkline goes first, then the second line.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/model/hist.h"
#include "base/units.h"
#include "base/utf8.h"
#include "render/words/loss_text.h"
#include "render/words/share_text.h"
#include "tui/pages.h"
#include "tui/viewer.h"

#define SMALL_ROWS 12 /* up to this, the table has more use for a row than the header */

enum column_of {
	COLUMN_TIME,
	COLUMN_SHARE,
	COLUMN_COUNT,
	COLUMN_MEAN,
	COLUMN_P99,
	COLUMN_LONGEST,
	COLUMN_ON,
	COLUMN_IDLE,
	COLUMN_CNT
};

static const struct column {
	const char *head;
	u32 width;
	u32 from_cols; /* on a screen of at least so many */
	bool threads; /* only in tables of threads */
} columns[COLUMN_CNT] = {
	[COLUMN_TIME] = { "waited", 9, 0, false },  [COLUMN_SHARE] = { "share", 7, 30, false },
	[COLUMN_COUNT] = { "count", 9, 60, false }, [COLUMN_MEAN] = { "mean", 9, 76, false },
	[COLUMN_P99] = { "p99 <=", 9, 100, false }, [COLUMN_LONGEST] = { "longest", 9, 50, false },
	[COLUMN_ON] = { "on CPU", 9, 100, true },   [COLUMN_IDLE] = { "idle", 9, 110, true },
};

/* The column of a sort, or COLUMN_CNT: the text. */
static u32 sorted_column(enum sort sort)
{
	return sort == SORT_TIME    ? COLUMN_TIME :
	       sort == SORT_COUNT   ? COLUMN_COUNT :
	       sort == SORT_LONGEST ? COLUMN_LONGEST :
				      COLUMN_CNT;
}

static bool has_column(const struct viewer *v, const struct screen *s, u32 column)
{
	return s->cols >= columns[column].from_cols &&
	       (!columns[column].threads || table__is_of_threads(&v->table));
}

static void format_cell(const struct table *t, u32 at, u32 column, char *buf, size_t sz)
{
	const struct top_row *row = &t->top.rows[at];
	u64 ns = table__ns(t, at);

	snprintf(buf, sz, "-");
	if (column == COLUMN_TIME)
		units_format_ns(ns, buf, sz);
	else if (column == COLUMN_SHARE)
		share_text((struct shared_time){ ns, 0 }, (struct shared_time){ t->whole_ns, 0 }, 1,
			   buf, sz);
	else if (column == COLUMN_COUNT && row->summed && !row->count)
		return;
	else if (column == COLUMN_COUNT)
		units_format_count(row->count, buf, sz);
	else if (column == COLUMN_ON)
		units_format_ns(row->on_ns, buf, sz);
	else if (column == COLUMN_IDLE)
		units_format_ns(row->idle_ns, buf, sz);
	else if (!row->count)
		return;
	else if (column == COLUMN_MEAN)
		units_format_ns(top_row__ns(row) / row->count, buf, sz);
	else if (column == COLUMN_LONGEST)
		units_format_ns(row->max_ns, buf, sz);
	else
		units_format_ns(hist_quantile_bound_ns(row->hist, 990, row->max_ns), buf, sz);
}

static void paint_head(const struct viewer *v, struct screen *s, u32 y)
{
	static const char *const last[TAB_CNT] = { "why (state)", "where", "thread",
						   "process",	  "waker", "" };
	u32 sorted = sorted_column(v->lists[v->tab].sort), col = 0, i;
	char head[32];

	for (i = 0; i < COLUMN_CNT; i++) {
		if (!has_column(v, s, i))
			continue;
		col += columns[i].width;
		snprintf(head, sizeof(head), "%s%s", i == sorted ? "*" : "", columns[i].head);
		screen__put_right(s, y, ATTR_REVERSE | (i == sorted ? ATTR_BOLD : 0), head, col);
	}
	screen__printf(s, y, ATTR_REVERSE | (sorted == COLUMN_CNT ? ATTR_BOLD : 0), "  %s%s",
		       sorted == COLUMN_CNT ? "*" : "", last[v->tab]);
	screen__pad(s, y, ATTR_REVERSE, s->cols);
}

static void paint_row(const struct viewer *v, struct screen *s, u32 y, u32 shown)
{
	const struct table *t = &v->table;
	u32 at = t->shown[shown], attr = 0, text_attr, col = 0, i;
	const struct top_row *row = &t->top.rows[at];
	char cell[SHARE_TEXT_SZ + 32];

	if (shown == v->lists[v->tab].row)
		attr = ATTR_REVERSE;
	text_attr = row->group ? attr : attr | ATTR_OF_CAUSE(row->cause);
	if (row->class == CLASS_IDLE && !row->group)
		text_attr = attr | ATTR_DIM;
	for (i = 0; i < COLUMN_CNT; i++) {
		if (!has_column(v, s, i))
			continue;
		col += columns[i].width;
		format_cell(t, at, i, cell, sizeof(cell));
		screen__put_right(s, y, attr, cell, col);
	}
	screen__put(s, y, attr, "  ");
	screen__put(s, y, text_attr, t->texts[at]);
	screen__pad(s, y, attr, s->cols);
}

static void paint_empty(const struct viewer *v, struct screen *s, u32 y)
{
	char idle[32];

	units_format_ns(v->table.idle_ns, idle, sizeof(idle));
	if (*v->filter)
		screen__printf(s, y, 0, "No row contains '%s'. Esc removes the filter.", v->filter);
	else if (v->table.idle_ns)
		screen__printf(s, y, 0, "Only waits for work (%s): press i to see them.", idle);
	else
		screen__put(s, y, 0, "Nothing waited.");
}

static void paint_table(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	struct list *list = &v->lists[v->tab];
	u32 i;

	paint_head(v, s, y++);
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
		paint_row(v, s, y++, i);
}

static void paint_page(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	struct lines lines;
	size_t i;

	lines__init(&lines, s->cols, s->ascii);
	if (v->help)
		page_help(&lines);
	else if (v->tab == TAB_COST)
		page_cost(&lines, v->p);
	else if (v->missing || !v->has_table)
		lines__printf(&lines, 0, 0, "%s: not in this window. Esc goes back.",
			      v->lists[v->tab].chosen);
	else
		page_detail(&lines, &v->table, v->table.shown[v->lists[v->tab].row]);
	v->page = end > y ? end - y : 1;
	v->page_len = (u32)lines.list.len;
	if (v->scroll + v->page > v->page_len)
		v->scroll = v->page_len > v->page ? v->page_len - v->page : 0;
	for (i = v->scroll; i < lines.list.len && y < end; i++) {
		const struct line *line = vec__at(&lines.list, i);

		screen__put(s, y++, line->attr, line->text);
	}
	s->failed |= lines.failed;
	lines__done(&lines);
}

static void paint_title(const struct viewer *v, struct screen *s)
{
	char time[32] = "", which[96];
	const char *file = v->opt.file ? v->opt.file : "";
	u32 width;

	if (v->p)
		units_format_ns(v->p->hdr.window_ns, time, sizeof(time));
	snprintf(which, sizeof(which), "%s%s %s%s", v->windows.held ? "FROZEN " : "",
		 v->all ? "all" : "last", *time ? time : "...", v->over ? ", over" : "");
	width = (u32)utf8_columns(which) + 1;
	screen__put(s, 0, ATTR_BOLD, "coldspot ");
	screen__put(s, 0, 0, v->opt.target);
	if (*file)
		screen__printf(s, 0, ATTR_DIM, " > %s", file);
	/* a long target must not hide it */
	if (screen__left(s, 0) < width && s->cols > width)
		screen__cut(s, 0, s->cols - width);
	screen__pad(s, 0, 0, s->cols > width ? s->cols - width : 0);
	screen__printf(s, 0, v->windows.held || v->over ? ATTR_WARN | ATTR_BOLD : 0, " %s", which);
}

/* Hundredths of a percent of the machine; false if it is not known. */
static bool cost_text(const struct profile_header *h, char *buf, size_t sz)
{
	unsigned __int128 all = h->machine_ns ? (unsigned __int128)h->machine_ns :
						(unsigned __int128)h->window_ns * h->ncpu;
	u64 share;

	if (!all)
		return false;
	share = (u64)((unsigned __int128)(h->prog_ns + h->self_cpu_ns) * 10000 / all);
	snprintf(buf, sz, "%llu.%02llu%%", share / 100, share % 100);
	return true;
}

static void paint_numbers(const struct viewer *v, struct screen *s, u32 y)
{
	const struct profile *p = v->p;
	u32 lost = loss_kinds(p);
	char text[32], count[32];

	units_format_count(v->threads, count, sizeof(count));
	screen__printf(s, y, 0, "%s thread%s", count, units_plural(v->threads));
	if (v->has_table) {
		units_format_ns(v->table.busy_ns, text, sizeof(text));
		screen__printf(s, y, 0, ", waited %s", text);
		units_format_ns(v->table.idle_ns, text, sizeof(text));
		screen__printf(s, y, 0, ", idle %s%s", text, v->idle ? "" : " (hidden)");
	}
	if (cost_text(&p->hdr, text, sizeof(text)))
		screen__printf(s, y, 0, ", cost %s", text);
	if (lost)
		screen__printf(s, y, ATTR_WARN | ATTR_BOLD, ", LOST: see Cost");
	else
		screen__put(s, y, 0, ", nothing lost");
}

/* The newest second is on the right. */
static void paint_sparkline(const struct viewer *v, struct screen *s, u32 y)
{
	static const char *const bars[] = { " ",      "\u2581", "\u2582", "\u2583", "\u2584",
					    "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const ascii_bars[] = { " ", "_", ".", "-", ":", "=", "+", "*", "#" };
	u32 room, len = v->busy_shown, i;
	u64 most = 0;
	char text[32];

	for (i = len > s->cols ? len - s->cols : 0; i < len; i++)
		most = most > *(u64 *)vec__at(&v->busy, i) ? most : *(u64 *)vec__at(&v->busy, i);
	units_format_ns(most, text, sizeof(text));
	screen__printf(s, y, 0, "blocked by second, up to %s ", text);
	room = screen__left(s, y);
	for (i = len > room ? len - room : 0; i < len; i++) {
		u64 ns = *(u64 *)vec__at(&v->busy, i);
		u64 bar = most ? (u64)(((unsigned __int128)ns * 8 + most - 1) / most) : 0;

		screen__put(s, y, ATTR_BOLD, s->ascii ? ascii_bars[bar] : bars[bar]);
	}
}

static void paint_tabs(const struct viewer *v, struct screen *s, u32 y)
{
	u32 i;

	for (i = 0; i < TAB_CNT; i++) {
		if (!viewer__has_tab(v, (enum tab)i))
			continue;
		screen__printf(s, y, i == v->tab ? ATTR_BOLD | ATTR_REVERSE : 0, " %u %s ",
			       viewer__number_of_tab(v, (enum tab)i), tab_name((enum tab)i));
	}
}

static void paint_foot(const struct viewer *v, struct screen *s, u32 y)
{
	if (v->typing) {
		screen__printf(s, y, ATTR_BOLD, "/%s_", v->filter);
		return;
	}
	if (v->over)
		screen__printf(s, y, ATTR_WARN, "%s ", v->over);
	if (*v->filter)
		screen__printf(s, y, ATTR_WARN, "filter: %s ", v->filter);
	screen__printf(s, y, ATTR_DIM,
		       "? help  Enter detail  s sort  / filter  i idle  a all  f freeze  q quit");
}

int viewer__paint(struct viewer *v, struct screen *s)
{
	u32 y = 1, end = s->rows ? s->rows - 1 : 0;

	paint_title(v, s);
	if (v->p && s->rows > SMALL_ROWS - 2)
		paint_numbers(v, s, y++);
	if (v->p && s->rows > SMALL_ROWS)
		paint_sparkline(v, s, y++);
	paint_tabs(v, s, y++);
	if (v->help || (v->p && (v->tab == TAB_COST || v->detail)))
		paint_page(v, s, y, end);
	else if (v->p && v->has_table)
		paint_table(v, s, y, end);
	else
		screen__put(s, y, 0, "The first window is not over yet.");
	if (end >= y)
		paint_foot(v, s, end);
	return s->failed ? -ENOMEM : 0;
}
