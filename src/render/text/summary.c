/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default screen: where did the time of these threads go? First the budget, whose rows add up
 * to the whole by construction, including the residual; then the waits by cause; then by place, as
 * cause, library and call site; then hints; then the reliability of stacks; at the end losses and
 * cost. Waits for work are a row of the budget and in no table. Sized for the terminal, or for 24
 * lines and 80 to 100 columns, with "others" rows so that each table adds up too.
 *
 * Names come from untrusted programs, so control characters are removed.
 */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "profile/state.h"
#include "render/render_view.h"
#include "render/words/scope_text.h"
#include "render/text/summary_priv.h"
#include "base/utf8.h"

#define DEFAULT_COLUMNS 100
#define MIN_COLUMNS 80
#define SCREEN_LINES 24
#define STEP_OF_SCREEN_LINES 6 /* larger ones are for larger screens */
#define BUDGET_MORE_COLUMN 37
#define IDLE_KINDS 4
#define IDLE_MORE ", .."

const char *screen_bold(const struct screen *s)
{
	return s->opt->color ? "\033[1m" : "";
}

const char *screen_dim(const struct screen *s)
{
	return s->opt->color ? "\033[2m" : "";
}

const char *screen_plain(const struct screen *s)
{
	return s->opt->color ? "\033[0m" : "";
}

/* At most `columns` characters, the last two ".." when there are more. */
void screen_put_cut(struct sink *out, const char *text, size_t columns)
{
	size_t len = utf8_len(text), keep = len, i;

	if (len > columns)
		keep = columns > 2 ? columns - 2 : 0;
	for (i = 0; i < keep; i++) {
		u32 cp = utf8_next(&text);

		utf8_put(out, utf8_harmless(cp));
	}
	if (len > columns)
		sink__puts(out, "..");
}

void screen_put_end(struct sink *out, const char *text, size_t columns)
{
	size_t len = utf8_len(text);

	if (len > columns) {
		sink__puts(out, "..");
		for (columns -= columns > 2 ? 2 : columns; len > columns; len--)
			utf8_next(&text);
	}
	screen_put_cut(out, text, len);
}

/* "12.3%" of a whole; "-" when there is none. */
void screen_format_share(u64 part, u64 whole, char *buf, size_t sz)
{
	u64 permille;

	if (!whole) {
		snprintf(buf, sz, "-");
		return;
	}
	permille = (u64)(((unsigned __int128)part * 1000 + whole / 2) / whole);
	snprintf(buf, sz, "%llu.%llu%%", permille / 10, permille % 10);
}

/*
 * A long list of ids is cut at a comma, so that no id is cut in two: "14 processes (20841, 20847,
 * ...)".
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
	screen_put_cut(s->out, target, columns);
}

static void put_title(const struct screen *s, const struct profile_budget *b)
{
	const char *target = profile__str(s->p, s->p->hdr.target);
	char window[32], wall[32], rest[160];
	size_t len;

	units_format_ns(s->p->hdr.window_ns, window, sizeof(window));
	units_format_ns(b->wall_ns, wall, sizeof(wall));
	snprintf(rest, sizeof(rest), ", %s: %s of thread time, %u thread%s, %u process%s", window,
		 wall, b->threads, units_plural(b->threads), b->processes,
		 b->processes == 1 ? "" : "es");
	len = strlen(rest);
	sink__puts(s->out, screen_bold(s));
	put_target(s, *target ? target : "recording", len < s->columns ? s->columns - len : 0);
	sink__printf(s->out, "%s%s\n", screen_plain(s), rest);
}

/* What the profile covers, if it is not one complete window. */
static void put_scope(const struct screen *s)
{
	char text[SCOPE_TEXT_SZ];

	if (scope_windows_text(s->p, text, sizeof(text))) {
		screen_put_cut(s->out, text, s->columns);
		sink__puts(s->out, "\n");
	}
	if (scope_selection_text(s->p, text, sizeof(text))) {
		screen_put_cut(s->out, text, s->columns);
		sink__puts(s->out, "\n");
	}
}

static void put_budget_row(const struct screen *s, const char *name, u64 ns, u64 wall_ns,
			   const char *more)
{
	char time[32], share[32];

	units_format_ns(ns, time, sizeof(time));
	screen_format_share(ns, wall_ns, share, sizeof(share));
	sink__printf(s->out, "  %-17s%9s%7s%s", name, time, share, *more ? "  " : "");
	screen_put_cut(s->out, more, s->columns - BUDGET_MORE_COLUMN);
	sink__puts(s->out, "\n");
}

static void format_states(const struct summary *m, char *buf, size_t sz)
{
	size_t len = 0;
	char time[32];
	u32 i;

	buf[0] = '\0';
	for (i = 0; i < PROFILE_STATES && len < sz; i++) {
		if (!m->blocked_by_state_ns[i])
			continue;
		units_format_ns(m->blocked_by_state_ns[i], time, sizeof(time));
		len += (size_t)snprintf(buf + len, sz - len, "%s%c %s", len ? ", " : "",
					state_letter(i), time);
	}
}

