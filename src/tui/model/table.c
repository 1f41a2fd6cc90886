/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables are those of the summary (analysis/model/top.h). What is shown of one is a list of row
 * numbers, so another order or filter costs no second pass over the waits.
 */
#include "tui/model/table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "profile/state.h"

#define TEXT_SZ 1024

static const char *const tab_names[TAB_CNT] = {
#define X(NAME, name) name,
	TABS(X)
#undef X
};

const char *tab_name(enum tab tab)
{
	return tab_names[tab];
}

static const struct table_row {
	enum tab tab;
	const char *head;
	enum group_by by;
} tables[TABLE_CNT] = {
#define X(NAME, tab, head, by) { TAB_##tab, head, by },
	TABLES(X)
#undef X
};

const char *table_head(enum table_kind kind)
{
	return tables[kind].head;
}

enum group_by table_group(enum table_kind kind)
{
	return tables[kind].by;
}

enum table_kind table_first(enum tab tab)
{
	u32 i = 0;

	while (i < TABLE_CNT && tables[i].tab != tab)
		i++;
	return (enum table_kind)i;
}

enum table_kind table_next(enum table_kind kind)
{
	u32 next = kind + 1;

	return next < TABLE_CNT && tables[next].tab == tables[kind].tab ?
		       (enum table_kind)next :
		       table_first(tables[kind].tab);
}

bool table__is_of_threads(const struct table *t)
{
	return tables[t->kind].by != GROUP_BY_CNT && group_is_of_threads(tables[t->kind].by);
}

/* "futex futex (S)", as in the summary; the state tells apart what is otherwise the same. */
static void cause_text(const struct top_row *row, char *buf, size_t sz)
{
	const char *name = cause_name((enum cause)row->cause);
	bool call = row->syscall && strcmp(row->syscall, name) != 0;
	int len;

	if (row->cause == CAUSE_SYSCALL && row->syscall)
		len = snprintf(buf, sz, "%s", row->syscall);
	else
		len = snprintf(buf, sz, "%s%s%s", name, call ? " " : "", call ? row->syscall : "");
	if (row->cause != CAUSE_LOST && len > 0 && (size_t)len < sz)
		snprintf(buf + len, sz - (size_t)len, " (%c)%s", state_letter(row->state),
			 row->class == CLASS_IDLE ? " idle" : "");
}

static void place_text(const struct top_row *row, char *buf, size_t sz)
{
	const char *where = *row->user	 ? row->user :
			    row->syscall ? row->syscall :
			    *row->kernel ? row->kernel :
					   "no stack";

	snprintf(buf, sz, "%s: %s%s%s  %s%s", *row->comm ? row->comm : "[no name]", where,
		 row->object ? "  for " : "", row->object ? row->object : "",
		 cause_name((enum cause)row->cause), row->class == CLASS_IDLE ? " idle" : "");
}

/* Rows of groups have no class. */
static bool is_idle(const struct top_row *row)
{
	return !row->group && row->class == CLASS_IDLE;
}

static int find_texts(struct table *t)
{
	char text[TEXT_SZ];
	u32 i;

	t->texts = arena__array(&t->arena, (size_t)t->top.len + 1, sizeof(*t->texts));
	t->shown = arena__array(&t->arena, (size_t)t->top.len + 1, sizeof(*t->shown));
	if (!t->texts || !t->shown)
		return -ENOMEM;
	for (i = 0; i < t->top.len; i++) {
		const struct top_row *row = &t->top.rows[i];

		if (t->kind == TABLE_CALLS)
			cause_text(row, text, sizeof(text));
		else if (t->kind == TABLE_PLACES)
			place_text(row, text, sizeof(text));
		else
			snprintf(text, sizeof(text), "%s",
				 *row->group ? row->group : TABLE_NO_NAME);
		t->texts[i] = arena__strdup(&t->arena, text);
		if (!t->texts[i])
			return -ENOMEM;
		t->idle_ns += is_idle(row) ? top_row__ns(row) : row->idle_ns;
		t->busy_ns += is_idle(row) ? 0 : top_row__ns(row);
	}
	return 0;
}

static bool is_of_locks(enum table_kind kind)
{
	return tables[kind].tab == TAB_LOCKS;
}

