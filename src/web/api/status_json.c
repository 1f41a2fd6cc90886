/* SPDX-License-Identifier: Apache-2.0 */
#include "web/api/status_json.h"

#include "base/clock.h"
#include "base/self_memory.h"
#include "profile/loss.h"
#include "render/encode/json_writer.h"
#include "render/words/loss_text.h"
#include "app/past/past.h"
#include "web/api/routes.h"

static const char *const mode_names[] = { "live", "recording", "directory", "store", "fleet" };

static void put_kept(struct json *j, struct web *w)
{
	struct kept_span span = kept__span(&w->kept);

	json__object(j, "kept");
	json__u64(j, "first_seq", span.first_seq);
	json__u64(j, "last_seq", span.last_seq);
	json__u64(j, "dropped", span.dropped);
	json__end_object(j);
}

/* Under the lock of the totals. */
static void put_losses(struct json *j, const struct totals *t)
{
	char text[LOSS_TEXT_SZ];
	int i;

	json__array(j, "losses");
	for (i = 0; i < LOSS_CNT; i++) {
		if (!loss_sum_text(&t->losses[i], (enum profile_loss_kind)i, text, sizeof(text)))
			continue;
		json__object(j, NULL);
		json__text(j, "name", loss_name((enum profile_loss_kind)i));
		json__u64(j, "events", t->losses[i].events);
		json__u64(j, "ns", t->losses[i].ns);
		json__text(j, "text", text);
		json__end_object(j);
	}
	json__end_array(j);
	json__array(j, "effort");
	for (i = 0; i < (int)ARRAY_LEN(t->effort); i++) {
		if (*t->effort[i])
			json__text(j, NULL, t->effort[i]);
	}
	json__end_array(j);
	json__u64(j, "skipped", t->skipped);
}

static void put_health(struct json *j, struct web *w)
{
	u32 i;

	json__object(j, "health");
	pthread_mutex_lock(&w->totals.lock);
	put_losses(j, &w->totals);
	pthread_mutex_unlock(&w->totals.lock);
	json__u64(j, "cpu_ns", clock_cpu_ns());
	json__u64(j, "rss_bytes", self_memory_resident());
	json__u64(j, "viewers", atomic_load(&w->viewers));
	json__u64(j, "requests", atomic_load(&w->requests));
	json__object(j, "refused");
	for (i = 0; i < WEB_REFUSED_CNT; i++)
		json__u64(j, web_refusal_name((enum web_refusal)i), atomic_load(&w->refused[i]));
	json__end_object(j);
	json__end_object(j);
}

static void put_limits(struct json *j, const struct web *w)
{
	json__object(j, "limits");
	json__u64(j, "keep_ns", w->opt.mode == WEB_LIVE ? w->opt.keep_ns : 0);
	json__u64(j, "rows", w->kept.limits.rows);
	json__end_object(j);
}

/* Where its windows lie in time, and which of them are shown unless somebody asks for others. */
static void put_store(struct json *j, const struct web *w)
{
	struct time_span span = { 0, 0 };
	u64 first_ns = 0, last_ns = 0;
	struct err err = { 0 };
	struct past past;
	int r = past__init(&past, w->opt.path, &err);

	if (!r)
		r = past__bounds(&past, &first_ns, &last_ns, &err);
	if (!r)
		r = past__span(&past, &w->opt.range, &span, &err);
	past__done(&past);
	/* nobody asked for the time before a store began */
	if (past_range_is_empty(&w->opt.range) && span.from_ns < first_ns)
		span.from_ns = first_ns;
	json__object(j, "store");
	json__text(j, "error", r ? err.msg : NULL);
	json__u64(j, "first_ms", first_ns / NSEC_PER_MSEC);
	json__u64(j, "last_ms", last_ns / NSEC_PER_MSEC);
	json__u64(j, "since_ms", span.from_ns / NSEC_PER_MSEC);
	json__u64(j, "until_ms", (span.to_ns < last_ns ? span.to_ns : last_ns) / NSEC_PER_MSEC);
	json__u64(j, "at_ms", w->opt.at_ns / NSEC_PER_MSEC);
	json__bool(j, "is_last_hour", past_range_is_empty(&w->opt.range));
	json__end_object(j);
}

void status_json_put(struct web *w, struct sink *out)
{
	struct json j = JSON_TO(out);
	char over[sizeof(w->over)];

	web__copy_over(w, over, sizeof(over));
	json__object(&j, NULL);
	json__text(&j, "server", w->id);
	json__text(&j, "mode", mode_names[w->opt.mode]);
	json__text(&j, "version", w->opt.version);
	json__text(&j, "host", w->host);
	json__text(&j, "kernel", w->kernel);
	json__text(&j, "target", w->opt.target);
	json__text(&j, "file", web__file_name(w));
	json__u64(&j, "window_ns", w->opt.window_ns);
	json__bool(&j, "wakers", w->opt.wakers);
	json__text(&j, "over", *over ? over : NULL);
	if (w->opt.mode == WEB_STORE)
		put_store(&j, w);
	put_kept(&j, w);
	put_health(&j, w);
	put_limits(&j, w);
	json__end_object(&j);
}

int api_status(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	int r = query__check(&rq->query, err);

	if (!r)
		status_json_put(w, &a->body);
	return r;
}
