/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys are the same as in the JSON (docs/json.md) where it has them; texts are those of the
 * summary, so that the page and the terminal say the same.
 */
#include "render/page/page_head.h"

#include <errno.h>

#include "analysis/cause/cause.h"
#include "analysis/view/complete.h"
#include "profile/estimate.h"
#include "render/words/effort_text.h"
#include "render/json/json_summary.h"
#include "render/words/loss_text.h"
#include "render/words/scope_text.h"

#define VERSION 1

/* Names of what an import does not know: the page leaves such numbers blank. */
static void put_unknown(u32 unknown, struct json *j)
{
	u32 i;

	json__array(j, "unknown");
	for (i = 0; i < UNKNOWN_BITS; i++) {
		if (unknown >> i & 1)
			json__text(j, NULL, unknown_name((enum profile_unknown_bit)i));
	}
	json__end_array(j);
}

static void put_header(const struct profile *p, const struct render_options *opt, struct json *j)
{
	const struct profile_header *h = &p->hdr;

	json__object(j, "header");
	json__text(j, "title", opt->title ? opt->title : "");
	json__text(j, "host", profile__str(p, h->host));
	json__text(j, "kernel", profile__str(p, h->kernel));
	json__text(j, "arch", profile__str(p, h->arch));
	json__text(j, "coldspot", profile__str(p, h->version));
	json__text(j, "command", opt->command ? opt->command : profile__str(p, h->command));
	json__text(j, "target", profile__str(p, h->target));
	json__text(j, "hooks", profile__str(p, h->hooks));
	json__u64(j, "ncpu", h->ncpu);
	json__u64(j, "begin_wall_ms", h->begin_wall_ns / NSEC_PER_MSEC);
	json__u64(j, "window_ns", h->window_ns);
	json__u64(j, "period_ns", h->period_ns);
	json__bool(j, "idle_shown", opt->idle_shown);
	json__u64(j, "hist_unit_ns", h->hist_unit_ns);
	json__bool(j, "sampled", profile__is_sampled(p));
	if (h->visit_hz)
		json__u64(j, "visit_hz", h->visit_hz);
	if (profile_header__is_of_tasks(h))
		json__bool(j, "tasks", true);
	json__bool(j, "filtered", h->filtered);
	put_unknown(h->unknown | (profile__knows_losses(p) ? 0 : UNKNOWN_LOSSES), j);
	json__end_object(j);
}

static int put_budget(const struct profile *p, struct json *j)
{
	struct profile_budget b;
	u32 i;

	if (profile__budget(p, &b))
		return -ENOMEM;
	json__object(j, "budget");
	json__u64(j, "threads", b.threads);
	json__u64(j, "processes", b.processes);
	json__u64(j, "wall_ns", b.wall_ns);
	json__u64(j, "on_ns", b.on_ns);
	json__u64(j, "preempted_ns", b.preempted_ns);
	json__u64(j, "runq_ns", b.runq_ns);
	json__u64(j, "blocked_ns", b.blocked_ns);
	json__u64(j, "unaccounted_ns", b.unaccounted_ns);
	json__u64(j, "listed_blocked_ns", b.listed_blocked_ns);
	json__u64(j, "listed_runq_ns", b.listed_runq_ns);
	json__u64(j, "switches", b.switches);
	json__array(j, "blocked_by_state_ns");
	for (i = 0; i < PROFILE_STATES; i++)
		json__u64(j, NULL, b.blocked_by_state_ns[i]);
	json__end_array(j);
	json__end_object(j);
	return 0;
}

static void put_losses(const struct profile *p, struct json *j)
{
	char text[LOSS_TEXT_SZ];
	int i;

	json__array(j, "losses");
	for (i = 0; i < LOSS_CNT; i++) {
		if (!loss_text(p, (enum profile_loss_kind)i, text, sizeof(text)))
			continue;
		json__object(j, NULL);
		json__text(j, "name", loss_name((enum profile_loss_kind)i));
		json__u64(j, "events", p->losses[i].events);
		json__u64(j, "ns", p->losses[i].ns);
		json__text(j, "text", text);
		json__end_object(j);
	}
	json__end_array(j);
	names_text(p, NULL, text, sizeof(text));
	json__text(j, "names", text);
}

