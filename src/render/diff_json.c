/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of a diff, all of them, for scripts. Keys are stable; docs/json.md explains them. */
#include "analysis/diff_test.h"
#include "render/diff_view.h"
#include "render/json_text.h"

static const char *kind_name(u32 kind)
{
	switch (kind) {
	case TREE_KERNEL:
		return "kernel";
	case TREE_CODE:
		return "interpreted";
	case TREE_INLINED:
		return "inlined";
	default:
		return "user";
	}
}

static void put_pair(const char *key, const u64 pair[2], struct sink *out)
{
	sink__printf(out, ",\"%s\":[%llu,%llu]", key, pair[0], pair[1]);
}

/* Without its braces: names come before. */
static void put_item(const struct diff *d, const struct diff_item *it, struct sink *out)
{
	sink__printf(out, "\"before\":%.3f,\"after\":%.3f,\"change\":%.3f", it->rate[0],
		     it->rate[1], diff_item__change(it));
	put_pair("ns", it->ns, out);
	put_pair("count", it->count, out);
	put_pair("max_ns", it->max_ns, out);
	sink__printf(out, ",\"largest_wait_part\":%.4f,\"verdict\":\"%s\"",
		     diff_item__largest(d, it), diff_verdict_name(it->verdict));
	if (it->verdict == DIFF_SMALL || it->verdict == DIFF_UNKNOWN)
		sink__puts(out, ",\"p\":null");
	else
		sink__printf(out, ",\"p\":%.6g", it->p);
}

static void put_losses(const struct profile *p, struct sink *out)
{
	bool any = false;
	int i;

	sink__puts(out, ",\"losses\":[");
	for (i = 0; i < LOSS_CNT; i++) {
		if (!p->losses[i].events && !p->losses[i].ns)
			continue;
		sink__printf(out, "%s{\"loss\":\"%s\",\"events\":%llu,\"ns\":%llu}", any ? "," : "",
			     loss_name((enum profile_loss_kind)i), p->losses[i].events,
			     p->losses[i].ns);
		any = true;
	}
	sink__puts(out, "]");
}

static void put_side(const struct diff_view *v, u32 side, struct sink *out)
{
	const struct profile *p = v->d->p[side];

	sink__puts(out, "{\"name\":");
	json_text_put(out, v->names[side]);
	sink__puts(out, ",\"target\":");
	json_text_put(out, profile__str(p, p->hdr.target));
	sink__puts(out, ",\"selection\":");
	json_text_put(out, profile__str(p, p->hdr.selection));
	sink__printf(out, ",\"window_ns\":%llu,\"units\":%.6f,\"intervals\":%u,\"sampled\":%s",
		     p->hdr.window_ns, v->d->units[side], p->intervals_len,
		     profile__is_sampled(p) ? "true" : "false");
	put_losses(p, out);
	sink__puts(out, "}");
}

static void put_frames(const struct diff *d, struct sink *out)
{
	u32 i;

	sink__puts(out, ",\n\"frames\":[");
	for (i = 0; i < d->frames_len; i++) {
		const struct diff_frame *f = &d->frames[i];

		sink__puts(out, i ? ",\n{\"name\":" : "\n{\"name\":");
		json_text_put(out, f->name);
		sink__puts(out, ",\"module\":");
		json_text_put(out, f->module);
		sink__printf(out, ",\"kind\":\"%s\",", kind_name(f->kind));
		put_item(d, &f->item, out);
		sink__puts(out, "}");
	}
	sink__puts(out, "]");
}

void diff_json_put(const struct diff_view *v, struct sink *out)
{
	const struct diff *d = v->d;
	u32 i;

	sink__printf(out, "{\"format\":\"coldspot-diff\",\"version\":1,\"per\":\"%s\",",
		     diff_unit_name(d->opt.per));
	sink__printf(out, "\"tested\":%s,\"false_part\":%g,\"weight_min\":%g,\"effect_min\":%g,\n",
		     d->tested ? "true" : "false", DIFF_FALSE_PART, DIFF_WEIGHT_MIN,
		     DIFF_EFFECT_MIN);
	sink__puts(out, "\"before\":");
	put_side(v, DIFF_BEFORE, out);
	sink__puts(out, ",\n\"after\":");
	put_side(v, DIFF_AFTER, out);
	sink__puts(out, ",\n\"total\":{");
	put_item(d, &d->total, out);
	sink__puts(out, "},\n\"idle\":{");
	put_item(d, &d->idle, out);
	sink__puts(out, "},\n\"causes\":[");
	for (i = 0; i < d->causes_len; i++) {
		sink__printf(out, "%s{\"cause\":\"%s\",", i ? ",\n" : "\n",
			     cause_name((enum cause)d->causes[i].cause));
		put_item(d, &d->causes[i].item, out);
		sink__puts(out, "}");
	}
	sink__puts(out, "]");
	put_frames(d, out);
	sink__puts(out, "}\n");
}
