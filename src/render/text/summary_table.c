/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the summary. Every row has the same columns, followed by a description; a new
 * column belongs in put_numbers() and the head above it.
 */
#include <errno.h>

#include "analysis/model/hints.h"
#include "analysis/model/hist.h"
#include "base/mem.h"
#include "base/units.h"
#include "profile/estimate.h"
#include "profile/state.h"
#include "render/words/object_text.h"
#include "render/text/summary_priv.h"
#include "base/utf8.h"

#define GROUP_ROWS 8
#define TEXT_COLUMN 55 /* where the last column begins */
#define PLACE_INDENT 6
#define ERROR_COLUMNS 8

static void put_table_head(const struct screen *s, const char *last)
{
	static const char *const times[] = {
		[VIEW_OFF] = "off-CPU",
		[VIEW_ON] = "on-CPU",
		[VIEW_WALL] = "time",
	};

	/* "±" is two bytes in one column */
	sink__printf(s->out, "%s%9s%s%7s%10s%9s%9s%9s%s  %s\n", screen_dim(s), times[s->view],
		     s->sampled ? " ±error " : "", "share", "count", "mean", "p99 <=", "longest",
		     screen_plain(s), last);
}

/* After a time: its standard error in the same unit. */
static void put_error(const struct screen *s, u64 ns, u64 var_us2)
{
	char error[32] = "";

	if (!s->sampled)
		return;
	if (!var_us2) {
		sink__printf(s->out, "%*s", ERROR_COLUMNS, "");
		return;
	}
	units_format_error_ns(ns, estimate_se_ns(var_us2), error, sizeof(error));
	sink__printf(s->out, " ±%-*s", ERROR_COLUMNS - 2, error);
}

static void put_numbers(const struct screen *s, const struct top_row *row, u64 whole_ns)
{
	u64 ns = top_row__ns(row);
	char time[32], share[32], count[32], mean[32] = "-", p99[32] = "-", max[32] = "-";

	units_format_ns(ns, time, sizeof(time));
	screen_format_share(ns, whole_ns, share, sizeof(share));
	units_format_count(row->count, count, sizeof(count));
	if (row->hot_ns && !row->count)
		snprintf(count, sizeof(count), "-");
	/* With few samples the error is meaningless; that they are few is not. */
	if (estimate_is_rough(row->var_us2, row->samples))
		snprintf(count, sizeof(count), "%llu sample%s", row->samples,
			 units_plural(row->samples));
	if (row->count)
		units_format_ns((ns - row->hot_ns) / row->count, mean, sizeof(mean));
	if (row->count && row->max_ns) {
		units_format_ns(hist_quantile_bound_ns(row->hist, 990, row->max_ns), p99,
				sizeof(p99));
		units_format_ns(row->max_ns, max, sizeof(max));
	}
	sink__printf(s->out, "%9s", time);
	put_error(s, ns, row->var_us2);
	sink__printf(s->out, "%7s%10s%9s%9s%9s  ", share, count, mean, p99, max);
}

static u32 text_columns(const struct screen *s)
{
	return s->columns - TEXT_COLUMN - (s->sampled ? ERROR_COLUMNS : 0);
}

/* "futex (S)", "poll epoll_wait (S)", "read (S)" if no rule knows the call. */
static void put_cause(const struct screen *s, const struct top_row *row)
{
	const char *name = cause_name((enum cause)row->cause);
	bool same = row->syscall && strcmp(row->syscall, name) == 0;
	char text[128];

	if (row->cause == CAUSE_SYSCALL && row->syscall)
		snprintf(text, sizeof(text), "%s", row->syscall);
	else
		snprintf(text, sizeof(text), "%s%s%s", name, row->syscall && !same ? " " : "",
			 row->syscall && !same ? row->syscall : "");
	sink__puts(s->out, screen_bold(s));
	screen_put_cut(s->out, text, text_columns(s) - 6);
	sink__puts(s->out, screen_plain(s));
	if (row->cause != CAUSE_LOST && row->cause != CAUSE_ON_CPU)
		sink__printf(s->out, " (%c)", state_letter(row->state));
	sink__puts(s->out, "\n");
}

