/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default screen: where did the time of these threads go? First the budget, whose rows add up
 * to the whole by construction, the residual among them; then the waits by kind; then by place;
 * then how far the stacks can be trusted; at the end what is missing and what it cost. Sized for a
 * terminal of 24 lines and 80 to 100 columns, with "others" rows so that each table adds up too.
 *
 * Names come from other people's programs, so nothing that a terminal would obey is let through.
 */
#include <errno.h>

#include "analysis/complete.h"
#include "analysis/hist.h"
#include "analysis/top.h"
#include "base/mem.h"
#include "base/units.h"
#include "profile/estimate.h"
#include "profile/state.h"
#include "render/effort_text.h"
#include "render/loss_text.h"
#include "render/object_text.h"
#include "render/render.h"
#include "render/render_view.h"
#include "render/scope_text.h"
#include "render/utf8.h"

#define DEFAULT_COLUMNS 100
#define MIN_COLUMNS 80
#define CAUSE_ROWS 4
#define CAUSE_ROWS_LEAST 3
#define PLACE_ROWS 3
#define GROUP_ROWS 8
#define FOOT_ROWS 4 /* more leave no room for the last cause */
#define TEXT_COLUMN 55 /* where the last column begins */
#define BUDGET_MORE_COLUMN 37
#define PLACE_INDENT 6
#define STACKS_COLUMN 13 /* behind "User stacks:" */
#define FOOT_INDENT 6
#define ERROR_COLUMNS 8

struct screen {
	const struct profile *p;
	const struct render_options *opt;
	struct sink *out;
	u32 columns;
	u32 cause_rows;
	bool sampled; /* times in the tables have an error */
	enum time_view view;
	bool told_stacks; /* a line says what is missing of user stacks */
};

static const char *bold(const struct screen *s)
{
	return s->opt->color ? "\033[1m" : "";
}

static const char *dim(const struct screen *s)
{
	return s->opt->color ? "\033[2m" : "";
}

static const char *plain(const struct screen *s)
{
	return s->opt->color ? "\033[0m" : "";
}

/* At most `columns` characters, the last two ".." when there are more. */
static void put_cut(struct sink *out, const char *text, size_t columns)
{
	size_t len = utf8_len(text), keep = len, i;

	if (len > columns)
		keep = columns > 2 ? columns - 2 : 0;
	for (i = 0; i < keep; i++) {
		u32 cp = utf8_next(&text);

		utf8_put(out, cp < 0x20 || (cp >= 0x7f && cp < 0xa0) ? '?' : cp);
	}
	if (len > columns)
		sink__puts(out, "..");
}

/* "12.3%" of a whole; "-" when there is none. */
static void format_share(u64 part, u64 whole, char *buf, size_t sz)
{
	u64 permille;

	if (!whole) {
		snprintf(buf, sz, "-");
		return;
	}
	permille = (u64)(((unsigned __int128)part * 1000 + whole / 2) / whole);
	snprintf(buf, sz, "%llu.%llu%%", permille / 10, permille % 10);
}

static const char *plural(u64 n)
{
	return n == 1 ? "" : "s";
}

/*
 * A list of ids that is too long ends at a comma, so that no id is cut in two:
 * "14 processes (20841, 20847, ...)".
 */
static void put_target(const struct screen *s, const char *target, size_t columns)
{
	static const char end[] = ", ...)";
	size_t len = strlen(target), keep = columns > strlen(end) ? columns - strlen(end) : 0;
	char list[256];

	while (keep && (keep >= len || target[keep] != ','))
		keep--;
	if (len > columns && target[len - 1] == ')' && keep) {
		snprintf(list, sizeof(list), "%.*s%s", (int)keep, target, end);
		target = list;
	}
	put_cut(s->out, target, columns);
}

