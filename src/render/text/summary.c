/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default screen: where did the time of these threads go? First the budget, whose rows add up
 * to the whole by construction, including the residual; then the waits by cause; then by place, as
 * cause, library and call site; then hints; then the reliability of stacks; at the end losses and
 * cost. Waits for work are a row of the budget and in no table. Tables have the same rows on every
 * screen, and "others" so that each adds up too; what is long is wrapped, and nothing is cut.
 *
 * Names come from untrusted programs, so control characters are removed.
 */
#include <errno.h>
#include <string.h>

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "profile/state.h"
#include "render/by_waker.h"
#include "render/render_view.h"
#include "render/words/scope_text.h"
#include "render/text/summary_priv.h"

/* A pipe has no width: what is wrapped is hard to search. */
#define UNWRAPPED_COLUMNS 100000
#define MIN_COLUMNS 80
#define BUDGET_MORE_COLUMN 37
#define IDLE_TEXT_SZ (CAUSE_CNT * 32 + 64)

static bool knows(const struct screen *s, u32 unknown)
{
	return !(s->p->hdr.unknown & unknown);
}

static bool is_of_tasks(const struct screen *s)
{
	return profile_header__is_of_tasks(&s->p->hdr);
}

/* How many there were at a time. */
static void put_tasks(const struct screen *s, u64 wall_ns, struct sink *line)
{
	u64 window_ns = s->p->hdr.window_ns, milli;

	if (!is_of_tasks(s) || !window_ns)
		return;
	milli = (u64)((unsigned __int128)wall_ns * 1000 / window_ns);
	sink__printf(line, ", %llu.%llu tasks on average", milli / 1000, milli % 1000 / 100);
}

/* What an import does not know is left out. */
static void put_extent(const struct screen *s, const struct profile_budget *b, struct sink *line)
{
	char window[32], wall[32];
	u32 ncpu = s->p->hdr.ncpu;

	units_format_ns(s->p->hdr.window_ns, window, sizeof(window));
	units_format_ns(b->wall_ns, wall, sizeof(wall));
	if (knows(s, UNKNOWN_WINDOW))
		sink__printf(line, ", %s", window);
	if (knows(s, UNKNOWN_WINDOW) && ncpu)
		sink__printf(line, " on %u CPU%s", ncpu, units_plural(ncpu));
	sink__printf(line, ": %s %s", wall,
		     is_of_tasks(s)	      ? "of task time" :
		     knows(s, UNKNOWN_ON_CPU) ? "of thread time" :
						"off the CPU");
	put_tasks(s, b->wall_ns, line);
	if (knows(s, UNKNOWN_THREADS))
		sink__printf(line, ", %s%u thread%s", knows(s, UNKNOWN_NUMBERS) ? "" : "at least ",
			     b->threads, units_plural(b->threads));
	if (knows(s, UNKNOWN_PROCESSES))
		sink__printf(line, ", %u process%s", b->processes, b->processes == 1 ? "" : "es");
}

static int put_title(const struct screen *s, const struct profile_budget *b)
{
	const char *target = profile__str(s->p, s->p->hdr.target);
	struct sink line;
	int r;

	sink__init_mem(&line);
	sink__puts(&line, *target ? target : "recording");
	put_extent(s, b, &line);
	r = sink__finish(&line, NULL);
	if (!r)
		screen_put_bold(s, line.buf, 0, 2);
	sink__done(&line);
	return r;
}

/* What the profile covers, if it is not one complete window. */
static void put_scope(const struct screen *s)
{
	char text[SCOPE_TEXT_SZ];
	enum scope scope;

	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(s->p, scope, text, sizeof(text)))
			screen_put_wrapped(s, text, 0, 2);
	}
}

