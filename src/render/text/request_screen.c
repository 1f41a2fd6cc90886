/* SPDX-License-Identifier: Apache-2.0 */
#include "render/text/request_screen.h"

#include <errno.h>

#include "analysis/name/waker_label.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/words/loss_text.h"
#include "render/words/path_text.h"
#include "render/words/request_text.h"

#define ROWS 10
#define SLOWEST 5
#define TIME_SZ 32
/* Waits of a slow request that are shown, the longest. */
#define WAITS_SHOWN 8

struct request_screen {
	const struct lanes *lanes;
	const struct profile *p;
	struct sink *out;
	struct causes causes;
	u32 rows;
	u32 slowest; /* of a class */
	bool all_waits; /* of each request: few were asked for */
};

static void put_time(const struct request_screen *s, u64 ns)
{
	char time[TIME_SZ];

	units_format_ns(ns, time, sizeof(time));
	sink__printf(s->out, "%*s", utf8_pad(time, 9), time);
}

static void put_length(const struct request_screen *s, const char *name, u64 ns)
{
	char time[TIME_SZ];

	units_format_ns(ns, time, sizeof(time));
	sink__printf(s->out, "%s %s", name, time);
}

static void put_rest(const struct request_screen *s, const struct request_rest *rest)
{
	if (rest->before)
		sink__printf(s->out, "%llu more began before the recording.\n", rest->before);
	if (rest->open)
		sink__printf(s->out,
			     "%llu more ha%s no end: failed, or went on when the recording "
			     "ended.\n",
			     rest->open, rest->open == 1 ? "s" : "ve");
	if (rest->nested)
		sink__printf(s->out, "%llu calls inside of a request are parts of it.\n",
			     rest->nested);
	if (rest->handed)
		sink__printf(s->out,
			     "%llu of them were answered by another thread than the one that "
			     "read: their parts are of the thread that had them.\n",
			     rest->handed);
	if (rest->overlapping)
		sink__printf(s->out,
			     "%llu of them overlap others of their thread: what it did meanwhile "
			     "counts in each.\n",
			     rest->overlapping);
}

static void put_head(const struct request_screen *s, const struct request_class *c)
{
	double seconds = (double)s->p->hdr.window_ns / 1e9;

	sink__puts(s->out, "Requests of ");
	utf8_put_harmless(s->out, c->name);
	sink__printf(s->out, ": %u", c->len);
	if (c->len && seconds > 0)
		sink__printf(s->out, ", %.1f/s", c->len / seconds);
	if (c->len) {
		put_length(s, ", p50", request_class__quantile_ns(c, 500));
		put_length(s, ", p90", request_class__quantile_ns(c, 900));
		put_length(s, ", p99", request_class__quantile_ns(c, 990));
		put_length(s, ", max", request_class__quantile_ns(c, 1000));
	}
	sink__puts(s->out, "\n");
	put_rest(s, &c->rest);
}

static void put_part(const struct request_screen *s, const struct request_class *c, u64 ns,
		     const char *what)
{
	if (!ns)
		return;
	put_time(s, ns);
	sink__printf(s->out, "%6.1f%%", 100. * (double)ns / (double)c->wall_ns);
	put_time(s, ns / c->len);
	sink__printf(s->out, "  %s\n", what);
}

/* All parts: they add up to the first row. */
static void put_parts(const struct request_screen *s, const struct request_class *c)
{
	bool seen[CAUSE_CNT] = { false };
	u32 i, cause;

	sink__puts(s->out, "\n     time  share     each  what the thread did meanwhile\n");
	put_part(s, c, c->wall_ns, "all");
	put_part(s, c, c->on_ns, "on a CPU");
	put_part(s, c, c->runq_ns, "waiting for a CPU");
	for (i = 0; i < CAUSE_CNT; i++) {
		u32 most = CAUSE_CNT;

		for (cause = 0; cause < CAUSE_CNT; cause++)
			if (!seen[cause] && c->cause_ns[cause] &&
			    (most == CAUSE_CNT || c->cause_ns[cause] > c->cause_ns[most]))
				most = cause;
		if (most == CAUSE_CNT)
			break;
		seen[most] = true;
		put_part(s, c, c->cause_ns[most], cause_name((enum cause)most));
	}
	put_part(s, c, c->idle_ns, "idle: waits for work");
	put_part(s, c, c->unknown_ns, "not known");
	put_part(s, c, c->unsplit_ns, "not split: no wakeups lead from the reading thread");
}

