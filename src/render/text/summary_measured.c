/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of goroutines that were measured one by one: below the tables of a recording of tasks. */
#include "analysis/view/measured_rows.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/text/summary_priv.h"

#define ROWS 8
#define WAKERS 3
#define INDENT 6

static void put_time(const struct screen *s, u64 ns, int width)
{
	char text[32];

	units_format_ns(ns, text, sizeof(text));
	sink__printf(s->out, "%*s", utf8_pad(text, width), text);
}

static void put_count(const struct screen *s, u64 count, int width)
{
	char text[32];

	units_format_count(count, text, sizeof(text));
	sink__printf(s->out, "%*s", width, text);
}

/* "Measured by probes in 3.00 s: 7,012 waits of goroutines" */
static void put_head(const struct screen *s, const struct measured_rows *rows)
{
	char count[32], time[32], line[192];

	units_format_count(rows->count, count, sizeof(count));
	units_format_ns(s->p->hdr.measured_ns, time, sizeof(time));
	snprintf(line, sizeof(line),
		 "Measured by probes, in %s: %s wait%s of goroutines that ended", time, count,
		 units_plural(rows->count));
	screen_put_wrapped(s, line, 0, 0);
	if (rows->len)
		sink__printf(s->out, "%s%9s%10s%10s%10s  %s%s\n", screen_dim(s), "total", "count",
			     "mean", "longest", "who, where, and who ended them", screen_plain(s));
}

static void put_wakers(const struct screen *s, const struct measured_row *row)
{
	for (u32 i = 0; i < row->wakers_len && i < WAKERS; i++) {
		const struct measured_waker *w = &row->wakers[i];
		char share[32], line[640];

		screen_format_share(w->count, row->count, share, sizeof(share));
		snprintf(line, sizeof(line), "%s by %.500s", share,
			 *w->place ? w->place : "[unknown]");
		sink__printf(s->out, "%*s", INDENT, "");
		screen_put_wrapped(s, line, INDENT, INDENT + 2);
	}
	if (row->wakers_len > WAKERS)
		sink__printf(s->out, "%*s%u others\n", INDENT, "", row->wakers_len - WAKERS);
}

static void put_row(const struct screen *s, const struct measured_row *row)
{
	char text[640];

	put_time(s, row->total_ns, 9);
	put_count(s, row->count, 10);
	put_time(s, row->total_ns / row->count, 10);
	put_time(s, row->max_ns, 10);
	sink__puts(s->out, "  ");
	snprintf(text, sizeof(text), "%.200s%s%.100s%s", row->comm, *row->word ? " " : "",
		 row->word, row->is_idle ? ", idle" : "");
	screen_put_bold(s, text, 41, 41);
	sink__printf(s->out, "%*s", INDENT, "");
	screen_put_wrapped(s, *row->place ? row->place : "[unknown]", INDENT, INDENT);
	put_wakers(s, row);
}

static void put_rest(const struct screen *s, const struct measured_rows *rows, u32 shown)
{
	u64 ns = 0, count = 0;

	for (u32 i = shown; i < rows->len; i++) {
		ns += rows->rows[i].total_ns;
		count += rows->rows[i].count;
	}
	if (!count)
		return;
	put_time(s, ns, 9);
	put_count(s, count, 10);
	sink__printf(s->out, "%20s  %u others\n", "", rows->len - shown);
}

/* What the probes took, and of what part of the window they say nothing. */
static void put_cost(const struct screen *s)
{
	const struct profile_header *h = &s->p->hdr;
	u64 machine_ns = h->machine_ns ? h->machine_ns : h->window_ns * h->ncpu;
	char hits[32], time[32], each[32], share[32], missing[32], line[320];

	units_format_count(h->measure_hits, hits, sizeof(hits));
	units_format_ns(h->measure_cost_ns, time, sizeof(time));
	units_format_ns(h->measure_hits ? h->measure_cost_ns / h->measure_hits : 0, each,
			sizeof(each));
	snprintf(share, sizeof(share), "%.2f%%",
		 machine_ns ? 100.0 * (double)h->measure_cost_ns / (double)machine_ns : 0.0);
	screen_format_share(h->window_ns - h->measured_ns, h->window_ns, missing, sizeof(missing));
	snprintf(line, sizeof(line),
		 "Probes: %s hits took %s of CPU time in the programs (%s each), "
		 "%s of the machine",
		 hits, time, each, share);
	screen_put_wrapped(s, line, 0, INDENT);
	if (h->measured_ns >= h->window_ns || !h->window_ns)
		return;
	snprintf(line, sizeof(line),
		 "Probes were off in %s of the window: what ended then is missing", missing);
	screen_put_wrapped(s, line, 0, INDENT);
}

int screen_put_measured(const struct screen *s)
{
	u32 most = s->opt->rows ? s->opt->rows : ROWS, shown = 0;
	struct measured_rows rows;
	struct arena a;
	int r;

	if (!s->p->hdr.measured)
		return 0;
	arena__init(&a);
	r = measured_rows__build(s->p, s->opt->memo, &a, &rows);
	if (!r) {
		sink__puts(s->out, "\n");
		put_head(s, &rows);
		for (; shown < rows.len && shown < most; shown++)
			put_row(s, &rows.rows[shown]);
		put_rest(s, &rows, shown);
		put_cost(s);
	}
	arena__done(&a);
	return r;
}
