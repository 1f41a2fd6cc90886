/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	what is recorded    cost, losses    which time is shown
 *	where the time of the threads went, and as a bar
 *	blocked threads by window
 *	tabs
 *
 * On few rows the sparkline goes first, then the second line.
 */
#include "tui/head.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/words/effort_text.h"
#include "render/words/loss_text.h"
#include "tui/bar.h"
#include "tui/viewer.h"

#define SMALL_ROWS 12 /* up to this, the table has more use for a row than the header */
#define METER_MIN 14
#define METER_MAX 90

static u64 lost_ns(const struct profile *p)
{
	struct profile_loss sum = { 0 };

	for (u32 i = 0; i < LOSS_CNT; i++)
		if (i != LOSS_UNNAMED)
			loss_add(&sum, &p->losses[i]);
	return sum.ns;
}

/* "cost 0.52%, LOST 20.0 ms: see Cost"; true if something was lost. */
static bool health_text(const struct profile *p, char *buf, size_t sz)
{
	char cost[32], lost[32];
	size_t len = 0;

	if (effort_share_text(&p->hdr, p->hdr.prog_ns + p->hdr.self_cpu_ns, cost, sizeof(cost)))
		len = (size_t)snprintf(buf, sz, "cost %s, ", cost);
	if (!loss_kinds(p)) {
		snprintf(buf + len, sz - len, "nothing lost");
		return false;
	}
	units_format_ns(lost_ns(p), lost, sizeof(lost));
	/* of some losses only the number is known */
	snprintf(buf + len, sz - len, "LOST%s%s: see Cost", lost_ns(p) ? " " : "",
		 lost_ns(p) ? lost : "");
	return true;
}

static void which_text(const struct viewer *v, char *buf, size_t sz)
{
	static const char *const periods[PERIOD_CNT] = { "last", "latest", "all" };
	char time[32] = "...", begin[40] = "";

	/* of a store, a length alone says too little */
	if (v->base && viewer__is_of_store(v)) {
		clock_format_wall(v->base->hdr.begin_wall_ns, begin, sizeof(begin));
		/* without the fraction of the second */
		memcpy(begin + 19, "Z ", 3);
	}
	if (v->base)
		units_format_ns(v->base->hdr.window_ns, time, sizeof(time));
	snprintf(buf, sz, "%s%s%s %s%s", begin, v->windows.held ? "FROZEN " : "",
		 periods[v->period], time, v->over ? ", over" : "");
}

/* Amber where something was lost, because trust is lost, too. */
static void paint_title(const struct viewer *v, struct screen *s)
{
	char which[96], health[96] = "";
	bool lost = v->base && health_text(v->base, health, sizeof(health));
	u32 right, attr = v->windows.held || v->over ? ATTR_WARN | ATTR_BOLD : 0;

	screen__put(s, 0, lost ? ATTR_WARN | ATTR_BOLD : ATTR_BOLD, "coldspot ");
	screen__put(s, 0, lost ? ATTR_WARN : 0, v->opt.target);
	if (v->opt.file && *v->opt.file)
		screen__printf(s, 0, ATTR_DIM, " > %s", v->opt.file);
	which_text(v, which, sizeof(which));
	right = (u32)utf8_columns(which) + 1;
	/* what it costs matters less than what it is, but a loss matters more */
	if (*health && (lost || screen__left(s, 0) >= right + utf8_columns(health) + 2))
		right += (u32)utf8_columns(health) + 2;
	else
		health[0] = '\0';
	/* a long target must not hide it */
	if (screen__left(s, 0) < right && s->cols > right)
		screen__cut(s, 0, s->cols - right);
	screen__pad(s, 0, 0, s->cols > right ? s->cols - right : 0);
	if (*health)
		screen__printf(s, 0, lost ? ATTR_WARN | ATTR_BOLD : ATTR_DIM, " %s ", health);
	screen__printf(s, 0, attr, " %s", which);
}

/* A part of the threads' time, with what stands for it in the meter. */
struct part_of_time {
	const char *name;
	u64 ns;
	u32 cause; /* whose colour it has */
	char sign;
};

#define PARTS 5

