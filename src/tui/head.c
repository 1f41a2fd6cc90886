/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	what is recorded                    which time is shown
 *	threads, blocked, idle, cost, lost
 *	blocked time by second
 *	tabs
 *
 * On few rows the sparkline goes first, then the second line.
 */
#include "tui/head.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "render/words/loss_text.h"
#include "tui/bar.h"
#include "tui/viewer.h"

#define SMALL_ROWS 12 /* up to this, the table has more use for a row than the header */

static void paint_title(const struct viewer *v, struct screen *s)
{
	char time[32] = "", which[96];
	const char *file = v->opt.file ? v->opt.file : "";
	u32 width;

	if (v->base)
		units_format_ns(v->base->hdr.window_ns, time, sizeof(time));
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
	const struct profile *p = v->base;
	u32 lost = loss_kinds(p);
	char text[32], count[32];

	units_format_count(v->threads, count, sizeof(count));
	screen__printf(s, y, 0, "%s thread%s", count, units_plural(v->threads));
	units_format_ns(v->busy_ns, text, sizeof(text));
	screen__printf(s, y, 0, ", waited %s", text);
	units_format_ns(v->idle_ns, text, sizeof(text));
	screen__printf(s, y, 0, ", idle %s%s", text, v->idle ? "" : " (hidden)");
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

		screen__put(s, y, ATTR_BOLD, bar_of(ns, most, s->ascii));
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

u32 head_paint(const struct viewer *v, struct screen *s)
{
	u32 y = 1;

	paint_title(v, s);
	if (v->base && s->rows > SMALL_ROWS - 2)
		paint_numbers(v, s, y++);
	if (v->base && s->rows > SMALL_ROWS)
		paint_sparkline(v, s, y++);
	paint_tabs(v, s, y++);
	return y;
}