static int put_user_stacks(const struct profile *p, struct json *j)
{
	struct complete c = { 0 };
	struct arena a;
	u32 i;
	int r;

	arena__init(&a);
	r = complete__build(p, &a, &c, NULL);
	json__object(j, "user_stacks");
	json__u64(j, "total_ns", c.total_ns);
	json__u64(j, "whole_ns", c.whole_ns);
	json__array(j, "rest");
	for (i = 0; !r && i < c.len; i++) {
		json__object(j, NULL);
		json__u64(j, "ns", c.rows[i].ns);
		json__text(j, "words", c.rows[i].words);
		json__end_object(j);
	}
	json__end_array(j);
	json__end_object(j);
	arena__done(&a);
	return r;
}

static void put_effort(const struct profile *p, struct json *j)
{
	char text[EFFORT_TEXT_SZ];

	json__array(j, "effort");
	effort_seen_text(p, text, sizeof(text));
	json__text(j, NULL, text);
	effort_cost_text(p, text, sizeof(text));
	json__text(j, NULL, text);
	json__end_array(j);
}

/* What the profile covers, if it is not one complete window. */
static void put_scope(const struct profile *p, struct json *j)
{
	char text[SCOPE_TEXT_SZ];
	enum scope scope;

	json__array(j, "scope");
	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(p, scope, text, sizeof(text)))
			json__text(j, NULL, text);
	}
	json__end_array(j);
}

static void put_pair(struct json *j, const char *name, const char *sentence)
{
	json__array(j, NULL);
	json__text(j, NULL, name);
	json__text(j, NULL, sentence);
	json__end_array(j);
}

static void put_causes(struct json *j)
{
	u32 i;

	json__line(j);
	json__array(j, "causes");
	for (i = 0; i < CAUSE_SHOWN_CNT; i++)
		put_pair(j, cause_shown_name(i), cause_shown_sentence(i));
	json__end_array(j);
	json__line(j);
	json__array(j, "classes");
	for (i = 0; i < CLASS_CNT; i++)
		put_pair(j, class_name((enum wait_class)i), class_sentence((enum wait_class)i));
	json__end_array(j);
}

static void put_strings(const struct strtab *strings, struct json *j)
{
	u32 len = strtab__len(strings), i;

	json__line(j);
	json__array(j, "strings");
	for (i = 0; i < len; i++)
		json__text(j, NULL, strtab__get(strings, i));
	json__end_array(j);
}

static void put_places(const struct columns *columns, struct json *j)
{
	u32 i;

	json__line(j);
	json__array(j, "columns");
	for (i = 0; i < columns->len; i++) {
		json__array(j, NULL);
		json__text(j, NULL, columns->kinds[i].name);
		json__u64(j, NULL, columns->list[i].rows);
		json__u64(j, NULL, columns->list[i].bytes.len);
		json__u64(j, NULL, columns->kinds[i].delta);
		json__end_array(j);
	}
	json__end_array(j);
}

static void put_length(struct sink *out, size_t len)
{
	const u8 bytes[4] = { (u8)len, (u8)(len >> 8), (u8)(len >> 16), (u8)(len >> 24) };

	sink__put(out, bytes, sizeof(bytes));
}

int page_keys_put(const struct profile *p, const struct render_options *opt, struct json *j)
{
	int r;

	put_header(p, opt, j);
	json__line(j);
	r = put_budget(p, j);
	json__line(j);
	if (!r)
		r = json_summary_put(j, p, opt);
	json__line(j);
	put_losses(p, j);
	json__line(j);
	if (!r)
		r = put_user_stacks(p, j);
	json__line(j);
	put_effort(p, j);
	json__line(j);
	put_scope(p, j);
	return r;
}

static void put_columns(const struct columns *c, struct sink *out)
{
	u32 i;

	for (i = 0; i < c->len; i++)
		sink__put(out, c->list[i].bytes.buf, c->list[i].bytes.len);
}

int page_data_join(struct sink *keys, const struct page_rows *rows, struct sink *out)
{
	struct sink head;
	struct json j = JSON_TO(&head);
	int r = sink__finish(keys, NULL);

	sink__init_mem(&head);
	json__object(&j, NULL);
	json__text(&j, "format", "coldspot page");
	json__u64(&j, "version", VERSION);
	json__line(&j);
	json__pieces(&j, keys->buf, keys->len);
	put_causes(&j);
	put_strings(&rows->strings, &j);
	put_places(&rows->columns, &j);
	json__end_object(&j);
	if (!r)
		r = sink__finish(&head, NULL);
	if (!r) {
		put_length(out, head.len);
		sink__put(out, head.buf, head.len);
		put_columns(&rows->columns, out);
	}
	sink__done(&head);
	return r;
}
