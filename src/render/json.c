/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything a profile holds, as docs/json.md says. Each small object is written at once, one on a
 * line; the few brackets around them are written here. So memory does not grow with the profile,
 * and line tools can work on the result.
 */
#include "render/json_parts.h"
#include "render/json_summary.h"
#include "render/render.h"

/* docs/coldspot.schema.json, in pieces that any compiler takes as a string */
static const char schema[] =
#include "gen/coldspot.schema.json.inc"
	;

/* ,"key":[ and one element a line. `len` counts the zero element, which is not written. */
static void put_array(struct json_parts *j, const char *key, u32 len,
		      json_t *(*element)(struct json_parts *, u32))
{
	u32 i;

	sink__printf(j->out, ",\n\"%s\":[", key);
	for (i = 1; i < len && !j->error; i++) {
		sink__puts(j->out, i > 1 ? ",\n" : "\n");
		json_parts__put(j, element(j, i));
	}
	sink__puts(j->out, "]");
}

static void put_all(struct json_parts *j, const struct render_options *opt)
{
	const struct profile *p = j->p;

	sink__puts(j->out, "{\"format\":\"coldspot\",\n\"version\":2,\n\"header\":");
	json_parts__put(j, json_parts__header(j));
	if (p->hdr.windows > 1) {
		sink__puts(j->out, ",\n\"merged\":");
		json_parts__put(j, json_parts__merged(j));
	}
	if (p->hdr.selection) {
		sink__puts(j->out, ",\n\"selection\":");
		json_parts__put(j, json_parts__selection(j));
	}
	sink__puts(j->out, ",\n\"budget\":");
	json_parts__put(j, json_parts__budget(j));
	sink__puts(j->out, ",\n\"summary\":");
	json_parts__put(j, json_summary(p, opt));
	sink__puts(j->out, ",\n\"losses\":");
	json_parts__put(j, json_parts__losses(j));
	sink__puts(j->out, ",\n\"user_stacks\":");
	json_parts__put(j, json_parts__user_stacks(j));
	put_array(j, "modules", p->modules_len, json_parts__module);
	put_array(j, "frames", p->frames_len, json_parts__frame);
	put_array(j, "stacks", p->stacks_len, json_parts__stack);
	put_array(j, "tasks", p->tasks_len, json_parts__task);
	put_array(j, "objects", p->objects_len, json_parts__object);
	put_array(j, "waits", p->waits_len, json_parts__wait);
	if (profile__has_on_cpu(p))
		put_array(j, "hots", p->hots_len, json_parts__hot);
	sink__puts(j->out, "}\n");
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
	.help = "everything, for programs: docs/json.md",
	.schema = schema,
	.render = render,
};
