/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json_summary.h"

#include <limits.h>

#include "analysis/hints.h"
#include "analysis/hist.h"
#include "analysis/summary.h"
#include "profile/estimate.h"
#include "profile/state.h"
#include "render/json_value.h"

/* Kinds are few; of places only those that matter: all waits are in the file as well. */
#define PLACES 20

static json_t *row_object(const struct top_row *row)
{
	const char state[2] = { state_letter(row->state), '\0' };

	return json_pack("{s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "cause",
			 cause_name((enum cause)row->cause), "class",
			 class_name((enum wait_class)row->class), "syscall",
			 json_value_text(row->syscall), "state", state, "blocked_ns",
			 json_value_number(row->blocked_ns), "runq_ns",
			 json_value_number(row->runq_ns), "se_ns",
			 json_value_number(estimate_se_ns(row->var_us2)), "count",
			 json_value_number(row->count), "p99_ns",
			 json_value_number(hist_quantile_bound_ns(row->hist, 990, row->max_ns)),
			 "max_ns", json_value_number(row->max_ns));
}

static json_t *kind_object(const struct top_row *row)
{
	json_t *o = row_object(row);

	if (o && json_object_set_new(o, "hint", json_value_text(top_row__hint(row)))) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *place_object(const struct top_row *row)
{
	json_t *o = row_object(row);

	if (o && (json_object_set_new(o, "process", json_value_text(row->comm)) ||
		  json_object_set_new(o, "library", json_value_text(row->library)) ||
		  json_object_set_new(o, "site", json_value_text(row->user)) ||
		  json_object_set_new(o, "kernel", json_value_text(row->kernel)))) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *rows(const struct top *top, u32 max, json_t *(*object)(const struct top_row *))
{
	json_t *array = json_array();
	u32 i;

	for (i = 0; array && i < top->len && i < max; i++) {
		if (!json_array_append_new(array, object(&top->rows[i])))
			continue;
		json_decref(array);
		return NULL;
	}
	return array;
}

/* What to look at next, in the order and as often as the summary on the terminal says it. */
static json_t *hint_objects(const struct top *kinds)
{
	json_t *array = json_array(), *o;
	struct hints hints;
	u32 i;

	hints__choose(kinds, &hints);
	for (i = 0; array && i < hints.len; i++) {
		const struct hint *h = &hints.list[i];

		o = json_pack("{s:s, s:s, s:o, s:o, s:s}", "cause", cause_name(h->cause), "name",
			      h->name, "blocked_ns", json_value_number(h->blocked_ns), "runq_ns",
			      json_value_number(h->runq_ns), "hint", h->text);
		if (!json_array_append_new(array, o))
			continue;
		json_decref(array);
		return NULL;
	}
	return array;
}

static json_t *requests(const struct profile *p, const struct summary *s, u64 milli_per_s)
{
	struct summary_requests q;

	if (!milli_per_s)
		return json_null();
	summary_requests_of(p, s, milli_per_s, &q);
	return json_pack("{s:f, s:o, s:o, s:o, s:f, s:o}", "per_s", (double)milli_per_s / 1000,
			 "on_ns", json_value_number(q.on_ns), "runq_ns",
			 json_value_number(q.runq_ns), "blocked_ns",
			 json_value_number(q.blocked_ns), "threads", (double)q.threads_milli / 1000,
			 "busy",
			 s->idle_known ? json_real((double)q.busy_milli / 1000) : json_null());
}

static json_t *idle_number(const struct summary *s, u64 n)
{
	return s->idle_known ? json_value_number(n) : json_null();
}

json_t *json_summary(const struct profile *p, const struct render_options *opt)
{
	json_t *o = NULL;
	struct summary s;
	struct arena a;

	arena__init(&a);
	if (!summary__build(p, opt->memo, &a, &s, NULL))
		o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "blocked_ns",
			      json_value_number(s.blocked_ns), "idle_ns",
			      idle_number(&s, s.idle_ns), "idle_se_ns",
			      idle_number(&s, estimate_se_ns(s.idle_var_us2)), "bad_ns",
			      json_value_number(s.bad_ns), "requests",
			      requests(p, &s, opt->requests_milli), "hints", hint_objects(&s.kinds),
			      "kinds", rows(&s.kinds, UINT_MAX, kind_object), "waits",
			      rows(&s.waits, PLACES, place_object));
	arena__done(&a);
	return o;
}