static void put_group(const struct screen *s, const struct top_row *row)
{
	const char *name = *row->group ? row->group : "[no name]";
	size_t columns = text_columns(s);
	char time[32], more[64] = "";

	if (row->wall_ns) {
		units_format_ns(row->on_ns, time, sizeof(time));
		snprintf(more, sizeof(more), "  %s on a CPU", time);
	}
	sink__puts(s->out, screen_bold(s));
	/* the end of a path says most */
	if (s->opt->root == GROUP_BY_CGROUP)
		screen_put_end(s->out, name, columns - strlen(more));
	else
		screen_put_cut(s->out, name, columns - strlen(more));
	sink__printf(s->out, "%s%s\n", screen_plain(s), more);
}

/* Whether the cause already says what the kernel function would. */
static bool says_it_all(const struct top_row *row)
{
	return row->cause >= CAUSE_LOCK || row->cause == CAUSE_FUTEX || row->cause == CAUSE_POLL ||
	       row->cause == CAUSE_SLEEP || row->cause == CAUSE_NET_RECV;
}

/* "shop: libpq PQexec -> query < handle", what the columns do not show. */
static void write_place(const struct top_row *row, struct sink *line)
{
	sink__puts(line, *row->comm ? row->comm : "[no name]");
	sink__puts(line, ":");
	if (row->class == CLASS_BAD)
		sink__puts(line, " HOLDS ITS LOOP:");
	/* the kernel function first: it is short, and must not be cut off */
	if (*row->kernel && !(*row->user && says_it_all(row)))
		sink__printf(line, " [%s]", row->kernel);
	if (*row->library)
		sink__printf(line, " %s ->", row->library);
	if (*row->user)
		sink__printf(line, " %s", row->user);
	if (!*row->user && !*row->kernel)
		sink__puts(line, " no stack");
}

/* The number is what `report --explain` takes. */
static int put_place(const struct screen *s, const struct top_row *row, u32 number)
{
	struct sink line;
	char *text;
	size_t sz;

	sink__init_mem(&line);
	write_place(row, &line);
	sink__finish(&line, NULL);
	text = sink__steal(&line, &sz);
	sink__done(&line);
	if (!text)
		return -ENOMEM;
	sink__printf(s->out, "%*u  ", PLACE_INDENT - 2, number);
	screen_put_cut(s->out, text, s->columns - PLACE_INDENT);
	sink__puts(s->out, "\n");
	mem_free(text);
	return 0;
}

/* The object, on its own line. */
static void put_object(const struct screen *s, const struct top_row *row)
{
	char text[OBJECT_TEXT_SZ];

	if (!object_text(row, text, sizeof(text)))
		return;
	sink__printf(s->out, "%*s", PLACE_INDENT, "");
	screen_put_cut(s->out, text, s->columns - PLACE_INDENT);
	sink__puts(s->out, "\n");
}

/*
 * Rows of a table. Those of waits for work, at the end, are in none, except for the wait for a CPU
 * after them.
 */
static u32 len_of(const struct top *top)
{
	return top->len - top->idle;
}

static void put_woken(const struct screen *s, const struct top_row *woken, u64 whole_ns)
{
	put_numbers(s, woken, whole_ns);
	sink__puts(s->out, screen_bold(s));
	screen_put_cut(s->out, "woken for work, waiting for a CPU", text_columns(s) - 6);
	sink__printf(s->out, "%s (R)\n", screen_plain(s));
}

/* The sum of the rows that are not shown: those from `shown` on, and `woken_ns`. */
static void put_others(const struct screen *s, const struct top *top, u32 shown, u64 woken_ns)
{
	u64 ns = woken_ns, var_us2 = 0, whole = summary_busy_ns(top);
	char time[32], share[32];
	u32 len = len_of(top) - shown + (woken_ns > 0), i;

	if (!len)
		return;
	for (i = shown; i < len_of(top); i++) {
		ns += top_row__ns(&top->rows[i]);
		var_us2 = estimate_add_var(var_us2, top->rows[i].var_us2);
	}
	units_format_ns(ns, time, sizeof(time));
	screen_format_share(ns, whole, share, sizeof(share));
	sink__printf(s->out, "%9s", time);
	put_error(s, ns, var_us2);
	sink__printf(s->out, "%7s  %u other%s\n", share, len, units_plural(len));
}

static u32 rows_of(const struct screen *s, enum top_by by)
{
	if (s->opt->rows)
		return s->opt->rows;
	return by == TOP_BY_CAUSE ? s->cause_rows : by == TOP_BY_GROUP ? GROUP_ROWS : s->place_rows;
}

