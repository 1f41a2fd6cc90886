/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json/json_summary.h"

#include <limits.h>

#include "analysis/model/blame.h"
#include "analysis/model/hints.h"
#include "analysis/model/hist.h"
#include "analysis/model/summary.h"
#include "profile/estimate.h"
#include "profile/state.h"
#include "render/json/json_patterns.h"

/* Causes are few; of places only the important ones: all waits are in the file as well. */
#define PLACES 20

/* null where all that is known is a sum. */
static void put_known(struct json *j, const char *key, bool known, u64 n)
{
	if (known)
		json__u64(j, key, n);
	else
		json__null(j, key);
}

static void put_row(struct json *j, const struct top_row *row)
{
	const char state[2] = { state_letter(row->state), '\0' };

	json__text(j, "cause", cause_name((enum cause)row->cause));
	json__text(j, "class", class_name((enum wait_class)row->class));
	json__text(j, "syscall", row->syscall);
	json__text(j, "state", state);
	json__u64(j, "blocked_ns", row->blocked_ns);
	json__u64(j, "runq_ns", row->runq_ns);
	json__u64(j, "se_ns", estimate_se_ns(row->var_us2));
	put_known(j, "count", row->count || !row->summed, row->count);
	put_known(j, "p99_ns", row->max_ns || !row->summed,
		  hist_quantile_bound_ns(row->hist, 990, row->max_ns));
	put_known(j, "max_ns", row->max_ns || !row->summed, row->max_ns);
}

static void put_waiting_for(struct json *j, const struct blame_part *part)
{
	u32 i;

	json__array(j, "waiting_for");
	for (i = 1; i < BLAME_LINKS && *part->who[i]; i++)
		json__text(j, NULL, part->who[i]);
	json__end_array(j);
}

/* Who let the waits last, and what those did meanwhile. */
static void put_blame(struct json *j, const struct blame *blame)
{
	u32 i;

	json__array(j, "blame");
	for (i = 0; i < blame->len; i++) {
		const struct blame_part *part = &blame->parts[i];
		bool own = part->kind == BLAME_BLOCKED && part->class != CLASS_NONE;

		json__object(j, NULL);
		json__text(j, "who", *part->who[0] ? part->who[0] : NULL);
		put_waiting_for(j, part);
		json__text(j, "did", blame_kind_name(part->kind));
		json__text(j, "cause", own ? cause_name((enum cause)part->cause) : NULL);
		json__text(j, "class", own ? class_name((enum wait_class)part->class) : NULL);
		json__text(j, "object", *part->object ? part->object : NULL);
		json__text(j, "site", *part->place ? part->place : NULL);
		json__u64(j, "ns", part->ns);
		json__end_object(j);
	}
	json__end_array(j);
}

static void put_kind(struct json *j, const struct top_row *row, const struct blame *blame)
{
	put_row(j, row);
	json__text(j, "hint", top_row__hint(row));
	if (blame)
		put_blame(j, blame);
}

static void put_place(struct json *j, const struct top_row *row, const struct blame *blame)
{
	(void)blame;
	put_row(j, row);
	json__text(j, "process", row->comm);
	json__text(j, "library", row->library);
	json__text(j, "site", row->user);
	json__text(j, "kernel", row->kernel);
	json__text(j, "object", row->object);
}

static void put_rows(struct json *j, const char *key, const struct top *top, u32 max,
		     const struct blame *blames,
		     void (*put)(struct json *, const struct top_row *, const struct blame *))
{
	u32 i;

	json__array(j, key);
	for (i = 0; i < top->len && i < max; i++) {
		json__object(j, NULL);
		put(j, &top->rows[i], blames ? &blames[i] : NULL);
		json__end_object(j);
	}
	json__end_array(j);
}

/* Hints, in the order and number of the summary on the terminal. */
static void put_hints(struct json *j, const struct hints *hints)
{
	u32 i;

	json__array(j, "hints");
	for (i = 0; i < hints->len; i++) {
		const struct hint *h = &hints->list[i];

		json__object(j, NULL);
		json__text(j, "cause", cause_name(h->cause));
		json__text(j, "name", h->name);
		json__u64(j, "blocked_ns", h->blocked_ns);
		json__u64(j, "runq_ns", h->runq_ns);
		json__text(j, "hint", h->text);
		json__end_object(j);
	}
	json__end_array(j);
}

static void put_requests(struct json *j, const struct profile *p, const struct summary *s,
			 u64 milli_per_s)
{
	struct summary_requests q;

	if (!milli_per_s) {
		json__null(j, "requests");
		return;
	}
	summary_requests_of(p, s, milli_per_s, &q);
	json__object(j, "requests");
	json__real(j, "per_s", (double)milli_per_s / 1000);
	json__u64(j, "on_ns", q.on_ns);
	json__u64(j, "runq_ns", q.runq_ns);
	json__u64(j, "blocked_ns", q.blocked_ns);
	json__real(j, "threads", (double)q.threads_milli / 1000);
	if (s->idle_known)
		json__real(j, "busy", (double)q.busy_milli / 1000);
	else
		json__null(j, "busy");
	json__end_object(j);
}

static void put_idle(struct json *j, const struct summary *s, const char *key, u64 n)
{
	if (s->idle_known)
		json__u64(j, key, n);
	else
		json__null(j, key);
}

int json_summary_put(struct json *j, const struct profile *p, const struct render_options *opt)
{
	struct blame *blames;
	struct hints hints;
	struct summary s;
	struct arena a;
	int r;

	arena__init(&a);
	r = summary__build(p, opt->memo, &a, &s, NULL);
	if (!r)
		r = blame__build_rows(p, &s.kinds, opt->memo, &a, &blames, NULL);
	if (!r)
		r = hints__choose(p, opt->memo, &s.kinds, &hints);
	if (!r) {
		json__object(j, "summary");
		json__u64(j, "blocked_ns", s.blocked_ns);
		json__u64(j, "runq_ns", s.runq_ns);
		put_idle(j, &s, "idle_ns", s.idle_ns);
		put_idle(j, &s, "idle_se_ns", estimate_se_ns(s.idle_var_us2));
		json__u64(j, "bad_ns", s.bad_ns);
		put_requests(j, p, &s, opt->requests_milli);
		put_hints(j, &hints);
		put_rows(j, "kinds", &s.kinds, UINT_MAX, blames, put_kind);
		put_rows(j, "waits", &s.waits, PLACES, NULL, put_place);
		if (blames)
			put_blame(j, &blames[s.kinds.len]);
		r = json_patterns_put(j, p, opt);
		json__end_object(j);
	}
	arena__done(&a);
	return r;
}
