/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys are those of docs/json.md where the JSON has the same; texts are those of the summary, so
 * that the page and the terminal say one thing in one way.
 */
#include "render/page_head.h"

#include <errno.h>
#include <jansson.h>

#include "analysis/cause.h"
#include "analysis/complete.h"
#include "profile/estimate.h"
#include "render/effort_text.h"
#include "render/json_dump.h"
#include "render/json_summary.h"
#include "render/json_text.h"
#include "render/loss_text.h"
#include "render/scope_text.h"

#define VERSION 1

void page_key_put(struct sink *out, const char *key, const char *text)
{
	sink__printf(out, "\"%s\":", key);
	json_text_put(out, text);
	sink__puts(out, ",");
}

static void put_number(struct sink *out, const char *key, u64 n)
{
	sink__printf(out, "\"%s\":%llu,", key, n);
}

static void put_header(const struct profile *p, const struct render_options *opt, struct sink *out)
{
	const struct profile_header *h = &p->hdr;

	sink__puts(out, "\"header\":{");
	page_key_put(out, "title", opt->title ? opt->title : "");
	page_key_put(out, "host", profile__str(p, h->host));
	page_key_put(out, "kernel", profile__str(p, h->kernel));
	page_key_put(out, "arch", profile__str(p, h->arch));
	page_key_put(out, "coldspot", profile__str(p, h->version));
	page_key_put(out, "command", opt->command ? opt->command : profile__str(p, h->command));
	page_key_put(out, "target", profile__str(p, h->target));
	page_key_put(out, "hooks", profile__str(p, h->hooks));
	put_number(out, "ncpu", h->ncpu);
	put_number(out, "begin_wall_ms", h->begin_wall_ns / NSEC_PER_MSEC);
	put_number(out, "window_ns", h->window_ns);
	put_number(out, "period_ns", h->period_ns);
	put_number(out, "hist_unit_ns", h->hist_unit_ns);
	sink__printf(out, "\"sampled\":%s,\"filtered\":%s},\n",
		     profile__is_sampled(p) ? "true" : "false", h->filtered ? "true" : "false");
}

static int put_budget(const struct profile *p, struct sink *out)
{
	struct profile_budget b;
	u32 i;

	if (profile__budget(p, &b))
		return -ENOMEM;
	sink__puts(out, "\"budget\":{");
	put_number(out, "threads", b.threads);
	put_number(out, "processes", b.processes);
	put_number(out, "wall_ns", b.wall_ns);
	put_number(out, "on_ns", b.on_ns);
	put_number(out, "preempted_ns", b.preempted_ns);
	put_number(out, "runq_ns", b.runq_ns);
	put_number(out, "blocked_ns", b.blocked_ns);
	put_number(out, "unaccounted_ns", b.unaccounted_ns);
	put_number(out, "listed_blocked_ns", b.listed_blocked_ns);
	put_number(out, "listed_runq_ns", b.listed_runq_ns);
	put_number(out, "switches", b.switches);
	sink__puts(out, "\"blocked_by_state_ns\":[");
	for (i = 0; i < PROFILE_STATES; i++)
		sink__printf(out, "%s%llu", i ? "," : "", b.blocked_by_state_ns[i]);
	sink__puts(out, "]},\n");
	return 0;
}

static int put_summary(const struct profile *p, const struct render_options *opt, struct sink *out)
{
	json_t *summary = json_summary(p, opt);
	int r;

	sink__puts(out, "\"summary\":");
	r = summary ? json_dump_put(summary, out) : -ENOMEM;
	json_decref(summary);
	sink__puts(out, ",\n");
	return r;
}

static void put_losses(const struct profile *p, struct sink *out)
{
	const char *comma = "";
	char text[320];
	int i;

	sink__puts(out, "\"losses\":[");
	for (i = 0; i < LOSS_CNT; i++) {
		if (!loss_text(p, (enum profile_loss_kind)i, text, sizeof(text)))
			continue;
		sink__printf(out, "%s{\"name\":\"%s\",", comma,
			     loss_name((enum profile_loss_kind)i));
		put_number(out, "events", p->losses[i].events);
		put_number(out, "ns", p->losses[i].ns);
		page_key_put(out, "text", text);
		loss_reason_text(p, (enum profile_loss_kind)i, text, sizeof(text));
		sink__puts(out, "\"reason\":");
		json_text_put(out, text);
		sink__puts(out, "}");
		comma = ",";
	}
	sink__puts(out, "],\n");
}

