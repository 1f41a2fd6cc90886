/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows have the number of their rows, so a part of one is seen, and so are rows that came twice:
 * only then the server has to look for them.
 */
#include "fleet/loading.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/fleet_url.h"

#define TRIES 4

int loading__ask(struct loading *l, put_fn *put, take_fn *take, struct err *err)
{
	struct http_answer answer;
	struct sink sql;
	int r;

	sink__init_mem(&sql);
	put(&l->q, &sql);
	r = client__ask(&l->client, &sql, &answer, err);
	if (!r)
		r = take(l, view__of(answer.body.buf, answer.body.len), err);
	if (r == -EBADMSG)
		err__wrap(err, r, "%s", l->url.name);
	http_answer__done(&answer);
	sink__done(&sql);
	return r;
}

static int take_windows(struct loading *l, struct view body, struct err *err)
{
	return fleet_sums__take_windows(&l->sums, body, err);
}

int loading__take_numbers(struct view body, u64 *ret, size_t len, struct err *err)
{
	struct fleet_answer a;
	int r = fleet_answer__begin(&a, body, err);

	if (!r)
		r = fleet_answer__row(&a, err);
	for (size_t i = 0; i < len && r == 1; i++)
		ret[i] = fleet_answer__u64(&a);
	if (r == 1)
		r = fleet_answer__row(&a, err);
	else if (!r)
		r = err__set(err, -EBADMSG, "the answer has no row");
	fleet_answer__done(&a);
	return r == 1 ? err__set(err, -EBADMSG, "the answer has more than one row") : r;
}

/* When the first window begins and the last one ends, of any time. */
static int take_bounds(struct loading *l, struct view body, struct err *err)
{
	u64 at[3];
	int r = loading__take_numbers(body, at, ARRAY_LEN(at), err);

	if (r)
		return r;
	if (!at[2])
		return err__set(err, -ENOENT, "%s has no window%s", l->url.name,
				l->opt->hosts->len ? " of such a host: see --host" : "");
	l->found->span = (struct time_span){ at[0], at[1] };
	return 0;
}

static int find_span(struct loading *l, struct err *err)
{
	struct time_span whole = { 0, ~0ULL };
	int r = 0;

	if (time_range__is_relative(l->opt->range)) {
		r = loading__ask(l, question__bounds, take_bounds, err);
		whole = l->found->span;
	}
	if (!r)
		r = time_range__span(l->opt->range, whole.from_ns, whole.to_ns, &l->q.span, err);
	l->found->span = l->q.span;
	return r;
}

/* Nothing is in the range: says where something is. */
static int nothing(struct loading *l, struct err *err)
{
	char first[40], last[40];
	int r = loading__ask(l, question__bounds, take_bounds, err);

	if (r)
		return r;
	clock_format_wall(l->found->span.from_ns, first, sizeof(first));
	clock_format_wall(l->found->span.to_ns, last, sizeof(last));
	return err__set(err, -ENOENT, "no window in that time range: the windows are from %s to %s",
			first, last);
}

static bool has_repeats(const struct loading *l)
{
	for (size_t i = 0; i < l->sums.windows.len; i++) {
		const struct fleet_window *w = vec__at(&l->sums.windows, i);

		if (w->rows > w->different + w->unnumbered)
			return true;
	}
	return false;
}

static int find_windows(struct loading *l, struct err *err)
{
	int r = loading__ask(l, question__windows, take_windows, err);

	if (!r && !l->q.once && has_repeats(l)) {
		l->q.once = true;
		r = loading__ask(l, question__windows, take_windows, err);
	}
	return r || l->sums.windows.len ? r : nothing(l, err);
}

static u64 sum_of_windows(const struct loading *l)
{
	u64 ns = 0;

	for (size_t i = 0; i < l->sums.windows.len; i++)
		ns += ((const struct fleet_window *)vec__at(&l->sums.windows, i))->service_ns;
	return ns;
}

