/* SPDX-License-Identifier: Apache-2.0 */
#include "render/json_summary.h"

#include <limits.h>

#include "analysis/hist.h"
#include "analysis/summary.h"
#include "base/mem.h"
#include "profile/estimate.h"
#include "profile/state.h"
#include "render/utf8.h"

/* Kinds are few; of places only those that matter: all waits are in the file as well. */
#define PLACES 20

static json_t *number(u64 n)
{
	return json_integer(n > LLONG_MAX ? LLONG_MAX : (json_int_t)n);
}

static json_t *text(const char *s)
{
	char *clean = s ? utf8_clean(s) : NULL;
	json_t *value = clean ? json_string(clean) : s ? NULL : json_null();

	mem_free(clean);
	return value;
}

static json_t *row_object(const struct top_row *row)
{
	const char state[2] = { state_letter(row->state), '\0' };

	return json_pack("{s:s, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "cause",
			 cause_name((enum cause)row->cause), "class",
			 class_name((enum wait_class)row->class), "syscall", text(row->syscall),
			 "state", state, "blocked_ns", number(row->blocked_ns), "runq_ns",
			 number(row->runq_ns), "se_ns", number(estimate_se_ns(row->var_us2)),
			 "count", number(row->count), "p99_ns",
			 number(hist_quantile_bound_ns(row->hist, 990, row->max_ns)), "max_ns",
			 number(row->max_ns));
}

static json_t *kind_object(const struct top_row *row)
{
	json_t *o = row_object(row);

	if (o && json_object_set_new(o, "hint", text(top_row__hint(row)))) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *place_object(const struct top_row *row)
{
	json_t *o = row_object(row);

	if (o && (json_object_set_new(o, "process", text(row->comm)) ||
		  json_object_set_new(o, "library", text(row->library)) ||
		  json_object_set_new(o, "site", text(row->user)) ||
		  json_object_set_new(o, "kernel", text(row->kernel)))) {
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

static json_t *requests(const struct profile *p, const struct summary *s, u64 milli_per_s)
{
	struct summary_requests q;

	if (!milli_per_s)
		return json_null();
	summary_requests_of(p, s, milli_per_s, &q);
	return json_pack("{s:f, s:o, s:o, s:o, s:f, s:f}", "per_s", (double)milli_per_s / 1000,
			 "on_ns", number(q.on_ns), "runq_ns", number(q.runq_ns), "blocked_ns",
			 number(q.blocked_ns), "threads", (double)q.threads_milli / 1000, "busy",
			 (double)q.busy_milli / 1000);
}

json_t *json_summary(const struct profile *p, const struct render_options *opt)
{
	json_t *o = NULL;
	struct summary s;
	struct arena a;

	arena__init(&a);
	if (!summary__build(p, opt->memo, &a, &s, NULL))
		o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "blocked_ns",
			      number(s.blocked_ns), "idle_ns", number(s.idle_ns), "idle_se_ns",
			      number(estimate_se_ns(s.idle_var_us2)), "bad_ns", number(s.bad_ns),
			      "requests", requests(p, &s, opt->requests_milli), "kinds",
			      rows(&s.kinds, UINT_MAX, kind_object), "waits",
			      rows(&s.waits, PLACES, place_object));
	arena__done(&a);
	return o;
}
