/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in every format of `report`, and as the page reads them. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/view/time_view.h"
#include "base/clock.h"
#include "render/page/page_data.h"
#include "render/render.h"
#include "web/ask/ask.h"
#include "web/source/picked.h"
#include "web/api/routes.h"

#define FORMAT_PAGE "page"
#define MAX_SECONDS 300
/* The least width of a graph, as of the option. */
#define MIN_WIDTH 400

static int check_view(const struct ask *a, const struct profile *p, struct err *err)
{
	if (a->render.view >= VIEW_ON && !profile__has_on_cpu(p))
		return err__set(err, -EINVAL,
				"parameter 'view': needs samples of CPUs; record with --on-cpu");
	if (a->render.wakers && !p->hdr.wakers)
		return err__set(
			err, -EINVAL,
			"parameter 'wakers': the recording has no wakers; record with --wakers");
	if (a->render.width && a->render.width < MIN_WIDTH)
		return err__set(err, -EINVAL, "parameter 'width': the minimum is %d", MIN_WIDTH);
	return 0;
}

/* "offcpu.pb.gz": the first ending of the format. */
static void name_file(struct answer *a, const struct render_ops *format)
{
	int len = (int)strcspn(format->endings, " ");

	snprintf(a->file, sizeof(a->file), "coldspot%.*s", len, format->endings);
}

static int render_as(const struct profile *p, const struct ask *ask, const char *name,
		     struct web *w, struct answer *a, struct err *err)
{
	const struct render_ops *format = render_find(name);
	struct cause_memo memo = { .p = p, .rules = w->opt.rules };
	struct render_options opt = ask->render;
	int r;

	opt.memo = &memo;
	opt.requests = w->opt.requests;
	if (!format) { /* checked before */
		a->mime = "application/octet-stream";
		r = page_data_put(p, &opt, &a->body, err);
	} else {
		a->mime = format->mime;
		a->packed = !strcmp(format->name, "pprof");
		name_file(a, format);
		r = render_check(format, p, err);
		if (!r)
			r = format->render(p, &opt, &a->body, err);
	}
	cause_memo__done(&memo);
	return r;
}

static int check_format(const char *name, struct err *err)
{
	char known[400] = FORMAT_PAGE;
	size_t len = strlen(known), i;

	if (!strcmp(name, FORMAT_PAGE) || render_find(name))
		return 0;
	for (i = 0; render_formats[i] && len < sizeof(known); i++)
		len += (size_t)snprintf(known + len, sizeof(known) - len, ", %s",
					render_formats[i]->name);
	return err__set(err, -EINVAL, "parameter 'format': '%.20s' is not one of %s", name, known);
}

static int answer_profile(struct web *w, const struct ask *ask, const char *format,
			  struct answer *a, struct err *err)
{
	const struct pick pick = pick_of(ask);
	struct picked picked;
	int r = web__enter(w, err);

	if (r)
		return r;
	r = picked__init(&picked, w, &pick, err);
	if (!r)
		r = check_view(ask, picked.p, err);
	if (!r)
		r = render_as(picked.p, ask, format, w, a, err);
	picked__done(&picked);
	web__leave(w);
	return r;
}

/* What only servers of the past are asked for. */
static int ask_past(const struct web *w, struct query *q, struct ask *ask, struct err *err)
{
	int r = 0;

	if (w->opt.mode == WEB_STORE || w->opt.mode == WEB_FLEET)
		r = ask_time(q, &ask->time, err);
	if (!r && w->opt.mode == WEB_FLEET)
		r = ask_fleet(ask, q, err);
	if (!r && w->opt.mode == WEB_FLEET && ask->last)
		r = err__set(err, -EINVAL,
			     "parameter 'last': windows of many hosts have no order; use since=");
	return r;
}

int api_profile(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	const char *format = query__text(&rq->query, "format");
	struct ask ask;
	int r = ask__init(&ask, &rq->query, err);

	if (!format)
		format = "json";
	if (!r)
		r = check_format(format, err);
	if (!r)
		r = ask_past(w, &rq->query, &ask, err);
	if (!r)
		r = query__check(&rq->query, err);
	if (!r)
		r = answer_profile(w, &ask, format, a, err);
	ask__done(&ask);
	return r;
}

/* Waits until windows of that length have ended; the first one of them is the one that is open. */
static int await(struct web *w, u64 seconds, struct query_range *ret, struct err *err)
{
	u64 until_ns = clock_mono_ns() + (seconds + 5) * NSEC_PER_SEC + w->opt.window_ns;
	struct kept_span span = kept__span(&w->kept);
	u64 begin_ns = clock_mono_ns();
	char over[sizeof(w->over)];

	ret->from = span.last_seq + 1;
	for (;;) {
		u64 seen = span.last_seq;

		web__copy_over(w, over, sizeof(over));
		if (span.closed || *over || clock_mono_ns() >= until_ns ||
		    (span.last_seq >= ret->from &&
		     clock_mono_ns() - begin_ns >= seconds * NSEC_PER_SEC))
			break;
		span = kept__wait(&w->kept, seen, span.news, until_ns);
	}
	ret->to = span.last_seq;
	if (ret->to >= ret->from)
		return 0;
	if (*over)
		return err__set(err, -ENOENT, "the recording is over: %s", over);
	return err__set(err, -ETIMEDOUT, "no window has ended; try again");
}

int api_pprof(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	u64 seconds = 10;
	struct ask ask;
	int r = ask__init_filters(&ask, &rq->query, err);

	if (!r)
		r = query__u64(&rq->query, "seconds", MAX_SECONDS, &seconds, err);
	if (!r)
		r = ask_past(w, &rq->query, &ask, err);
	if (!r)
		r = query__check(&rq->query, err);
	if (!r && w->opt.mode == WEB_LIVE)
		r = await(w, seconds, &ask.range, err);
	if (!r)
		r = answer_profile(w, &ask, "pprof", a, err);
	ask__done(&ask);
	if (!r)
		a->mime = "application/octet-stream";
	return r;
}
