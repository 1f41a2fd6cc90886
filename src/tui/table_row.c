/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers first, because they are what is compared; the text has what is left of the width. */
#include "tui/table_row.h"

#include <stdio.h>
#include <string.h>

#include "analysis/model/hist.h"
#include "render/words/share_text.h"
#include "tui/strip_row.h"
#include "tui/viewer.h"

enum column_of {
	COLUMN_TIME,
	COLUMN_SHARE,
	COLUMN_RATE,
	COLUMN_WAITERS,
	COLUMN_COUNT,
	COLUMN_MEAN,
	COLUMN_P99,
	COLUMN_LONGEST,
	COLUMN_HANDOFFS,
	COLUMN_ON,
	COLUMN_IDLE,
	COLUMN_CNT
};

#define NEVER ~0U

/* How many columns of the screen there must be for one of a table. */
static const struct column {
	const char *head;
	u32 width;
	u32 others; /* in most tables */
	u32 strips; /* in tables with strips, which need the room */
	u32 locks;
} columns[COLUMN_CNT] = {
	[COLUMN_TIME] = { "waited", 9, 0, 0, 0 },
	[COLUMN_SHARE] = { "share", 7, 30, 72, 72 },
	[COLUMN_RATE] = { "s/s", 7, NEVER, NEVER, 76 },
	[COLUMN_WAITERS] = { "waiters", 9, NEVER, NEVER, 30 },
	[COLUMN_COUNT] = { "count", 9, 60, 160, 64 },
	[COLUMN_MEAN] = { "mean", 9, 76, 230, 130 },
	[COLUMN_P99] = { "p99 <=", 9, 100, 250, 120 },
	[COLUMN_LONGEST] = { "longest", 9, 50, 92, 50 },
	[COLUMN_HANDOFFS] = { "handoffs", 10, NEVER, NEVER, 110 },
	[COLUMN_ON] = { "on CPU", 9, 100, 104, NEVER },
	[COLUMN_IDLE] = { "idle", 9, 110, 180, NEVER },
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
	const struct column *c = &columns[column];
	u32 from = v->table.locks		  ? c->locks :
		   v->table.kind == TABLE_THREADS ? c->strips :
						    c->others;

	if (column == COLUMN_HANDOFFS && !v->opt.wakers)
		return false;
	if (column >= COLUMN_ON && !table__is_of_threads(&v->table))
		return false;
	return from != NEVER && s->cols >= from;
}

/* Seconds of waiting in a second: how many threads waited at a time. */
static void format_rate(const struct table *t, u64 ns, char *buf, size_t sz)
{
	u64 window_ns = t->divided.p->hdr.window_ns;

	if (window_ns)
		snprintf(buf, sz, "%.2f", (double)ns / (double)window_ns);
}

/* "2 of 5": still waiting at the end, of those that waited. */
static void format_waiters(const struct lock_row *row, char *buf, size_t sz)
{
	snprintf(buf, sz, "%u of %u", row->waiting, row->waiters);
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
	else if (column == COLUMN_COUNT && !row->count && top_row__ns(row))
		return; /* of lost waits, whose number is not known */
	else if (column == COLUMN_COUNT)
		units_format_count(row->count, buf, sz);
	else if (column == COLUMN_RATE)
		format_rate(t, ns, buf, sz);
	else if (column == COLUMN_WAITERS)
		format_waiters(&t->locks[at], buf, sz);
	else if (column == COLUMN_HANDOFFS)
		units_format_count(t->locks[at].handoffs, buf, sz);
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
	if (v->table.kind == TABLE_THREADS)
		strip_head_paint(s, y, col + 2);
	screen__pad(s, y, ATTR_REVERSE, s->cols);
}

/* ", held by worker-3/4133": now, or for most of the time. */
static void put_owner(const struct table *t, struct screen *s, u32 y, u32 attr, u32 at)
{
	const struct lock_row *row = &t->locks[at];

	if (t->kind == TABLE_LOCKS && *row->owner)
		screen__printf(s, y, attr, "  %s %s", row->owner_now ? "held by" : "mostly held by",
			       row->owner);
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
	if (t->kind == TABLE_THREADS)
		strip_row_paint(v, s, y, attr, t->texts[at]);
	else
		screen__put(s, y, text_attr, t->texts[at]);
	if (t->locks)
		put_owner(t, s, y, attr, at);
	screen__pad(s, y, attr, s->cols);
}