static int build_top(struct table *t, struct err *err)
{
	enum group_by by = tables[t->kind].by;
	const struct profile *p = t->divided.p;

	if (by == GROUP_BY_CNT)
		return top__build(p, t->kind == TABLE_CALLS ? TOP_BY_CAUSE : TOP_BY_PLACE,
				  t->divided.memo, &t->arena, &t->top, err);
	return top__build_groups(p, (struct top_groups){ by, true }, t->divided.memo, &t->arena,
				 &t->top, err);
}

int table__init(struct table *t, const struct profile *p, struct cause_memo *memo,
		enum table_kind kind, struct err *err)
{
	struct render_options opt = { .memo = memo };
	const struct profile *rows = p;
	int r = 0;

	if (tables[kind].by != GROUP_BY_CNT)
		opt.root = tables[kind].by;
	memset(t, 0, sizeof(*t));
	arena__init(&t->arena);
	t->kind = kind;
	if (is_of_locks(kind)) {
		r = lock_waits__init(&t->lock_waits, p, memo, err);
		rows = &t->lock_waits.copy;
	}
	if (!r)
		r = by_waker__init(&t->divided, rows, &opt, err);
	if (!r)
		r = build_top(t, err);
	if (!r && is_of_locks(kind))
		r = lock_rows__build(&t->lock_waits, p, &t->top, &t->arena, &t->locks, err);
	if (!r && find_texts(t))
		r = err__nomem(err);
	return r;
}

void table__done(struct table *t)
{
	by_waker__done(&t->divided);
	lock_waits__done(&t->lock_waits);
	arena__done(&t->arena);
	memset(t, 0, sizeof(*t));
}

u64 table__ns(const struct table *t, u32 row)
{
	const struct top_row *r = &t->top.rows[row];

	return top_row__ns(r) + (t->choice.idle ? r->idle_ns : 0);
}

bool table__find(const struct table *t, const char *text, u32 *ret_row)
{
	u32 i;

	for (i = 0; i < t->top.len; i++) {
		if (strcmp(t->texts[i], text) == 0) {
			*ret_row = i;
			return true;
		}
	}
	return false;
}

bool table__has_wait(const struct table *t, u32 row, u32 wait)
{
	return wait && t->top.row_of_wait[wait] == row;
}

u32 table__wait(const struct table *t, u32 wait)
{
	if (t->locks)
		return t->lock_waits.rows[wait].part_of;
	return t->divided.rows.wait_of_row ? t->divided.rows.wait_of_row[wait] : wait;
}

static bool is_shown(const struct table *t, u32 row)
{
	const struct top_row *r = &t->top.rows[row];

	if (!t->choice.idle && is_idle(r))
		return false;
	/* threads are rows in any case, other groups need waits */
	if (!t->choice.idle && r->group && !table__is_of_threads(t) && !r->count && !top_row__ns(r))
		return false;
	return !t->choice.filter || filter__matches(t->choice.filter, t->texts[row]);
}

static u64 value_of(const struct table *t, u32 row)
{
	const struct top_row *r = &t->top.rows[row];

	switch (t->choice.sort) {
	case SORT_COUNT:
		return r->count;
	case SORT_LONGEST:
		return r->max_ns;
	case SORT_TIME:
		return table__ns(t, row);
	default:
		return 0;
	}
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct table *t = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	u64 x_value = value_of(t, x), y_value = value_of(t, y);
	int r = 0;

	if (x_value != y_value)
		return x_value < y_value ? 1 : -1;
	if (t->choice.sort == SORT_NAME)
		r = strcasecmp(t->texts[x], t->texts[y]);
	return r ? r : x < y ? -1 : x > y;
}

void table__choose(struct table *t, const struct table_choice *choice)
{
	u32 i;

	t->choice = *choice;
	t->shown_len = 0;
	t->whole_ns = t->busy_ns + (choice->idle ? t->idle_ns : 0);
	for (i = 0; i < t->top.len; i++) {
		if (is_shown(t, i))
			t->shown[t->shown_len++] = i;
	}
	if (t->shown_len)
		qsort_r(t->shown, t->shown_len, sizeof(*t->shown), compare, t);
}
