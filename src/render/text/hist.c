/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histograms of wait lengths: of all waits, or of each group. The text looks like that of bcc's
 * cpudist and runqlat, but with the real bucket boundaries: powers of two of 1.024 us.
 *
 * A recording has one histogram per sum of waits, of the total time off the CPU. So these are of
 * whole waits; if a wait is only waiting for a CPU (state R), that is what they show. The two parts
 * of other waits are unknown and not shown. If thread histograms were kept and answer the question,
 * hist_threads.c shows them.
 */
#include <errno.h>

#include "analysis/model/hist.h"
#include "analysis/model/top.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "render/text/hist_bar.h"
#include "render/text/hist_threads.h"
#include "render/by_waker.h"
#include "render/words/loss_text.h"
#include "render/render.h"
#include "render/words/scope_text.h"

struct hists {
	const struct profile *p;
	const struct render_options *opt;
	struct sink *out;
	struct top top; /* one row per histogram */
	struct top_row all;
	u64 cut; /* waits with a part outside the window */
	u64 unknown_ns; /* of waits whose lengths are unknown */
};

/* Waits whose length is known: lost ones are in no bucket. */
static u64 bucket_sum(const struct top_row *row)
{
	u64 sum = 0;

	for (u32 i = 0; i < PROFILE_HIST_LEN; i++)
		sum += row->hist[i];
	return sum;
}

static void add_up(struct hists *h)
{
	u32 i, b;

	for (i = 0; i < h->top.len; i++) {
		const struct top_row *row = &h->top.rows[i];

		h->all.blocked_ns += row->blocked_ns;
		h->all.runq_ns += row->runq_ns;
		if (row->max_ns > h->all.max_ns)
			h->all.max_ns = row->max_ns;
		for (b = 0; b < PROFILE_HIST_LEN; b++)
			h->all.hist[b] += row->hist[b];
	}
	for (i = 1; i < h->p->waits_len; i++) {
		const struct profile_wait *w = &h->p->waits[i];

		if (w->flags & (WAIT_PRE | WAIT_OPEN))
			h->cut += w->count;
		if (w->flags & (WAIT_NO_LENGTHS | WAIT_VISITED) ||
		    (h->p->hdr.visit_hz && !w->count))
			h->unknown_ns += w->blocked_ns + w->runq_ns;
	}
}

/* The range of used buckets; false if there is none. */
static bool range_of(const struct top_row *row, u32 *ret_first, u32 *ret_last)
{
	u32 i, n = 0;

	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		if (!row->hist[i])
			continue;
		if (!n++)
			*ret_first = i;
		*ret_last = i;
	}
	return n;
}

static void put_quantiles(const struct hists *h, const struct top_row *row)
{
	static const u32 permille[] = { 500, 900, 990 };
	char time[32];
	size_t i;

	for (i = 0; i < ARRAY_LEN(permille); i++) {
		units_format_ns(hist_quantile_bound_ns(row->hist, permille[i], row->max_ns), time,
				sizeof(time));
		sink__printf(h->out, "%s%u%% <= %s", i ? ", " : "     ", permille[i] / 10, time);
	}
	units_format_ns(row->max_ns, time, sizeof(time));
	sink__printf(h->out, ", longest %s\n", time);
}

static void put_hist(const struct hists *h, const struct top_row *row)
{
	u64 most = 0;
	u32 first = 0, last = 0, i;

	if (!range_of(row, &first, &last))
		return;
	for (i = first; i <= last; i++) {
		if (row->hist[i] > most)
			most = row->hist[i];
	}
	hist_bar_head(h->out, "time off the CPU");
	for (i = first; i <= last; i++)
		hist_bar(h->out, hist_floor_ns(i), hist_ceil_ns(i), row->hist[i], most);
	put_quantiles(h, row);
}

static void put_name(const struct hists *h, const struct top_row *row)
{
	u64 waits = bucket_sum(row);
	char count[32], time[32];

	hist_bar_name(h->out, row->group);
	units_format_count(waits, count, sizeof(count));
	units_format_ns(top_row__ns(row), time, sizeof(time));
	sink__printf(h->out, ": %s wait%s, %s\n", count, units_plural(waits), time);
}