int loading__find(struct loading *l, put_fn *put, take_fn *take, const u64 *ns, struct err *err)
{
	int r = 0;

	for (u32 i = 0; i < TRIES && !r; i++) {
		r = find_windows(l, err);
		if (!r)
			r = loading__ask(l, put, take, err);
		if (!r && *ns == sum_of_windows(l))
			return 0;
	}
	return r ? r :
		   err__set(err, -EAGAIN,
			    "%s receives windows of this time faster than they can be read: end "
			    "the range in the past",
			    l->url.name);
}

/* One sentence for all of a kind. */
static int say_windows(struct loading *l, struct err *err)
{
	u64 part = 0, old = 0, endless = 0;
	char text[256];
	int r = 0;

	for (size_t i = 0; i < l->sums.windows.len; i++) {
		const struct fleet_window *w = vec__at(&l->sums.windows, i);

		part += w->different + w->unnumbered < w->sent;
		old += w->unnumbered;
		endless += !w->window_ns;
	}
	l->found->damaged = part;
	if (part) {
		snprintf(text, sizeof(text), "%llu of %zu windows lack rows at the server", part,
			 l->sums.windows.len);
		r = notices__add(l->notices, text);
	}
	if (old && !r) {
		snprintf(text, sizeof(text),
			 "%llu rows were sent by an older coldspot: if one of their windows was "
			 "sent twice, it counts twice",
			 old);
		r = notices__add(l->notices, text);
	}
	if (endless && !r)
		r = notices__add(l->notices,
				 "windows of an older coldspot have no length: they are chosen by "
				 "when they begin");
	return r ? err__nomem(err) : 0;
}

static int say_cut(struct loading *l, struct err *err)
{
	u64 first_ns = ~0ULL, last_ns = 0;
	char first[40], last[40], text[128];
	bool cut = false;

	for (size_t i = 0; i < l->sums.windows.len; i++) {
		const struct fleet_window *w = vec__at(&l->sums.windows, i);
		u64 end_ns = w->begin_ns + w->window_ns;

		first_ns = w->begin_ns < first_ns ? w->begin_ns : first_ns;
		last_ns = end_ns > last_ns ? end_ns : last_ns;
		cut |= time_span__cuts(&l->q.span, w->begin_ns, end_ns);
	}
	if (!cut)
		return 0;
	clock_format_wall(first_ns, first, sizeof(first));
	clock_format_wall(last_ns, last, sizeof(last));
	snprintf(text, sizeof(text), "windows are not split: showing %s to %s", first, last);
	return notices__add(l->notices, text) ? err__nomem(err) : 0;
}

/* Stores have the errors; rows do not. */
static int say_sampled(struct loading *l, struct err *err)
{
	u64 sampled = 0, unknown = 0;
	char text[256], more[128] = "";

	for (size_t i = 0; i < l->sums.windows.len; i++) {
		const struct fleet_window *w = vec__at(&l->sums.windows, i);

		sampled += w->sampled;
		unknown += !w->knows_sent;
	}
	if (!sampled && !unknown)
		return 0;
	if (unknown)
		snprintf(more, sizeof(more), ", and %llu of an older coldspot may be", unknown);
	snprintf(text, sizeof(text),
		 "%llu of %zu windows were sampled%s: sums are estimates, and the server does not "
		 "have their errors",
		 sampled, l->sums.windows.len, more);
	return notices__add(l->notices, text) ? err__nomem(err) : 0;
}

int loading__say(struct loading *l, struct err *err)
{
	int r = say_windows(l, err);

	if (!r)
		r = say_sampled(l, err);
	return r ? r : say_cut(l, err);
}

int loading__begin(struct loading *l, const struct fleet_options *opt, struct notices *notices,
		   struct fleet_found *found, struct err *err)
{
	int r;

	*l = (struct loading){
		.opt = opt,
		.q = { .hosts = opt->hosts, .services = opt->services },
		.notices = notices,
		.found = found,
	};
	*found = (struct fleet_found){ 0 };
	if (fleet_sums__init(&l->sums))
		return err__nomem(err);
	r = fleet_url_parse(&l->url, opt->url, err);
	if (!r)
		r = client__init(&l->client, &l->url, opt->stop, err);
	return r ? r : find_span(l, err);
}

void loading__done(struct loading *l)
{
	client__done(&l->client);
	fleet_sums__done(&l->sums);
}