static void put_difference(const struct request_screen *s, const struct request_row *row)
{
	char time[TIME_SZ];
	double ns = row->slow_ns - row->middle_ns;

	units_format_ns((u64)(ns < 0 ? -ns : ns), time, sizeof(time));
	sink__printf(s->out, "%c%*s", ns < 0 ? '-' : '+', utf8_pad(time, 9), time);
	if (row->error_ns >= 0) {
		units_format_ns((u64)row->error_ns, time, sizeof(time));
		sink__printf(s->out, " ±%*s", utf8_pad(time, 9), time);
	}
	sink__puts(s->out, "  ");
	request_put_doing(row, s->out);
	sink__puts(s->out, "\n");
}

/* Rows of less than a 200th of the difference say nothing. */
static void put_differences(const struct request_screen *s, const struct request_class *c)
{
	double all_ns = 0;
	u32 i;

	if (!c->middle_len)
		return;
	for (i = 0; i < c->rows_len; i++)
		all_ns += c->rows[i].slow_ns - c->rows[i].middle_ns;
	sink__printf(s->out, "\nWhat the slowest 1 %% (%u request%s) did longer than ", c->slow_len,
		     units_plural(c->slow_len));
	if (c->middle_len == 1)
		sink__puts(s->out, "the one at the median:\n");
	else
		sink__printf(s->out, "the %u around the median, on average:\n", c->middle_len);
	for (i = 0; i < c->rows_len && i < s->rows; i++) {
		if (c->rows[i].slow_ns - c->rows[i].middle_ns > all_ns / 200)
			put_difference(s, &c->rows[i]);
	}
	if (c->slow_len == 1)
		sink__puts(s->out, "One request has no standard error.\n");
}

static void put_path(const struct request_screen *s, const struct path_table *path)
{
	u32 i;

	sink__puts(s->out, "\n     time  share  critical path of all of them: thread, and what it "
			   "did\n");
	for (i = 0; i < path->len && i < 2 * s->rows; i++) {
		put_time(s, path->rows[i].ns);
		sink__printf(s->out, "%6.1f%%  ",
			     100. * (double)path->rows[i].ns / (double)path->ns);
		path_put_threads(s->p, &path->rows[i], s->out);
		sink__puts(s->out, ": ");
		path_put_doing(&path->rows[i], s->out);
		sink__puts(s->out, "\n");
	}
	if (i < path->len)
		sink__printf(s->out, "%u more rows: -f json has them\n", path->len - i);
}

static void put_instant(const struct request_screen *s, u64 ns)
{
	u64 us = ns / NSEC_PER_USEC;

	sink__printf(s->out, "%4llu.%06llu", us / 1000000, us % 1000000);
}

static void put_wait(const struct request_screen *s, const struct request_piece *piece)
{
	const struct profile_moment *m = &s->p->moments[piece->moment - 1];
	char label[WAKER_LABEL_SZ];

	sink__puts(s->out, "  ");
	put_instant(s, piece->begin_ns);
	put_time(s, piece->ns);
	sink__printf(s->out, "  %s",
		     piece->part == REQUEST_RUNQ ? "waiting for a CPU" :
						   cause_name(causes__of(&s->causes, m->wait)));
	if (piece->part == REQUEST_BLOCKED && m->waker) {
		sink__puts(s->out, "; woken by ");
		utf8_put_harmless(s->out, waker_label(s->p, m->waker, label, sizeof(label)));
	}
	sink__puts(s->out, "\n");
}