static void put_title(const struct screen *s, const struct profile_budget *b)
{
	const char *target = profile__str(s->p, s->p->hdr.target);
	char window[32], wall[32], rest[160];
	size_t len;

	units_format_ns(s->p->hdr.window_ns, window, sizeof(window));
	units_format_ns(b->wall_ns, wall, sizeof(wall));
	snprintf(rest, sizeof(rest), ", %s: %s of thread time, %u thread%s, %u process%s", window,
		 wall, b->threads, plural(b->threads), b->processes, b->processes == 1 ? "" : "es");
	len = strlen(rest);
	sink__puts(s->out, bold(s));
	put_target(s, *target ? target : "recording", len < s->columns ? s->columns - len : 0);
	sink__printf(s->out, "%s%s\n", plain(s), rest);
}

/* What part of the world this is, where that is not one window whole. */
static void put_scope(const struct screen *s)
{
	char text[SCOPE_TEXT_SZ];

	if (scope_windows_text(s->p, text, sizeof(text))) {
		put_cut(s->out, text, s->columns);
		sink__puts(s->out, "\n");
	}
	if (scope_selection_text(s->p, text, sizeof(text))) {
		put_cut(s->out, text, s->columns);
		sink__puts(s->out, "\n");
	}
}

static void put_budget_row(const struct screen *s, const char *name, u64 ns, u64 wall_ns,
			   const char *more)
{
	char time[32], share[32];

	units_format_ns(ns, time, sizeof(time));
	format_share(ns, wall_ns, share, sizeof(share));
	sink__printf(s->out, "  %-17s%9s%7s%s", name, time, share, *more ? "  " : "");
	put_cut(s->out, more, s->columns - BUDGET_MORE_COLUMN);
	sink__puts(s->out, "\n");
}

static void format_states(const struct profile_budget *b, char *buf, size_t sz)
{
	size_t len = 0;
	char time[32];
	u32 i;

	buf[0] = '\0';
	for (i = 0; i < PROFILE_STATES && len < sz; i++) {
		if (!b->blocked_by_state_ns[i])
			continue;
		units_format_ns(b->blocked_by_state_ns[i], time, sizeof(time));
		len += (size_t)snprintf(buf + len, sz - len, "%s%c %s", len ? ", " : "",
					state_letter(i), time);
	}
}

static void put_budget(const struct screen *s, const struct profile_budget *b)
{
	char preempted[32], woken[32], more[256];

	put_budget_row(s, "on a CPU", b->on_ns, b->wall_ns, "");
	units_format_ns(b->preempted_ns, preempted, sizeof(preempted));
	units_format_ns(b->runq_ns, woken, sizeof(woken));
	snprintf(more, sizeof(more), "preempted %s, woken or new %s", preempted, woken);
	put_budget_row(s, "waiting for a CPU", b->preempted_ns + b->runq_ns, b->wall_ns, more);
	format_states(b, more, sizeof(more));
	put_budget_row(s, "blocked", b->blocked_ns, b->wall_ns, more);
	put_budget_row(s, "unaccounted", b->unaccounted_ns, b->wall_ns, "");
}

static void put_table_head(const struct screen *s, const char *last)
{
	static const char *const times[] = {
		[VIEW_OFF] = "off-CPU",
		[VIEW_ON] = "on-CPU",
		[VIEW_WALL] = "time",
	};

	/* "±" is two bytes in one column */
	sink__printf(s->out, "%s%9s%s%7s%10s%9s%9s%9s%s  %s\n", dim(s), times[s->view],
		     s->sampled ? " ±error " : "", "share", "count", "mean", "p99 <=", "longest",
		     plain(s), last);
}

/* Behind a time: its standard error in the same unit. */
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
	format_share(ns, whole_ns, share, sizeof(share));
	units_format_count(row->count, count, sizeof(count));
	if (row->hot_ns && !row->count)
		snprintf(count, sizeof(count), "-");
	/* What few samples say of the number is of no use; that they are few is. */
	if (estimate_is_rough(row->var_us2, row->samples))
		snprintf(count, sizeof(count), "%llu sample%s", row->samples, plural(row->samples));
	if (row->count) {
		units_format_ns((ns - row->hot_ns) / row->count, mean, sizeof(mean));
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

/* "futex (S)", "poll epoll_wait (S)", "read (S)" where no rule knows the call. */
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
	sink__puts(s->out, bold(s));
	put_cut(s->out, text, text_columns(s) - 6);
	sink__puts(s->out, plain(s));
	if (row->cause != CAUSE_LOST && row->cause != CAUSE_ON_CPU)
		sink__printf(s->out, " (%c)", state_letter(row->state));
	sink__puts(s->out, "\n");
}

