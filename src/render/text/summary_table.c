/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the summary. Every row has the same columns, followed by a description; a new
 * column belongs in put_numbers() and the head above it.
 */
#include <errno.h>

#include "analysis/model/hints.h"
#include "analysis/model/hist.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "profile/estimate.h"
#include "profile/state.h"
#include "render/by_waker.h"
#include "render/render_view.h"
#include "render/words/object_text.h"
#include "render/text/summary_priv.h"
#include "base/text/utf8.h"

#define CAUSE_ROWS 10
#define PLACE_ROWS 8
#define GROUP_ROWS 10
#define HINTS 4
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

/* What shares are of, in all tables. */
static u64 whole_ns(const struct screen *s)
{
	return summary_busy_ns(s->kinds);
}

static bool is_idle_class(const struct screen *s, const struct top_row *row)
{
	return row->group && s->opt->root == GROUP_BY_CLASS &&
	       strcmp(row->group, class_name(CLASS_IDLE)) == 0;
}

static void put_numbers(const struct screen *s, const struct top_row *row)
{
	u64 ns = top_row__ns(row);
	char time[32], share[32], count[32], mean[32] = "-", p99[32] = "-", max[32] = "-";

	units_format_ns(ns, time, sizeof(time));
	if (is_idle_class(s, row))
		snprintf(share, sizeof(share), "idle");
	else
		screen_format_share(ns, whole_ns(s), share, sizeof(share));
	units_format_count(row->count, count, sizeof(count));
	/* time on a CPU, and waits that nobody counted */
	if ((row->hot_ns || row->summed || s->p->hdr.visit_hz) && !row->count)
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
	sink__printf(s->out, "%*s", utf8_pad(time, 9), time);
	put_error(s, ns, row->var_us2);
	sink__printf(s->out, "%7s%10s%*s%*s%*s", share, count, utf8_pad(mean, 9), mean,
		     utf8_pad(p99, 9), p99, utf8_pad(max, 9), max);
}

/* Where the last column begins. */
static u32 text_column(const struct screen *s)
{
	return TEXT_COLUMN + (s->sampled ? ERROR_COLUMNS : 0);
}

static void put_last(const struct screen *s, const char *text)
{
	sink__puts(s->out, "  ");
	screen_put_bold(s, text, text_column(s), text_column(s));
}

/* "futex (S)", "poll epoll_wait (S)", "read (S)" if no rule knows the call. */
static void put_cause(const struct screen *s, const struct top_row *row)
{
	const char *name = cause_name((enum cause)row->cause);
	bool has_state = row->cause != CAUSE_LOST && row->cause != CAUSE_ON_CPU;
	bool same = row->syscall && strcmp(row->syscall, name) == 0;
	char text[128], state[8] = "";

	if (has_state)
		snprintf(state, sizeof(state), " (%c)", state_letter(row->state));
	if (row->cause == CAUSE_SYSCALL && row->syscall)
		snprintf(text, sizeof(text), "%s%s", row->syscall, state);
	else
		snprintf(text, sizeof(text), "%s%s%s%s", name, row->syscall && !same ? " " : "",
			 row->syscall && !same ? row->syscall : "", state);
	put_last(s, text);
}

/* What is too long for the last column has a line of its own. */
static void put_group(const struct screen *s, const struct top_row *row)
{
	const char *name = *row->group ? row->group : "[no name]";
	char time[32], text[GROUP_NAME_SZ + 128];
	int len = snprintf(text, sizeof(text), "%s", name);

	if (row->wall_ns) {
		units_format_ns(row->on_ns, time, sizeof(time));
		len += snprintf(text + len, sizeof(text) - (size_t)len, ", %s on a CPU", time);
	}
	if (row->idle_ns) {
		units_format_ns(row->idle_ns, time, sizeof(time));
		snprintf(text + len, sizeof(text) - (size_t)len, ", %s idle", time);
	}
	if (utf8_columns(text) + 2 <= s->columns - text_column(s)) {
		put_last(s, text);
		return;
	}
	sink__printf(s->out, "\n%*s", PLACE_INDENT, "");
	screen_put_bold(s, text, PLACE_INDENT, PLACE_INDENT);
}

/*
 * "shop: query < handle". Without a user stack, the system call stands for what the program does;
 * outside of one, the kernel's function.
 */
static void write_place(const struct top_row *row, struct sink *line)
{
	sink__puts(line, *row->comm ? row->comm : "[no name]");
	sink__puts(line, ":");
	if (row->class == CLASS_BAD)
		sink__puts(line, " BLOCKS ITS EVENT LOOP:");
	if (*row->user)
		sink__printf(line, " %s", row->user);
	else if (row->syscall)
		sink__printf(line, " %s", row->syscall);
	else if (*row->kernel)
		sink__printf(line, " [%s]", row->kernel);
	else
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
	screen_put_wrapped(s, text, PLACE_INDENT, PLACE_INDENT);
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
	screen_put_wrapped(s, text, PLACE_INDENT, PLACE_INDENT);
}

/* Rows of a table. Those of waits for work, at the end, are in none. */
static u32 len_of(const struct top *top)
{
	return top->len - top->idle;
}