static u64 less(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

/* All of them are the time of all threads. */
static void parts_of(const struct viewer *v, struct part_of_time *ret)
{
	const struct profile_budget *b = &v->budget;
	u64 idle_blocked_ns = less(v->idle_ns, v->idle_runq_ns);
	const struct part_of_time parts[PARTS] = {
		{ "on CPU", b->on_ns, CAUSE_ON_CPU, '#' },
		{ "run queue", less(b->runq_ns + b->preempted_ns, v->idle_runq_ns), CAUSE_PREEMPTED,
		  'R' },
		{ "blocked", less(b->blocked_ns, idle_blocked_ns), CAUSE_LOCK, 'B' },
		{ "idle", v->idle_ns, CAUSE_SHOWN_IDLE, '.' },
		{ "unaccounted", b->unaccounted_ns, CAUSE_UNKNOWN, '?' },
	};

	memcpy(ret, parts, sizeof(parts));
}

static void paint_meter(const struct part_of_time *parts, struct screen *s, u32 y)
{
	u32 room = screen__left(s, y), i, n, at = 0;
	u64 whole_ns = 0, end_ns = 0;
	char sign[2] = "";

	if (room < METER_MIN)
		return;
	room = room > METER_MAX ? METER_MAX : room;
	for (i = 0; i < PARTS; i++)
		whole_ns += parts[i].ns;
	screen__put(s, y, 0, " [");
	for (i = 0; i < PARTS && whole_ns; i++) {
		end_ns += parts[i].ns;
		sign[0] = parts[i].sign;
		n = (u32)((unsigned __int128)end_ns * (room - 3) / whole_ns);
		for (; at < n; at++)
			screen__put(s, y, ATTR_FILL | ATTR_OF_CAUSE(parts[i].cause), sign);
	}
	screen__put(s, y, 0, "]");
}

static void paint_budget(const struct viewer *v, struct screen *s, u32 y)
{
	struct part_of_time parts[PARTS];
	char text[32];
	u32 i;

	parts_of(v, parts);
	units_format_count(v->budget.threads, text, sizeof(text));
	screen__printf(s, y, 0, "%s thread%s:", text, units_plural(v->budget.threads));
	for (i = 0; i < PARTS; i++) {
		/* nothing is unaccounted, as a rule */
		if (i == PARTS - 1 && !parts[i].ns)
			continue;
		units_format_ns(parts[i].ns, text, sizeof(text));
		screen__printf(s, y, 0, "%s %s ", i ? "," : "", parts[i].name);
		screen__printf(s, y, ATTR_BOLD, "%s", text);
	}
	if (v->idle_ns && !v->idle && screen__left(s, y) >= strlen(" (hidden)"))
		screen__put(s, y, ATTR_DIM, " (hidden)");
	paint_meter(parts, s, y);
}

static void format_threads(u64 ns_per_s, char *buf, size_t sz)
{
	snprintf(buf, sz, "%.1f", (double)ns_per_s / (double)NSEC_PER_SEC);
}

/* How many threads were blocked at a time. The newest window is on the right. */
static void paint_sparkline(const struct viewer *v, struct screen *s, u32 y)
{
	u32 room, len = v->busy_shown, i;
	u64 most = 0, last = len ? *(u64 *)vec__at(&v->busy, len - 1) : 0;
	char now[32], up_to[32];

	for (i = len > s->cols ? len - s->cols : 0; i < len; i++)
		most = most > *(u64 *)vec__at(&v->busy, i) ? most : *(u64 *)vec__at(&v->busy, i);
	format_threads(last, now, sizeof(now));
	format_threads(most, up_to, sizeof(up_to));
	screen__printf(s, y, 0, "blocked threads ");
	screen__put(s, y, ATTR_BOLD, now);
	screen__printf(s, y, 0, ", most %s ", up_to);
	room = screen__left(s, y);
	for (i = len > room ? len - room : 0; i < len; i++)
		screen__put(s, y, ATTR_BOLD, bar_of(*(u64 *)vec__at(&v->busy, i), most, s->ascii));
}

/* The tenth tab has the key 0. On a narrow screen there are fewer blanks. */
static void tab_text(const struct viewer *v, enum tab tab, bool narrow, char *buf, size_t sz)
{
	snprintf(buf, sz, narrow ? "%u%s" : " %u %s ", viewer__number_of_tab(v, tab) % 10,
		 tab_name(tab));
}

static void paint_tabs(struct viewer *v, struct screen *s, u32 y)
{
	u32 i, width = 0;
	char text[64];
	bool narrow;

	for (i = 0; i < TAB_CNT; i++) {
		tab_text(v, (enum tab)i, false, text, sizeof(text));
		width += viewer__has_tab(v, (enum tab)i) ? (u32)strlen(text) : 0;
	}
	narrow = width > s->cols;
	v->tabs_row = y;
	if (y >= s->rows)
		return;
	for (i = 0; i < TAB_CNT; i++) {
		if (!viewer__has_tab(v, (enum tab)i))
			continue;
		tab_text(v, (enum tab)i, narrow, text, sizeof(text));
		screen__put(s, y, i == v->tab ? ATTR_BOLD | ATTR_REVERSE : 0, text);
		v->tab_ends[i] = s->lines[y].col;
		if (narrow)
			screen__put(s, y, 0, " ");
	}
}

u32 head_paint(struct viewer *v, struct screen *s)
{
	u32 y = 1;

	paint_title(v, s);
	if (v->base && s->rows > SMALL_ROWS - 2)
		paint_budget(v, s, y++);
	if (v->base && s->rows > SMALL_ROWS)
		paint_sparkline(v, s, y++);
	paint_tabs(v, s, y++);
	return y;
}
