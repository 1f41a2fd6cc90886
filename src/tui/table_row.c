/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers first, because they are what is compared; the text has what is left of the width. */
#include "tui/table_row.h"

#include <stdio.h>
#include <string.h>

#include "analysis/model/hist.h"
#include "render/words/share_text.h"
#include "tui/viewer.h"

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

void table_head_paint(const struct viewer *v, struct screen *s, u32 y)
{
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
		       sorted == COLUMN_CNT ? "*" : "", table_head(v->table.kind));
	screen__pad(s, y, ATTR_REVERSE, s->cols);
}

void table_row_paint(const struct viewer *v, struct screen *s, u32 y, u32 shown)
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