static u32 at_most(u32 rows, u32 len)
{
	return len < rows ? len : rows;
}

/* A head, and a line for the rest; a row by place takes two lines, or three with an object. */
u32 screen_table_lines(const struct screen *s, u32 causes, u32 places)
{
	u32 woken = summary_woken(s->kinds).runq_ns > 0;
	u32 kinds_len = len_of(s->kinds) + woken, places_len = len_of(s->places) + woken;
	u32 lines = 1 + at_most(causes + 1, kinds_len), i;

	if (!len_of(s->places))
		return lines;
	lines += 1 + 2 * at_most(places, places_len) + (places_len > places);
	for (i = 0; i < len_of(s->places) && i < places; i++)
		lines += s->places->rows[i].object || s->places->rows[i].owner;
	return lines;
}

static int put_row(const struct screen *s, const struct top *top, enum top_by by, u32 row)
{
	int r = 0;

	put_numbers(s, &top->rows[row], summary_busy_ns(top));
	if (by == TOP_BY_GROUP)
		put_group(s, &top->rows[row]);
	else
		put_cause(s, &top->rows[row]);
	if (by == TOP_BY_PLACE)
		r = put_place(s, &top->rows[row], row + 1);
	if (by == TOP_BY_PLACE && !r)
		put_object(s, &top->rows[row]);
	return r;
}

static int put_table(const struct screen *s, const struct top *top, enum top_by by)
{
	static const char *const last[] = { "why (state)", "where", "who" };
	struct top_row woken = summary_woken(top);
	u32 rows = rows_of(s, by), len = len_of(top) + (woken.runq_ns > 0), n, i = 0;
	int r = 0;

	/* instead of a line "1 other", show that row */
	if (len == rows + 1 && (by != TOP_BY_PLACE || s->opt->rows))
		rows++;
	put_table_head(s, by == TOP_BY_GROUP && !group_is_of_threads(s->opt->root) ? "what" :
										     last[by]);
	for (n = 0; n < len && n < rows && !r; n++) {
		if (!summary_woken_is_next(top, i, &woken)) {
			r = put_row(s, top, by, i++);
			continue;
		}
		put_woken(s, &woken, summary_busy_ns(top));
		woken.runq_ns = 0;
	}
	put_others(s, top, i, woken.runq_ns);
	return r;
}

/* "-> lock: look for ..." */
static void put_hints(const struct screen *s)
{
	struct hints hints;
	char text[192];
	u32 i;

	hints__choose(s->kinds, &hints);
	for (i = 0; i < hints.len && i < s->hints; i++) {
		snprintf(text, sizeof(text), "%s: %s", hints.list[i].name, hints.list[i].text);
		sink__printf(s->out, "%s-> ", screen_dim(s));
		screen_put_cut(s->out, text, s->columns - 3);
		sink__printf(s->out, "%s\n", screen_plain(s));
	}
}

static int put_groups(const struct screen *s, struct err *err)
{
	struct top groups;
	struct viewed rows;
	struct arena a;
	int r = viewed__init(&rows, s->p, s->view, err);

	arena__init(&a);
	if (!r)
		r = top__build_groups(rows.p, s->opt->root, s->opt->memo, &a, &groups, err);
	if (!r && groups.len && put_table(s, &groups, TOP_BY_GROUP))
		r = err__nomem(err);
	viewed__done(&rows);
	arena__done(&a);
	return r;
}

int screen_put_tables(const struct screen *s, struct err *err)
{
	int r = 0;

	sink__puts(s->out, "\n");
	if (!s->kinds->len)
		sink__printf(s->out, "No thread %s in this window.\n",
			     s->model->budget.threads ? "waited" : "existed");
	else if (!len_of(s->kinds) && !summary_woken(s->kinds).runq_ns)
		sink__puts(s->out, "All waits were waits for work.\n");
	else
		r = put_table(s, s->kinds, TOP_BY_CAUSE);
	if (!r && s->opt->groups)
		r = put_groups(s, err);
	else if (!r && len_of(s->places))
		r = put_table(s, s->places, TOP_BY_PLACE);
	if (r)
		return err__nomem(err);
	put_hints(s);
	return 0;
}