static u64 idle_ns_of(const struct summary *m, u32 cause)
{
	u64 ns = 0;
	u32 i;

	for (i = m->kinds.len - m->kinds.idle; i < m->kinds.len; i++) {
		if (m->kinds.rows[i].cause == cause)
			ns += m->kinds.rows[i].blocked_ns;
	}
	return ns;
}

/* The next idle row of a cause that is not in `told`; the number of rows if there is none. */
static u32 next_idle(const struct summary *m, u32 row, u64 told)
{
	while (row < m->kinds.len && told >> m->kinds.rows[row].cause & 1)
		row++;
	return row;
}

/*
 * "waits for work: poll 9.71 s, cond 3.10 s, ..": a row is per system call, a cause has several. As
 * many as fit: half a number would be a wrong one.
 */
static void format_idle(const struct screen *s, char *buf, size_t sz)
{
	const struct summary *m = s->model;
	size_t room = s->columns - BUDGET_MORE_COLUMN, len = 0, item_len;
	u32 row = next_idle(m, m->kinds.len - m->kinds.idle, 0), n;
	char time[32], item[128];
	u64 told = 0;

	buf[0] = '\0';
	for (n = 0; n < IDLE_KINDS && row < m->kinds.len; n++) {
		u32 cause = m->kinds.rows[row].cause;

		told |= 1ULL << cause;
		row = next_idle(m, row, told);
		units_format_ns(idle_ns_of(m, cause), time, sizeof(time));
		item_len = (size_t)snprintf(item, sizeof(item), "%s%s %s",
					    n ? ", " : "waits for work: ",
					    cause_name((enum cause)cause), time);
		if (len + item_len + (row < m->kinds.len ? strlen(IDLE_MORE) : 0) > room) {
			snprintf(buf + len, sz - len, IDLE_MORE);
			return;
		}
		len += (size_t)snprintf(buf + len, sz - len, "%s", item);
	}
	if (row < m->kinds.len)
		snprintf(buf + len, sz - len, IDLE_MORE);
}

/* Waits that were not chosen have only a sum. */
static void put_blocked(const struct screen *s)
{
	const struct summary *m = s->model;
	u64 wall_ns = m->budget.wall_ns;
	char more[256];

	format_states(m, more, sizeof(more));
	put_budget_row(s, m->idle_known ? "blocked" : "blocked or idle", m->blocked_ns, wall_ns,
		       more);
	if (!m->idle_known)
		return;
	format_idle(s, more, sizeof(more));
	put_budget_row(s, "idle", m->idle_ns, wall_ns,
		       s->p->hdr.filtered ? "waits for work, chosen or not" : more);
}

static void put_budget(const struct screen *s)
{
	const struct profile_budget *b = &s->model->budget;
	char preempted[32], woken[32], more[256];

	put_budget_row(s, "on a CPU", b->on_ns, b->wall_ns, "");
	units_format_ns(b->preempted_ns, preempted, sizeof(preempted));
	units_format_ns(b->runq_ns, woken, sizeof(woken));
	snprintf(more, sizeof(more), "preempted %s, woken or new %s", preempted, woken);
	put_budget_row(s, "waiting for a CPU", b->preempted_ns + b->runq_ns, b->wall_ns, more);
	put_blocked(s);
	put_budget_row(s, "unaccounted", b->unaccounted_ns, b->wall_ns,
		       b->unaccounted_ns > b->wall_ns / 50 ? "too much: data is missing" : "");
}

static void format_milli(u64 milli, char *buf, size_t sz)
{
	snprintf(buf, sz, "%llu.%02llu", milli / 1000, milli % 1000 / 10);
}

/* The number of threads that wait for work follows from the budget, if known. */
static void put_busy(const struct screen *s, const struct summary_requests *q)
{
	char rate[32], busy[32], threads[32], off[32];

	format_milli(q->milli_per_s, rate, sizeof(rate));
	format_milli(s->model->idle_known ? q->busy_milli : q->on_milli, busy, sizeof(busy));
	format_milli(q->threads_milli, threads, sizeof(threads));
	format_milli(q->threads_milli > q->on_milli ? q->threads_milli - q->on_milli : 0, off,
		     sizeof(off));
	sink__printf(s->out, "  %s/s keep %s of %s threads %s; T - R*C: %s off the CPU\n", rate,
		     busy, threads, s->model->idle_known ? "busy" : "on a CPU", off);
}