static void put_foot(const struct hists *h)
{
	char text[SCOPE_TEXT_SZ];

	sink__puts(h->out, "\n");
	if (profile__is_sampled(h->p))
		sink__puts(h->out, "Counts are estimates: waits were sampled.\n");
	if (h->cut) {
		units_format_count(h->cut, text, sizeof(text));
		sink__printf(h->out,
			     "%s of these cross the start or end of the window: only the part "
			     "inside counts.\n",
			     text);
	}
	if (h->unknown_ns) {
		units_format_ns(h->unknown_ns, text, sizeof(text));
		sink__printf(h->out, "%s are in %s, whose lengths are not known.\n", text,
			     h->p->hdr.unknown & UNKNOWN_LENGTHS ? "sums of waits" :
			     h->p->hdr.visit_hz			 ? "waits that visits found" :
								   "lost waits");
	}
	losses_put(h->p, h->out);
}

static void put_head(const struct hists *h)
{
	char text[SCOPE_TEXT_SZ];
	enum scope scope;

	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(h->p, scope, text, sizeof(text)))
			sink__printf(h->out, "%s\n", text);
	}
	if (!top_row__ns(&h->all) && !h->unknown_ns)
		sink__puts(h->out, "No thread waited in this window.\n");
}

static void put_text(const struct hists *h)
{
	u32 shown = 0, i;

	put_head(h);
	if (!h->opt->groups)
		put_hist(h, &h->all);
	for (i = 0; h->opt->groups && i < h->top.len; i++) {
		if (!bucket_sum(&h->top.rows[i]))
			continue;
		if (h->opt->rows && shown == h->opt->rows) {
			sink__puts(h->out, "\nMore are not shown.\n");
			break;
		}
		if (shown++)
			sink__puts(h->out, "\n");
		put_name(h, &h->top.rows[i]);
		put_hist(h, &h->top.rows[i]);
	}
	put_foot(h);
}

static void put_json_hist(const struct top_row *row, struct json *to)
{
	u32 i;

	json__object(to, NULL);
	json__text(to, "name", row->group);
	json__u64(to, "count", bucket_sum(row));
	json__u64(to, "off_ns", top_row__ns(row));
	json__u64(to, "max_ns", row->max_ns);
	json__array(to, "buckets");
	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		if (row->hist[i])
			hist_bar_json(to, hist_floor_ns(i), hist_ceil_ns(i), row->hist[i]);
	}
	json__end_array(to);
	json__end_object(to);
}

static void put_json(const struct hists *h)
{
	struct json to = JSON_TO(h->out);
	u32 i;

	hist_json_head(&to, h->p, NULL);
	json__line(&to);
	json__u64(&to, "cut", h->cut);
	json__line(&to);
	json__u64(&to, "unknown_ns", h->unknown_ns);
	json__line(&to);
	json__key_line(&to, "all");
	put_json_hist(&h->all, &to);
	json__line(&to);
	json__array(&to, "groups");
	for (i = 0; h->opt->groups && i < h->top.len; i++) {
		json__line(&to);
		put_json_hist(&h->top.rows[i], &to);
	}
	hist_json_foot(&to);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  void (*put)(const struct hists *), struct err *err)
{
	struct hists h = { .p = p, .opt = opt, .out = out };
	struct by_waker rows;
	struct arena a;
	int r = by_waker__init(&rows, p, opt, err);

	arena__init(&a);
	if (!r)
		r = top__build_groups(rows.p, (struct top_groups){ opt->root, false }, rows.memo,
				      &a, &h.top, err);
	if (!r) {
		add_up(&h);
		put(&h);
	}
	by_waker__done(&rows);
	arena__done(&a);
	return r;
}

static int render_as_text(const struct profile *p, const struct render_options *opt,
			  struct sink *out, struct err *err)
{
	bool threads;
	int r = hist_threads_wanted(p, opt, &threads, err);

	if (r || threads)
		return r ? r : hist_threads_text(p, opt, out, err);
	return render(p, opt, out, put_text, err);
}

static int render_as_json(const struct profile *p, const struct render_options *opt,
			  struct sink *out, struct err *err)
{
	bool threads;
	int r = hist_threads_wanted(p, opt, &threads, err);

	if (r || threads)
		return r ? r : hist_threads_json(p, opt, out, err);
	return render(p, opt, out, put_json, err);
}

const struct render_ops render_hist = {
	.name = "hist",
	.endings = ".hist.txt",
	.mime = "text/plain; charset=utf-8",
	.help = "histograms of the lengths of waits",
	.takes_root = true,
	.is_screen = true,
	.render = render_as_text,
};

const struct render_ops render_hist_json = {
	.name = "hist-json",
	.endings = ".hist.json",
	.mime = "application/json",
	.help = "histograms of the lengths of waits, for programs: docs/formats.md",
	.takes_root = true,
	.render = render_as_json,
};
