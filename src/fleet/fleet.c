/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three statements: which windows, their sums, and the stacks of these. Windows have the number of
 * their rows, so a part of one is seen, and so are rows that came twice: only then the server has
 * to look for them. Windows may come between two statements; then sums differ, and it asks again.
 */
#include "fleet/fleet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "fleet/client.h"
#include "fleet/fleet_head.h"
#include "fleet/fleet_url.h"
#include "fleet/question.h"
#include "fleet/sums.h"

#define TRIES 4

struct loading {
	const struct fleet_options *opt;
	struct push_url url;
	struct client client;
	struct question q;
	struct fleet_sums sums;
	struct notices *notices;
	struct fleet_found *found;
	u64 threads; /* of any service; 0: not asked */
};

typedef void put_fn(const struct question *q, struct sink *sql);
typedef int take_fn(struct loading *l, struct view body, struct err *err);

static int ask(struct loading *l, put_fn *put, take_fn *take, struct err *err)
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

static int take_sums(struct loading *l, struct view body, struct err *err)
{
	return fleet_sums__take_sums(&l->sums, body, err);
}

static int take_stacks(struct loading *l, struct view body, struct err *err)
{
	return fleet_sums__take_stacks(&l->sums, body, err);
}

/* A row of numbers, the only one. */
static int take_numbers(struct view body, u64 *ret, size_t len, struct err *err)
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

static int take_threads(struct loading *l, struct view body, struct err *err)
{
	return take_numbers(body, &l->threads, 1, err);
}

/* When the first window begins and the last one ends, of any time. */
static int take_bounds(struct loading *l, struct view body, struct err *err)
{
	u64 at[3];
	int r = take_numbers(body, at, ARRAY_LEN(at), err);

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
		r = ask(l, question__bounds, take_bounds, err);
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
	int r = ask(l, question__bounds, take_bounds, err);

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

		if (w->rows > w->last_row + w->unnumbered)
			return true;
	}
	return false;
}

static int find_windows(struct loading *l, struct err *err)
{
	int r = ask(l, question__windows, take_windows, err);

	if (!r && !l->q.once && has_repeats(l)) {
		l->q.once = true;
		r = ask(l, question__windows, take_windows, err);
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

static int find_sums(struct loading *l, struct err *err)
{
	int r = 0;

	for (u32 i = 0; i < TRIES && !r; i++) {
		r = find_windows(l, err);
		if (!r)
			r = ask(l, question__sums, take_sums, err);
		if (!r && l->sums.ns == sum_of_windows(l))
			return 0;
	}
	return r ? r :
		   err__set(err, -EAGAIN,
			    "windows of this time arrive at %s faster than they can be read: end "
			    "the range with --until",
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

		part += w->rows - w->unnumbered < w->last_row;
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

static int say_stacks(struct loading *l, struct err *err)
{
	char text[128];

	if (!l->sums.unknown_stacks)
		return 0;
	snprintf(text, sizeof(text), "the server no longer has the stacks of %llu waits",
		 l->sums.unknown_stacks);
	return notices__add(l->notices, text) ? err__nomem(err) : 0;
}

static int build(struct loading *l, struct profile **ret, struct err *err)
{
	struct import_options import = l->opt->import;
	const struct fleet_head head = {
		.sums = &l->sums,
		.services = l->opt->services,
		.name = l->url.name,
		.threads = l->threads,
	};
	struct gather g;
	int r;

	import.name = l->url.name;
	r = gather__init(&g, &import);
	if (!r)
		r = fleet_sums__gather(&l->sums, &g);
	if (r == -ENOMEM)
		err__nomem(err);
	else if (r)
		err__set(err, r, "'%s': times add up to more than a number can hold", l->url.name);
	if (!r)
		r = say_stacks(l, err);
	if (!r)
		r = fleet_head__finish(&head, &g, ret, err);
	gather__done(&g);
	return r;
}

static int load(struct loading *l, struct profile **ret, struct err *err)
{
	int r = client__init(&l->client, &l->url, l->opt->stop, err);

	if (!r)
		r = find_span(l, err);
	if (!r)
		r = find_sums(l, err);
	if (!r && !l->sums.sums.len)
		r = err__set(err, -ENOENT,
			     "nothing selected: --service matches no wait of %zu "
			     "windows",
			     l->sums.windows.len);
	if (!r)
		r = ask(l, question__stacks, take_stacks, err);
	if (!r && l->opt->services->len)
		r = ask(l, question__threads, take_threads, err);
	if (!r)
		r = say_windows(l, err);
	if (!r)
		r = say_cut(l, err);
	return r ? r : build(l, ret, err);
}

int fleet_load(const struct fleet_options *opt, struct notices *notices, struct profile **ret,
	       struct fleet_found *found, struct err *err)
{
	struct loading l = {
		.opt = opt,
		.q = { .hosts = opt->hosts, .services = opt->services },
		.notices = notices,
		.found = found,
	};
	int r = fleet_url_parse(&l.url, opt->url, err);

	*ret = NULL;
	*found = (struct fleet_found){ 0 };
	if (r)
		return r;
	if (fleet_sums__init(&l.sums))
		r = err__nomem(err);
	if (!r)
		r = load(&l, ret, err);
	client__done(&l.client);
	fleet_sums__done(&l.sums);
	return r;
}