/* `unknown`: what of an import leaves it blank. Without thread time there are no shares. */
static void put_budget_row(const struct screen *s, const char *name, u64 ns, u32 unknown,
			   const char *more)
{
	char time[32] = "-", share[32] = "-";

	if (knows(s, unknown) || ns)
		units_format_ns(ns, time, sizeof(time));
	if (knows(s, unknown | UNKNOWN_ON_CPU))
		screen_format_share(ns, s->model->budget.wall_ns, share, sizeof(share));
	if (!knows(s, unknown) && !ns)
		more = "not known";
	sink__printf(s->out, "  %-17s%*s%7s%s", name, utf8_pad(time, 9), time, share,
		     *more ? "  " : "");
	screen_put_wrapped(s, more, BUDGET_MORE_COLUMN, BUDGET_MORE_COLUMN);
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
 * "waits for work: poll 9.71 s, cond 3.10 s; for a CPU after them 1.20 ms": a row is per system
 * call, a cause has several.
 */
static void format_idle(const struct summary *m, char *buf, size_t sz)
{
	u32 row = next_idle(m, m->kinds.len - m->kinds.idle, 0), n;
	size_t len = 0;
	char time[32];
	u64 told = 0;

	buf[0] = '\0';
	for (n = 0; row < m->kinds.len && len < sz; n++) {
		u32 cause = m->kinds.rows[row].cause;

		told |= 1ULL << cause;
		row = next_idle(m, row, told);
		units_format_ns(idle_ns_of(m, cause), time, sizeof(time));
		len += (size_t)snprintf(buf + len, sz - len, "%s%s %s",
					n ? ", " : "waits for work: ",
					cause_name((enum cause)cause), time);
	}
	if (!m->woken_ns || len >= sz)
		return;
	units_format_ns(m->woken_ns, time, sizeof(time));
	snprintf(buf + len, sz - len, "; for a CPU after them %s", time);
}

/* Waits that were not chosen have only a sum. */
static void put_blocked(const struct screen *s)
{
	const struct summary *m = s->model;
	char more[IDLE_TEXT_SZ] = "";

	if (knows(s, UNKNOWN_STATES))
		format_states(m, more, sizeof(more));
	put_budget_row(s, m->idle_known ? "blocked" : "blocked or idle", m->blocked_ns, 0,
		       is_of_tasks(s) ? "" : more);
	if (!m->idle_known)
		return;
	format_idle(m, more, sizeof(more));
	put_budget_row(s, "idle", m->idle_ns, 0,
		       s->p->hdr.filtered ? "waits for work, also those excluded" : more);
}

static void put_budget(const struct screen *s)
{
	const struct profile_budget *b = &s->model->budget;
	char preempted[32], woken[32], more[256];

	put_budget_row(s, is_of_tasks(s) ? "running" : "on a CPU", b->on_ns, UNKNOWN_ON_CPU, "");
	units_format_ns(b->preempted_ns, preempted, sizeof(preempted));
	units_format_ns(b->runq_ns - s->model->woken_ns, woken, sizeof(woken));
	snprintf(more, sizeof(more), "preempted %s, woken or new %s", preempted,
		 knows(s, UNKNOWN_RUNQ) ? woken : "not known");
	if (s->p->hdr.visit_hz || !knows(s, UNKNOWN_PREEMPTION))
		snprintf(more, sizeof(more), "preempted or woken: visits cannot tell");
	if (is_of_tasks(s))
		put_budget_row(s, "ready", s->model->runq_ns, 0,
			       "would run, but has no thread, or its thread has no CPU");
	else
		put_budget_row(s, "waiting for a CPU", s->model->runq_ns, UNKNOWN_RUNQ, more);
	put_blocked(s);
	put_budget_row(s, is_of_tasks(s) ? "unread" : "unaccounted", b->unaccounted_ns,
		       UNKNOWN_ON_CPU,
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

static int put_screen(struct screen *s, struct err *err)
{
	int r = put_title(s, &s->model->budget);

	if (r)
		return err__nomem(err);
	put_scope(s);
	put_budget(s);
	put_requests(s);
	r = screen_put_tables(s, err);
	return r ? r : screen_put_foot(s, err);
}

/* The budget covers all time; the tables cover the view. */
static int put_view(struct screen *s, struct arena *a, struct err *err)
{
	struct top kinds, places;
	struct viewed rows;
	int r;

	s->kinds = &s->model->kinds;
	s->places = &s->model->waits;
	if (s->view == VIEW_OFF) {
		r = screen_find_blame(s, a, err);
		return r ? r : put_screen(s, err);
	}
	r = viewed__init(&rows, s->p, s->view, err);
	if (!r)
		r = top__build(rows.p, TOP_BY_CAUSE, s->opt->memo, a, &kinds, err);
	if (!r)
		r = top__build(rows.p, TOP_BY_PLACE, s->opt->memo, a, &places, err);
	s->kinds = &kinds;
	s->places = &places;
	if (!r)
		r = screen_find_blame(s, a, err);
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
	int r = by_waker_check(p, opt, err);

	if (r)
		return r;
	s.view = render_view(p, opt, VIEW_OFF);
	s.sampled = profile__is_sampled(p) || s.view != VIEW_OFF;
	s.columns = opt->width ? opt->width : UNWRAPPED_COLUMNS;
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
	.help = "the budget, why and where threads waited, losses",
	.takes_root = true,
	.is_screen = true,
	.render = render,
};