static void put_group(const struct screen *s, const struct top_row *row)
{
	size_t columns = text_columns(s);
	char time[32], more[64] = "";

	if (row->wall_ns) {
		units_format_ns(row->on_ns, time, sizeof(time));
		snprintf(more, sizeof(more), "  %s on a CPU", time);
	}
	sink__puts(s->out, bold(s));
	put_cut(s->out, *row->group ? row->group : "[no name]", columns - strlen(more));
	sink__printf(s->out, "%s%s\n", plain(s), more);
}

static int put_place(const struct screen *s, const struct top_row *row)
{
	struct sink line;
	char *text;
	size_t sz;

	sink__init_mem(&line);
	sink__puts(&line, *row->comm ? row->comm : "[no name]");
	sink__puts(&line, ":");
	/* the kernel's function first: it is short, and must not be what is cut off */
	if (*row->kernel)
		sink__printf(&line, " [%s]", row->kernel);
	if (*row->user)
		sink__printf(&line, " %s", row->user);
	if (!*row->user && !*row->kernel)
		sink__puts(&line, " no stack");
	sink__finish(&line, NULL);
	text = sink__steal(&line, &sz);
	sink__done(&line);
	if (!text)
		return -ENOMEM;
	sink__printf(s->out, "%*s", PLACE_INDENT, "");
	put_cut(s->out, text, s->columns - PLACE_INDENT);
	sink__puts(s->out, "\n");
	mem_free(text);
	return 0;
}

static u64 whole_of(const struct top *top)
{
	return top->blocked_ns + top->runq_ns + top->hot_ns;
}

/* What it was for, on a line of its own. */
static void put_object(const struct screen *s, const struct top_row *row)
{
	char text[OBJECT_TEXT_SZ];

	if (!object_text(row, text, sizeof(text)))
		return;
	sink__printf(s->out, "%*s", PLACE_INDENT, "");
	put_cut(s->out, text, s->columns - PLACE_INDENT);
	sink__puts(s->out, "\n");
}

/* What the rows that are not shown add up to. */
static void put_others(const struct screen *s, const struct top *top, u32 shown)
{
	u64 ns = 0, var_us2 = 0, whole = whole_of(top);
	char time[32], share[32];
	u32 i;

	if (shown >= top->len)
		return;
	for (i = shown; i < top->len; i++) {
		ns += top_row__ns(&top->rows[i]);
		var_us2 = estimate_add_var(var_us2, top->rows[i].var_us2);
	}
	units_format_ns(ns, time, sizeof(time));
	format_share(ns, whole, share, sizeof(share));
	sink__printf(s->out, "%9s", time);
	put_error(s, ns, var_us2);
	sink__printf(s->out, "%7s  %u other%s\n", share, top->len - shown,
		     plural(top->len - shown));
}

static enum group_by group_by(const struct screen *s)
{
	return (enum group_by)s->opt->root;
}

/* A row with an object takes three lines: of two there are as many lines as of three without. */
static u32 place_rows(const struct top *top)
{
	u32 i, lines = 0;

	for (i = 0; i < top->len && i < PLACE_ROWS; i++)
		lines += top->rows[i].object || top->rows[i].owner ? 3 : 2;
	return lines > 2 * PLACE_ROWS + 1 ? PLACE_ROWS - 1 : PLACE_ROWS;
}

static u32 rows_of(const struct screen *s, const struct top *top, enum top_by by)
{
	if (s->opt->rows)
		return s->opt->rows;
	return by == TOP_BY_CAUSE ? s->cause_rows :
	       by == TOP_BY_GROUP ? GROUP_ROWS :
				    place_rows(top);
}

