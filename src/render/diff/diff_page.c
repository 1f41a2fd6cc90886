/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths are included down to where they become too small to be tested: the page needs them for
 * their verdicts, and builds its trees from the stacks.
 */
#include "render/diff/diff_page.h"

#include <errno.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/view/shown.h"
#include "base/mem.h"
#include "render/diff/diff_names.h"
#include "render/encode/json_writer.h"
#include "render/page/page_head.h"
#include "render/words/scope_text.h"

struct comparing {
	const struct diff_view *v;
	const struct diff *d;
	struct page_rows rows;
	struct diff_names names;
	struct cause_memo memo[2];
	u32 *path; /* row by node */
	u32 split[2]; /* waits and tasks of the side before */
};

static int put_paths(struct comparing *c)
{
	const struct diff *d = c->d;
	u32 rows = 0, i;

	c->path = mem_array(d->nodes_len, sizeof(*c->path));
	if (!c->path)
		return -ENOMEM;
	for (i = 0; i < d->nodes_len; i++) {
		const struct diff_node *n = &d->nodes[i];
		u32 parent = i ? c->path[n->parent] : 0;

		c->path[i] = parent;
		if (i && n->item.verdict == DIFF_SMALL)
			continue;
		c->path[i] = ++rows;
		page_rows__put_path(&c->rows, parent, &n->item);
	}
	return 0;
}

static void put_functions(struct comparing *c)
{
	char text[DIFF_NAME_SZ];
	u32 i;

	for (i = 0; i < c->d->frames_len; i++) {
		const struct diff_frame *f = &c->d->frames[i];

		if (f->item.verdict != DIFF_SMALL)
			page_rows__put_function(&c->rows,
						diff_names__text(&c->names, f, text, sizeof(text)),
						f->kind, &f->item);
	}
}

static int put_rows(struct comparing *c, u32 side, const struct profile *p)
{
	struct page_side rows = { .p = p,
				  .counted_ns = c->d->counted_ns[side],
				  .idle_apart = !c->d->opt.idle };
	u32 *path = mem_array(p->waits_len, sizeof(*path)), i;
	struct labels labels = { 0 };
	struct causes causes = { 0 };
	int r = path ? diff_names__labels(&c->names, p, &labels) : -ENOMEM;

	for (i = 1; path && i < p->waits_len; i++)
		path[i] = c->path[c->d->leaf[side][i]];
	rows.path = path;
	rows.labels = &labels;
	rows.causes = &causes;
	if (!r)
		r = causes__recall(&causes, p, &c->memo[side], NULL);
	if (!r)
		r = page_rows__add(&c->rows, &rows);
	causes__done(&causes);
	labels__done(&labels);
	mem_free(path);
	return r;
}

static int put_side_rows(struct comparing *c, u32 side)
{
	const struct shown_options opt = { .interpreter = c->d->opt.interpreter };
	struct shown shown;
	int r = shown__init(&shown, c->d->p[side], &opt, NULL);

	if (!r)
		r = put_rows(c, side, shown.p);
	shown__done(&shown);
	if (side == DIFF_BEFORE) {
		c->split[0] = c->rows.waits;
		c->split[1] = c->rows.tasks;
	}
	return r;
}

static void put_item(struct json *j, const char *key, const struct diff_item *it)
{
	json__array(j, key);
	json__u64(j, NULL, it->verdict);
	json__u64(j, NULL, page_billionths(it->p));
	json__end_array(j);
}

static void put_causes(const struct diff *d, struct json *j)
{
	u32 i;

	json__array(j, "causes");
	for (i = 0; i < d->causes_len; i++) {
		json__array(j, NULL);
		json__u64(j, NULL, d->causes[i].cause);
		json__u64(j, NULL, d->causes[i].item.verdict);
		json__u64(j, NULL, page_billionths(d->causes[i].item.p));
		json__end_array(j);
	}
	json__end_array(j);
	json__array(j, "verdicts");
	for (i = DIFF_SMALL; i <= DIFF_LESS; i++)
		json__text(j, NULL, diff_verdict_name(i));
	json__end_array(j);
}

static void put_keys(const struct comparing *c, struct json *j)
{
	const struct diff *d = c->d;
	char text[SCOPE_TEXT_SZ];

	json__object(j, "diff");
	json__text(j, "per", diff_unit_name(d->opt.per));
	json__array(j, "units");
	json__printf(j, NULL, "%.17g", d->units[0]);
	json__printf(j, NULL, "%.17g", d->units[1]);
	json__end_array(j);
	json__array(j, "split");
	json__u64(j, NULL, c->split[0]);
	json__u64(j, NULL, c->split[1]);
	json__end_array(j);
	json__bool(j, "tested", d->tested);
	json__bool(j, "idle_apart", !d->opt.idle);
	json__printf(j, "weight_min", "%g", DIFF_WEIGHT_MIN);
	put_item(j, "total", &d->total);
	put_item(j, "idle", &d->idle);
	put_causes(d, j);
	diff_key_text(d, false, text, sizeof(text));
	json__text(j, "key_text", text);
	diff_tested_text(d, text, sizeof(text));
	json__text(j, "tested_text", text);
	json__end_object(j);
	json__line(j);
}

static int put_sides(struct comparing *c, struct json *j)
{
	int r = 0;
	u32 side;

	json__array(j, "sides");
	for (side = 0; side < 2 && !r; side++) {
		const struct render_options opt = { .memo = &c->memo[side] };
		char text[512];

		json__object(j, NULL);
		json__text(j, "name", c->v->names[side]);
		r = page_keys_put(c->d->p[side], &opt, j);
		json__line(j);
		diff_side_text(c->d, side, text, sizeof(text));
		json__text(j, "text", text);
		json__end_object(j);
	}
	json__end_array(j);
	return r;
}

static int put_data(struct comparing *c, struct sink *out)
{
	struct sink keys;
	struct json j = JSON_TO(&keys);
	u32 side;
	int r = page_rows__init(&c->rows, true);

	sink__init_mem(&keys);
	if (!r)
		r = diff_names__init(&c->names, c->d);
	if (!r)
		r = put_paths(c);
	for (side = 0; side < 2 && !r; side++)
		r = put_side_rows(c, side);
	if (!r) {
		put_functions(c);
		r = c->names.error ? c->names.error : page_rows__finish(&c->rows);
	}
	put_keys(c, &j);
	if (!r)
		r = put_sides(c, &j);
	if (!r)
		r = page_data_join(&keys, &c->rows, out);
	sink__done(&keys);
	return r;
}

int diff_page_put(const struct diff_view *v, struct sink *out)
{
	struct comparing c = { .v = v, .d = v->d };
	u32 side;
	int r;

	for (side = 0; side < 2; side++) {
		c.memo[side].p = v->d->p[side];
		c.memo[side].rules = v->d->opt.rules;
	}
	r = put_data(&c, out);
	page_rows__done(&c.rows);
	diff_names__done(&c.names);
	cause_memo__done(&c.memo[0]);
	cause_memo__done(&c.memo[1]);
	mem_free(c.path);
	return r;
}