static int put_user_stacks(const struct profile *p, struct sink *out)
{
	struct complete c = { 0 };
	struct arena a;
	u32 i;
	int r;

	arena__init(&a);
	r = complete__build(p, &a, &c, NULL);
	sink__puts(out, "\"user_stacks\":{");
	put_number(out, "total_ns", c.total_ns);
	put_number(out, "whole_ns", c.whole_ns);
	sink__puts(out, "\"rest\":[");
	for (i = 0; !r && i < c.len; i++) {
		sink__puts(out, i ? ",{" : "{");
		put_number(out, "ns", c.rows[i].ns);
		sink__puts(out, "\"words\":");
		json_text_put(out, c.rows[i].words);
		sink__puts(out, "}");
	}
	sink__puts(out, "]},\n");
	arena__done(&a);
	return r;
}

static void put_effort(const struct profile *p, struct sink *out)
{
	char text[EFFORT_TEXT_SZ];

	effort_seen_text(p, text, sizeof(text));
	sink__puts(out, "\"effort\":[");
	json_text_put(out, text);
	sink__puts(out, ",");
	effort_cost_text(p, text, sizeof(text));
	json_text_put(out, text);
	sink__puts(out, "],\n");
}

/* Of what it is, where it is not one window whole. */
static void put_scope(const struct profile *p, struct sink *out)
{
	char text[SCOPE_TEXT_SZ];
	bool some = scope_windows_text(p, text, sizeof(text));

	sink__puts(out, "\"scope\":[");
	if (some)
		json_text_put(out, text);
	if (scope_selection_text(p, text, sizeof(text))) {
		sink__puts(out, some ? "," : "");
		json_text_put(out, text);
	}
	sink__puts(out, "],\n");
}

static void put_causes(struct sink *out)
{
	u32 i;

	sink__puts(out, "\"causes\":[");
	for (i = 0; i < CAUSE_SHOWN_CNT; i++) {
		sink__puts(out, i ? ",[" : "[");
		json_text_put(out, cause_shown_name(i));
		sink__puts(out, ",");
		json_text_put(out, cause_shown_sentence(i));
		sink__puts(out, "]");
	}
	sink__puts(out, "],\n\"classes\":[");
	for (i = 0; i < CLASS_CNT; i++) {
		sink__puts(out, i ? ",[" : "[");
		json_text_put(out, class_name((enum wait_class)i));
		sink__puts(out, ",");
		json_text_put(out, class_sentence((enum wait_class)i));
		sink__puts(out, "]");
	}
	sink__puts(out, "],\n");
}

static void put_strings(const struct strtab *strings, struct sink *out)
{
	u32 len = strtab__len(strings), i;

	sink__puts(out, "\"strings\":[");
	for (i = 0; i < len; i++) {
		sink__puts(out, i ? "," : "");
		json_text_put(out, strtab__get(strings, i));
	}
	sink__puts(out, "],\n");
}

static void put_places(const struct columns *columns, struct sink *out)
{
	u32 i;

	sink__puts(out, "\"columns\":[");
	for (i = 0; i < columns->len; i++)
		sink__printf(out, "%s[\"%s\",%u,%zu,%d]", i ? "," : "", columns->kinds[i].name,
			     columns->list[i].rows, columns->list[i].bytes.len,
			     columns->kinds[i].delta);
	sink__puts(out, "]}");
}

static void put_length(struct sink *out, size_t len)
{
	const u8 bytes[4] = { (u8)len, (u8)(len >> 8), (u8)(len >> 16), (u8)(len >> 24) };

	sink__put(out, bytes, sizeof(bytes));
}

int page_keys_put(const struct profile *p, const struct render_options *opt, struct sink *out)
{
	int r;

	put_header(p, opt, out);
	r = put_budget(p, out);
	if (!r)
		r = put_summary(p, opt, out);
	put_losses(p, out);
	if (!r)
		r = put_user_stacks(p, out);
	put_effort(p, out);
	put_scope(p, out);
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
	int r = sink__finish(keys, NULL);

	sink__init_mem(&head);
	sink__printf(&head, "{\"format\":\"coldspot page\",\"version\":%d,\n", VERSION);
	sink__put(&head, keys->buf, keys->len);
	put_causes(&head);
	put_strings(&rows->strings, &head);
	put_places(&rows->columns, &head);
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