static int put_table(const struct screen *s, const struct top *top, enum top_by by)
{
	static const char *const last[] = { "why (state)", "where", "who" };
	u32 rows = rows_of(s, top, by), i;
	int r = 0;

	/* a line that says "1 other" may as well say which */
	if (top->len == rows + 1)
		rows++;
	put_table_head(s,
		       by == TOP_BY_GROUP && !group_is_of_threads(group_by(s)) ? "what" : last[by]);
	for (i = 0; i < top->len && i < rows && !r; i++) {
		put_numbers(s, &top->rows[i], whole_of(top));
		if (by == TOP_BY_GROUP)
			put_group(s, &top->rows[i]);
		else
			put_cause(s, &top->rows[i]);
		if (by == TOP_BY_PLACE)
			r = put_place(s, &top->rows[i]);
		if (by == TOP_BY_PLACE && !r)
			put_object(s, &top->rows[i]);
	}
	put_others(s, top, i);
	return r;
}

/*
 * A share that is not all is never shown as all, and one that is not nothing never as nothing:
 * "99.9%" and "<0.1%" are what the reader has to know then.
 */
static void format_honest_share(u64 part, u64 whole, char *buf, size_t sz)
{
	u64 permille = (u64)(((unsigned __int128)part * 1000 + whole / 2) / whole);

	if (permille == 1000 && part < whole)
		permille--;
	if (part && !permille)
		snprintf(buf, sz, "<0.1%%");
	else
		snprintf(buf, sz, "%llu.%llu%%", permille / 10, permille % 10);
}

/* "37.0% no CFI in libfoo.so, 2.1% deeper than the limit" */
static void format_rest(const struct complete *c, char *buf, size_t sz)
{
	char share[32];
	size_t len = 0;
	u32 i;

	buf[0] = '\0';
	for (i = 0; i < c->len && len < sz; i++) {
		format_honest_share(c->rows[i].ns, c->total_ns, share, sizeof(share));
		len += (size_t)snprintf(buf + len, sz - len, "%s%s %s", i ? ", " : "", share,
					c->rows[i].words);
	}
}

/* What is not whole, on the line of the share if there is room: it says what to do about it. */
static void put_share(const struct screen *s, const struct complete *c)
{
	char line[64], share[32], rest[512];
	size_t room = s->columns - STACKS_COLUMN, len;

	format_honest_share(c->whole_ns, c->total_ns, share, sizeof(share));
	len = (size_t)snprintf(line, sizeof(line), "whole in %s of waited time", share);
	format_rest(c, rest, sizeof(rest));
	sink__printf(s->out, "%sUser stacks:%s %s", bold(s), plain(s), line);
	if (rest[0]) {
		bool fits = len + strlen("; the rest: ") + utf8_len(rest) <= room;

		sink__puts(s->out, fits ? "; the rest: " : "; the rest:\n      ");
		put_cut(s->out, rest, s->columns - FOOT_INDENT);
	}
	sink__puts(s->out, "\n");
}

static int put_complete(struct screen *s, struct err *err)
{
	struct complete c;
	struct arena a;
	int r;

	arena__init(&a);
	r = complete__build(s->p, &a, &c, err);
	s->told_stacks = !r && c.total_ns;
	if (s->told_stacks)
		put_share(s, &c);
	arena__done(&a);
	return r;
}

static void put_losses(const struct screen *s)
{
	char text[320];
	int i;

	for (i = 0; i < LOSS_CNT; i++) {
		if (!loss_text(s->p, (enum profile_loss_kind)i, text, sizeof(text)))
			continue;
		if (i == LOSS_STACK_TRUNCATED && s->told_stacks)
			continue;
		sink__printf(s->out, "%sLost:%s ", bold(s), plain(s));
		put_cut(s->out, text, s->columns - 6);
		sink__puts(s->out, "\n");
		if (loss_reason_text(s->p, (enum profile_loss_kind)i, text, sizeof(text))) {
			sink__puts(s->out, "      ");
			put_cut(s->out, text, s->columns - 6);
			sink__puts(s->out, "\n");
		}
	}
	if (!loss_kinds(s->p))
		sink__puts(s->out, "Nothing lost.\n");
}

/* What was seen, and what it cost: on one line if there is room. */
static void put_effort(const struct screen *s)
{
	char seen[EFFORT_TEXT_SZ], cost[EFFORT_TEXT_SZ];

	effort_seen_text(s->p, seen, sizeof(seen));
	effort_cost_text(s->p, cost, sizeof(cost));
	put_cut(s->out, seen, s->columns);
	sink__puts(s->out, strlen(seen) + 2 + strlen(cost) > s->columns ? "\n" : "; ");
	put_cut(s->out, cost, s->columns);
	sink__puts(s->out, "\n");
}

