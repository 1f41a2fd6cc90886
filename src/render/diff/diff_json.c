/* SPDX-License-Identifier: Apache-2.0 */
/* All numbers of a diff, for scripts. Keys are stable; docs/json.md explains them. */
#include "analysis/diff/diff_test.h"
#include "render/diff/diff_view.h"
#include "render/encode/json_writer.h"

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

static void put_pair(struct json *to, const char *key, const u64 pair[2])
{
	json__array(to, key);
	json__u64(to, NULL, pair[0]);
	json__u64(to, NULL, pair[1]);
	json__end_array(to);
}

/* Without its braces: names come before. */
static void put_item(struct json *to, const struct diff *d, const struct diff_item *it)
{
	json__printf(to, "before", "%.3f", it->rate[0]);
	json__printf(to, "after", "%.3f", it->rate[1]);
	json__printf(to, "change", "%.3f", diff_item__change(it));
	put_pair(to, "ns", it->ns);
	put_pair(to, "count", it->count);
	put_pair(to, "max_ns", it->max_ns);
	json__printf(to, "largest_wait_part", "%.4f", diff_item__largest(d, it));
	json__text(to, "verdict", diff_verdict_name(it->verdict));
	if (it->verdict == DIFF_SMALL || it->verdict == DIFF_UNKNOWN)
		json__null(to, "p");
	else
		json__printf(to, "p", "%.6g", it->p);
}

static void put_losses(struct json *to, const struct profile *p)
{
	int i;

	json__array(to, "losses");
	for (i = 0; i < LOSS_CNT; i++) {
		if (!p->losses[i].events && !p->losses[i].ns)
			continue;
		json__object(to, NULL);
		json__text(to, "loss", loss_name((enum profile_loss_kind)i));
		json__u64(to, "events", p->losses[i].events);
		json__u64(to, "ns", p->losses[i].ns);
		json__end_object(to);
	}
	json__end_array(to);
}

static void put_side(struct json *to, const char *key, const struct diff_view *v, u32 side)
{
	const struct profile *p = v->d->p[side];

	json__line(to);
	json__object(to, key);
	json__text(to, "name", v->names[side]);
	json__text(to, "target", profile__str(p, p->hdr.target));
	json__text(to, "selection", profile__str(p, p->hdr.selection));
	json__u64(to, "window_ns", p->hdr.window_ns);
	json__printf(to, "units", "%.6f", v->d->units[side]);
	json__u64(to, "intervals", p->intervals_len);
	json__bool(to, "sampled", profile__is_sampled(p));
	put_losses(to, p);
	json__end_object(to);
}

static void put_sum(struct json *to, const char *key, const struct diff *d,
		    const struct diff_item *it)
{
	json__line(to);
	json__object(to, key);
	put_item(to, d, it);
	json__end_object(to);
}

static void put_causes(struct json *to, const struct diff *d)
{
	u32 i;

	json__line(to);
	json__array(to, "causes");
	for (i = 0; i < d->causes_len; i++) {
		json__line(to);
		json__object(to, NULL);
		json__text(to, "cause", cause_name((enum cause)d->causes[i].cause));
		put_item(to, d, &d->causes[i].item);
		json__end_object(to);
	}
	json__end_array(to);
}

static void put_frames(struct json *to, const struct diff *d)
{
	u32 i;

	json__line(to);
	json__array(to, "frames");
	for (i = 0; i < d->frames_len; i++) {
		const struct diff_frame *f = &d->frames[i];

		json__line(to);
		json__object(to, NULL);
		json__text(to, "name", f->name);
		json__text(to, "module", f->module);
		json__text(to, "kind", kind_name(f->kind));
		put_item(to, d, &f->item);
		json__end_object(to);
	}
	json__end_array(to);
}

void diff_json_put(const struct diff_view *v, struct sink *out)
{
	struct json j = JSON_TO(out), *to = &j;
	const struct diff *d = v->d;

	json__object(to, NULL);
	json__text(to, "format", "coldspot-diff");
	json__u64(to, "version", 1);
	json__text(to, "per", diff_unit_name(d->opt.per));
	json__bool(to, "tested", d->tested);
	json__printf(to, "false_part", "%g", DIFF_FALSE_PART);
	json__printf(to, "weight_min", "%g", DIFF_WEIGHT_MIN);
	json__printf(to, "effect_min", "%g", DIFF_EFFECT_MIN);
	put_side(to, "before", v, DIFF_BEFORE);
	put_side(to, "after", v, DIFF_AFTER);
	put_sum(to, "total", d, &d->total);
	put_sum(to, "idle", d, &d->idle);
	put_causes(to, d);
	put_frames(to, d);
	json__end_object(to);
	sink__puts(out, "\n");
}