/* The least length of the WAITS_SHOWN longest waits. */
static u64 shown_from(const struct vec *pieces)
{
	u64 low = 0, high = ~0ULL;

	while (low < high) {
		u64 mid = low + (high - low) / 2;
		u32 count = 0;

		for (size_t i = 0; i < pieces->len; i++) {
			const struct request_piece *piece = vec__at(pieces, i);

			count += piece->moment && piece->ns > mid;
		}
		if (count <= WAITS_SHOWN)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static int put_slow(const struct request_screen *s, const struct profile_request *req,
		    struct vec *pieces)
{
	const struct profile_task *t = &s->p->tasks[req->task];
	u64 above_ns;
	u32 left = 0;
	int r = request_pieces(s->lanes, req, pieces);

	put_instant(s, req->begin_ns);
	put_time(s, req->end_ns - req->begin_ns);
	sink__puts(s->out, "  ");
	utf8_put_harmless(s->out, profile__str(s->p, t->comm));
	sink__printf(s->out, "-%u", t->tid);
	if (req->writer) {
		t = &s->p->tasks[req->writer];
		sink__puts(s->out, ", answered by ");
		utf8_put_harmless(s->out, profile__str(s->p, t->comm));
		sink__printf(s->out, "-%u", t->tid);
	}
	if (req->trace)
		sink__printf(s->out, ", trace %s", profile__str(s->p, req->trace));
	sink__puts(s->out, "\n");
	above_ns = s->all_waits ? 0 : shown_from(pieces);
	for (size_t i = 0; i < pieces->len; i++) {
		const struct request_piece *piece = vec__at(pieces, i);

		if (piece->moment && piece->ns > above_ns)
			put_wait(s, piece);
		else
			left += piece->moment != 0;
	}
	if (left)
		sink__printf(s->out, "  %u shorter wait%s\n", left, units_plural(left));
	return r;
}

static int put_slowest(const struct request_screen *s, const struct request_class *c)
{
	u32 i, len = s->all_waits || c->shown_len < s->slowest ? c->shown_len : s->slowest;
	struct vec pieces;
	int r = 0;

	vec__init(&pieces, sizeof(struct request_piece));
	if (s->all_waits)
		sink__puts(s->out, "\nWith all of their waits, in the order of time:\n");
	else
		sink__printf(s->out,
			     "\nThe %u slowest, with their longest waits in the order of time:\n",
			     len);
	for (i = 0; i < len && !r; i++)
		r = put_slow(s, &c->shown[i], &pieces);
	vec__done(&pieces);
	return r;
}

static int put_class(const struct request_screen *s, const struct request_class *c,
		     const struct path_table *path)
{
	put_head(s, c);
	if (!c->len || !c->wall_ns)
		return 0;
	put_parts(s, c);
	put_differences(s, c);
	if (path && path->ns)
		put_path(s, path);
	return put_slowest(s, c);
}

/* The class with most time first. */
static int put_classes(const struct request_screen *s, const struct request_table *table,
		       const struct path_table *paths)
{
	u32 *order = mem_array(table->len, sizeof(*order));
	u32 i;
	int r = 0;

	if (!order && table->len)
		return -ENOMEM;
	request_table__by_time(table, order);
	for (i = 0; i < table->len && !r; i++) {
		r = put_class(s, &table->classes[order[i]], paths ? &paths[order[i]] : NULL);
		sink__puts(s->out, "\n");
	}
	mem_free(order);
	return r;
}

int request_screen_put(const struct lanes *lanes, const struct request_table *table,
		       const struct path_table *paths, const struct render_options *opt,
		       struct sink *out)
{
	struct request_screen s = {
		.lanes = lanes,
		.p = lanes->p,
		.out = out,
		.rows = opt->rows ? opt->rows : ROWS,
		.slowest = opt->rows ? opt->rows : SLOWEST,
		.all_waits = table->trace,
	};
	int r = causes__recall(&s.causes, s.p, opt->memo, NULL);

	if (!r)
		r = put_classes(&s, table, paths);
	losses_put(s.p, out);
	causes__done(&s.causes);
	return r;
}