/* That there is more to see, and how. */
static void put_samples(const struct screen *s)
{
	char text[RENDER_SAMPLES_TEXT_SZ];

	if (!render_samples_text(s->p, text, sizeof(text)))
		return;
	sink__printf(s->out, "%sSampled:%s ", bold(s), plain(s));
	put_cut(s->out, text, s->columns - 9);
	sink__puts(s->out, s->view == VIEW_OFF ? "; see --view on, --view wall\n" : "\n");
}

static int put_foot(struct screen *s, struct err *err)
{
	const char *hooks = profile__str(s->p, s->p->hdr.hooks);
	int r = put_complete(s, err);

	if (r)
		return r;
	put_samples(s);
	put_losses(s);
	if (s->p->hdr.filtered)
		sink__puts(s->out, "Waits were left out on request: the tables are a part of the "
				   "budget.\n");
	put_effort(s);
	if (*hooks) {
		sink__puts(s->out, "Hooks: ");
		put_cut(s->out, hooks, s->columns - 7);
		sink__puts(s->out, "\n");
	}
	return 0;
}

/* The foot is made first: how long it is decides how long the tables may be. */
static int make_foot(const struct screen *s, char **ret_text, struct err *err)
{
	struct screen foot = *s;
	struct sink out;
	size_t sz;
	int r;

	sink__init_mem(&out);
	foot.out = &out;
	r = put_foot(&foot, err);
	if (!r)
		r = sink__finish(&out, err);
	*ret_text = r ? NULL : sink__steal(&out, &sz);
	sink__done(&out);
	return r;
}

static u32 count_lines(const char *text)
{
	u32 n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static int put_tables(const struct screen *s, struct err *err)
{
	enum top_by second = s->opt->groups ? TOP_BY_GROUP : TOP_BY_PLACE;
	struct top causes = { 0 }, others = { 0 };
	struct viewed rows;
	struct arena a;
	int r = viewed__init(&rows, s->p, s->view, err);

	arena__init(&a);
	if (!r)
		r = top__build(rows.p, TOP_BY_CAUSE, &a, &causes, err);
	if (!r && s->opt->groups)
		r = top__build_groups(rows.p, group_by(s), &a, &others, err);
	else if (!r)
		r = top__build(rows.p, TOP_BY_PLACE, &a, &others, err);
	if (!r && others.len) {
		sink__puts(s->out, "\n");
		r = causes.len ? put_table(s, &causes, TOP_BY_CAUSE) : 0;
		if (!r)
			r = put_table(s, &others, second);
		if (r)
			err__nomem(err);
	}
	if (!r && !causes.len)
		sink__puts(s->out, "\nNo thread waited in this window.\n");
	viewed__done(&rows);
	arena__done(&a);
	return r;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct screen s = { .p = p, .opt = opt, .out = out };
	struct profile_budget b;
	char *foot;
	int r;

	s.view = render_view(p, opt, VIEW_OFF);
	s.sampled = profile__is_sampled(p) || s.view != VIEW_OFF;
	s.columns = opt->width ? opt->width : DEFAULT_COLUMNS;
	if (s.columns < MIN_COLUMNS)
		s.columns = MIN_COLUMNS;
	if (profile__budget(p, &b))
		return err__nomem(err);
	r = make_foot(&s, &foot, err);
	if (r)
		return r;
	s.cause_rows = count_lines(foot) > FOOT_ROWS ? CAUSE_ROWS_LEAST : CAUSE_ROWS;
	put_title(&s, &b);
	put_scope(&s);
	put_budget(&s, &b);
	r = put_tables(&s, err);
	if (!r)
		sink__puts(out, foot);
	mem_free(foot);
	return r;
}

const struct render_ops render_summary = {
	.name = "summary",
	.endings = "",
	.mime = "text/plain; charset=utf-8",
	.help = "one screen: the budget, why and where threads waited, what was lost",
	.render = render,
};
