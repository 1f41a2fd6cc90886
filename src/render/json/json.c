/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The complete profile, as described in docs/json.md. Each small object has its own line, so that
 * line tools can work on the output.
 */
#include <errno.h>

#include "render/json/json_parts.h"
#include "render/json/json_summary.h"
#include "render/render.h"

#define VERSION 2

/* docs/coldspot.schema.json, in pieces short enough for any compiler */
static const char schema[] =
#include "gen/coldspot.schema.json.inc"
	;

/* An array with one element per line. `len` counts the zero element, which is not written. */
static void put_array(struct json_parts *j, const char *key, u32 len,
		      void (*element)(struct json_parts *, u32))
{
	u32 i;

	json__line(&j->to);
	json__array(&j->to, key);
	for (i = 1; i < len && !j->error; i++) {
		json__line(&j->to);
		json__object(&j->to, NULL);
		element(j, i);
		json__end_object(&j->to);
	}
	json__end_array(&j->to);
}

static void put_object(struct json_parts *j, const char *key, void (*members)(struct json_parts *))
{
	json__line(&j->to);
	json__object(&j->to, key);
	members(j);
	json__end_object(&j->to);
}

static void put_losses(struct json_parts *j)
{
	int i;

	json__line(&j->to);
	json__array(&j->to, "losses");
	for (i = 0; i < LOSS_CNT; i++) {
		if (!json_parts__has_loss(j, (enum profile_loss_kind)i))
			continue;
		json__object(&j->to, NULL);
		json_parts__loss(j, (enum profile_loss_kind)i);
		json__end_object(&j->to);
	}
	json__end_array(&j->to);
}

static void put_summary(struct json_parts *j, const struct render_options *opt)
{
	json__line(&j->to);
	if (json_summary_put(&j->to, j->p, opt))
		j->error = -ENOMEM;
}

static void put_user_stacks(struct json_parts *j)
{
	if (json_parts__has_user_stacks(j)) {
		put_object(j, "user_stacks", json_parts__user_stacks);
	} else {
		json__line(&j->to);
		json__null(&j->to, "user_stacks");
	}
}

static void put_all(struct json_parts *j, const struct render_options *opt)
{
	const struct profile *p = j->p;

	json__object(&j->to, NULL);
	json__text(&j->to, "format", "coldspot");
	json__line(&j->to);
	json__u64(&j->to, "version", VERSION);
	put_object(j, "header", json_parts__header);
	if (p->hdr.windows > 1)
		put_object(j, "merged", json_parts__merged);
	if (p->hdr.selection)
		put_object(j, "selection", json_parts__selection);
	put_object(j, "budget", json_parts__budget);
	put_summary(j, opt);
	put_losses(j);
	put_user_stacks(j);
	put_array(j, "modules", p->modules_len, json_parts__module);
	put_array(j, "frames", p->frames_len, json_parts__frame);
	put_array(j, "stacks", p->stacks_len, json_parts__stack);
	put_array(j, "tasks", p->tasks_len, json_parts__task);
	put_array(j, "objects", p->objects_len, json_parts__object);
	put_array(j, "waits", p->waits_len, json_parts__wait);
	if (profile__has_on_cpu(p))
		put_array(j, "hots", p->hots_len, json_parts__hot);
	if (p->hdr.wakers) {
		put_array(j, "wakers", p->wakers_len, json_parts__waker);
		put_array(j, "wakes", p->wakes_len, json_parts__wake);
	}
	if (p->hdr.measured)
		put_array(j, "measured", p->measured_len, json_parts__measured);
	json__end_object(&j->to);
	sink__puts(j->to.out, "\n");
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct json_parts j;
	int r = json_parts__init(&j, p, opt->memo, out);

	if (!r) {
		put_all(&j, opt);
		r = j.error;
	}
	json_parts__done(&j);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_json = {
	.name = "json",
	.endings = ".json",
	.mime = "application/json",
	.help = "complete profile, for programs: docs/json.md",
	.schema = schema,
	.render = render,
};
