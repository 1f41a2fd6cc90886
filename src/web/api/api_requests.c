/* SPDX-License-Identifier: Apache-2.0 */
/* What requests took and what they waited for, as `report --requests` and `report --trace` say. */
#include <errno.h>
#include <stdio.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/path/request_report.h"
#include "analysis/path/request_trace.h"
#include "render/json/json_requests.h"
#include "render/text/request_screen.h"
#include "web/api/routes.h"
#include "web/ask/ask.h"
#include "web/source/picked.h"

enum form { FORM_JSON, FORM_SUMMARY };

static const char *const form_names[] = { "json", "summary", NULL };

struct asked {
	struct ask ask;
	const char *trace; /* NULL: requests of all */
	bool critical_path;
	u32 form; /* enum form */
};

static int parse(struct asked *asked, struct query *q, struct err *err)
{
	int r = ask__init_windows(&asked->ask, q, err);

	asked->trace = query__text(q, "trace");
	if (!r && asked->trace && request_trace_check(asked->trace, err))
		r = err__wrap(err, -EINVAL, "parameter 'trace'");
	if (!r)
		r = query__flag(q, "critical-path", &asked->critical_path, err);
	if (!r)
		r = query__choice(q, "format", form_names, &asked->form, err);
	return r ? r : query__check(q, err);
}

static int put(const struct asked *asked, const struct lanes *lanes, struct cause_memo *memo,
	       struct arena *arena, struct answer *a, struct err *err)
{
	const struct render_options opt = { .memo = memo };
	struct request_report rr = { .trace = asked->trace, .critical_path = asked->critical_path };
	int r = request_report__build(lanes, memo, arena, &rr, err);

	if (r)
		return r;
	if (asked->form == FORM_JSON)
		r = json_requests_put(lanes, &rr.table, rr.paths, memo, &a->body);
	else
		r = request_screen_put(lanes, &rr.table, rr.paths, &opt, &a->body);
	return r ? err__nomem(err) : 0;
}

static int answer_requests(struct web *w, const struct asked *asked, const struct profile *p,
			   struct answer *a, struct err *err)
{
	struct cause_memo memo = { .p = p, .rules = w->opt.rules };
	struct lanes lanes = { 0 };
	struct arena arena;
	int r;

	arena__init(&arena);
	r = lanes__init(&lanes, p) ? err__nomem(err) : put(asked, &lanes, &memo, &arena, a, err);
	lanes__done(&lanes);
	arena__done(&arena);
	cause_memo__done(&memo);
	a->mime = asked->form == FORM_JSON ? MIME_JSON : "text/plain; charset=utf-8";
	return r;
}

int api_requests(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	struct asked asked = { 0 };
	struct picked picked;
	struct pick pick;
	int r = parse(&asked, &rq->query, err);

	if (!r)
		r = web__enter(w, err);
	if (r)
		goto out;
	pick = pick_of(&asked.ask);
	r = picked__init(&picked, w, &pick, err);
	if (!r && !w->opt.requests)
		r = request_table_check(picked.p, err);
	if (!r)
		r = answer_requests(w, &asked, picked.p, a, err);
	picked__done(&picked);
	web__leave(w);
out:
	ask__done(&asked.ask);
	return r;
}