/* The sum of the rows that are not shown: those from `shown` on. */
static void put_others(const struct screen *s, const struct top *top, u32 shown)
{
	u64 ns = 0, var_us2 = 0;
	char time[32], share[32], count[32];
	u32 len = len_of(top) - shown, i;

	if (!len)
		return;
	for (i = shown; i < len_of(top); i++) {
		ns += top_row__ns(&top->rows[i]);
		var_us2 = estimate_add_var(var_us2, top->rows[i].var_us2);
	}
	units_format_ns(ns, time, sizeof(time));
	screen_format_share(ns, whole_ns(s), share, sizeof(share));
	sink__printf(s->out, "%*s", utf8_pad(time, 9), time);
	put_error(s, ns, var_us2);
	units_format_count(len, count, sizeof(count));
	sink__printf(s->out, "%7s  %s other%s\n", share, count, units_plural(len));
}

static u32 rows_of(const struct screen *s, enum top_by by)
{
	if (s->opt->rows)
		return s->opt->rows;
	return by == TOP_BY_CAUSE ? CAUSE_ROWS : by == TOP_BY_GROUP ? GROUP_ROWS : PLACE_ROWS;
}

static int put_row(const struct screen *s, const struct top *top, enum top_by by, u32 row)
{
	int r = 0;

	put_numbers(s, &top->rows[row]);
	if (by == TOP_BY_GROUP)
		put_group(s, &top->rows[row]);
	else
		put_cause(s, &top->rows[row]);
	if (by == TOP_BY_CAUSE)
		r = screen_put_row_blame(s, row);
	if (by == TOP_BY_PLACE)
		r = put_place(s, &top->rows[row], row + 1);
	if (by == TOP_BY_PLACE && !r)
		put_object(s, &top->rows[row]);
	return r;
}

static int put_table(const struct screen *s, const struct top *top, enum top_by by)
{
	static const char *const last[] = { "why (state)", "where", "who" };
	u32 rows = rows_of(s, by), len = len_of(top), i;
	int r = 0;

	/* instead of a line "1 other", show that row */
	if (len == rows + 1 && (by != TOP_BY_PLACE || s->opt->rows))
		rows++;
	put_table_head(s, by == TOP_BY_GROUP && !group_is_of_threads(s->opt->root) ? "what" :
										     last[by]);
	for (i = 0; i < len && i < rows && !r; i++)
		r = put_row(s, top, by, i);
	put_others(s, top, i);
	return r;
}

/* "-> lock: look for ..." */
static int put_hints(const struct screen *s, struct err *err)
{
	struct hints hints;
	char text[512];
	u32 i;

	if (hints__choose(s->p, s->opt->memo, s->kinds, &hints))
		return err__nomem(err);
	for (i = 0; i < hints.len && i < HINTS; i++) {
		snprintf(text, sizeof(text), "%s: %s", hints.list[i].name, hints.list[i].text);
		sink__puts(s->out, "-> ");
		screen_put_wrapped(s, text, 3, 3);
	}
	return 0;
}

static int put_groups(const struct screen *s, struct err *err)
{
	struct by_waker divided;
	struct viewed rows = { 0 };
	struct top groups;
	struct arena a;
	int r = by_waker__init(&divided, s->p, s->opt, err);

	arena__init(&a);
	if (!r)
		r = viewed__init(&rows, divided.p, s->view, err);
	if (!r)
		r = top__build_groups(rows.p, (struct top_groups){ s->opt->root, true },
				      divided.memo, &a, &groups, err);
	if (!r && groups.len && put_table(s, &groups, TOP_BY_GROUP))
		r = err__nomem(err);
	viewed__done(&rows);
	by_waker__done(&divided);
	arena__done(&a);
	return r;
}

static void put_whole(const struct screen *s)
{
	char time[32], line[160];

	units_format_ns(whole_ns(s), time, sizeof(time));
	snprintf(line, sizeof(line), "Shares are of %s%s of %s%s that is not idle.",
		 profile__is_sampled(s->p) ? "about " : "", time,
		 s->p->hdr.filtered ? "selected " : "", render_view_noun(s->view));
	screen_put_wrapped(s, line, 0, 0);
}

int screen_put_tables(const struct screen *s, struct err *err)
{
	int r = 0;

	sink__puts(s->out, "\n");
	if (len_of(s->kinds))
		put_whole(s);
	if (!s->kinds->len)
		sink__printf(s->out, "No thread %s in this window.\n",
			     s->model->budget.threads ? "waited" : "existed");
	else if (!len_of(s->kinds))
		sink__puts(s->out, "All waits were waits for work.\n");
	else
		r = put_table(s, s->kinds, TOP_BY_CAUSE);
	if (len_of(s->kinds))
		sink__puts(s->out, "\n");
	if (!r && s->opt->groups)
		r = put_groups(s, err);
	else if (!r && len_of(s->places))
		r = put_table(s, s->places, TOP_BY_PLACE);
	if (!r)
		r = screen_put_blame(s);
	if (!r)
		r = screen_put_patterns(s);
	if (!r && s->view == VIEW_OFF)
		r = screen_put_holders(s);
	if (!r && s->view == VIEW_OFF)
		r = screen_put_measured(s);
	if (r)
		return err__nomem(err);
	return put_hints(s, err);
}