/* Compares the budget with the requests that the threads serve. */
static void put_requests(const struct screen *s)
{
	char on[32], runq[32], blocked[32], all[32];
	struct summary_requests q;

	if (!s->opt->requests_milli)
		return;
	summary_requests_of(s->p, s->model, s->opt->requests_milli, &q);
	units_format_ns(q.on_ns, on, sizeof(on));
	units_format_ns(q.runq_ns, runq, sizeof(runq));
	units_format_ns(q.blocked_ns, blocked, sizeof(blocked));
	units_format_ns(q.on_ns + q.runq_ns + q.blocked_ns, all, sizeof(all));
	sink__printf(s->out, "%s%s%s %s on a CPU, %s waiting for one, %s blocked%s: %s\n",
		     screen_bold(s), "Each request:", screen_plain(s), on, runq, blocked,
		     s->model->idle_known ? "" : " or idle", all);
	put_busy(s, &q);
}

static int put_head(struct screen *s, struct err *err)
{
	(void)err;
	put_title(s, &s->model->budget);
	put_scope(s);
	put_budget(s);
	put_requests(s);
	return 0;
}

/* Head and foot are built first: their length limits the length of the tables. */
static int make(const struct screen *s, int (*put)(struct screen *s, struct err *err),
		char **ret_text, struct err *err)
{
	struct screen part = *s;
	struct sink out;
	size_t sz;
	int r;

	sink__init_mem(&out);
	part.out = &out;
	r = put(&part, err);
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

/*
 * The largest tables that fit on a screen with that many other lines, and an empty line above the
 * tables. Hints are worth more than another place. A user who asks for a number of rows scrolls
 * anyway.
 */
static void fit_tables(struct screen *s, u32 lines)
{
	static const struct {
		u32 causes;
		u32 places;
		u32 hints;
	} steps[] = { { 12, 12, 4 }, { 10, 9, 4 }, { 8, 7, 3 }, { 6, 6, 3 }, { 6, 5, 2 },
		      { 5, 4, 2 },   { 4, 3, 2 },  { 3, 3, 2 }, { 3, 3, 1 }, { 3, 2, 2 },
		      { 3, 2, 1 },   { 2, 2, 1 },  { 2, 1, 1 }, { 1, 1, 1 }, { 1, 1, 0 } };
	u32 screen = s->opt->lines > SCREEN_LINES ? s->opt->lines - 1 : SCREEN_LINES;
	u32 room = lines + 1 < screen ? screen - lines - 1 : 0, taken;
	u32 i = screen > SCREEN_LINES ? 0 : STEP_OF_SCREEN_LINES;

	for (; i < ARRAY_LEN(steps); i++) {
		s->cause_rows = steps[i].causes;
		s->place_rows = steps[i].places;
		s->hints = steps[i].hints;
		taken = screen_table_lines(s, s->cause_rows, s->place_rows) + s->hints;
		if (taken <= room || s->opt->rows)
			break;
	}
}

static int put_screen(struct screen *s, struct err *err)
{
	char *head = NULL, *foot = NULL;
	int r = make(s, put_head, &head, err);

	if (!r)
		r = make(s, screen_put_foot, &foot, err);
	if (!r) {
		fit_tables(s, count_lines(head) + count_lines(foot));
		sink__puts(s->out, head);
		r = screen_put_tables(s, err);
	}
	if (!r)
		sink__puts(s->out, foot);
	mem_free(head);
	mem_free(foot);
	return r;
}

/* The budget covers all time; the tables cover the view. */
static int put_view(struct screen *s, struct arena *a, struct err *err)
{
	struct top kinds, places;
	struct viewed rows;
	int r;

	s->kinds = &s->model->kinds;
	s->places = &s->model->waits;
	if (s->view == VIEW_OFF)
		return put_screen(s, err);
	r = viewed__init(&rows, s->p, s->view, err);
	if (!r)
		r = top__build(rows.p, TOP_BY_CAUSE, s->opt->memo, a, &kinds, err);
	if (!r)
		r = top__build(rows.p, TOP_BY_PLACE, s->opt->memo, a, &places, err);
	s->kinds = &kinds;
	s->places = &places;
	if (!r)
		r = put_screen(s, err);
	viewed__done(&rows);
	return r;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct summary model;
	struct screen s = { .p = p, .opt = opt, .out = out, .model = &model };
	struct arena a;
	int r;

	s.view = render_view(p, opt, VIEW_OFF);
	s.sampled = profile__is_sampled(p) || s.view != VIEW_OFF;
	s.columns = opt->width ? opt->width : DEFAULT_COLUMNS;
	if (s.columns < MIN_COLUMNS)
		s.columns = MIN_COLUMNS;
	arena__init(&a);
	r = summary__build(p, opt->memo, &a, &model, err);
	if (!r)
		r = put_view(&s, &a, err);
	arena__done(&a);
	return r;
}

const struct render_ops render_summary = {
	.name = "summary",
	.endings = "",
	.mime = "text/plain; charset=utf-8",
	.help = "one screen: the budget, why and where threads waited, losses",
	.takes_root = true,
	.render = render,
};
