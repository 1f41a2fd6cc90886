/* SPDX-License-Identifier: Apache-2.0 */
/* Puts what was added up by id into display order. */
#include "analysis/diff/diff_priv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/view/preorder.h"

static int by_change(const struct diff_item *x, const struct diff_item *y)
{
	double a = fabs(diff_item__change(x)), b = fabs(diff_item__change(y));

	if (!(a > b) && !(a < b)) {
		a = x->rate[0] + x->rate[1];
		b = y->rate[0] + y->rate[1];
	}
	return a > b ? -1 : a < b;
}

static int compare_causes(const void *a, const void *b)
{
	const struct diff_cause *x = a, *y = b;
	int r = by_change(&x->item, &y->item);

	return r ? r : (x->cause > y->cause) - (x->cause < y->cause);
}

static int compare_frames(const void *a, const void *b)
{
	const struct diff_frame *x = a, *y = b;
	int r = by_change(&x->item, &y->item);

	/* what all waits have in common says less than what the program did */
	if (!r)
		r = (x->kind == TREE_KERNEL) - (y->kind == TREE_KERNEL);
	if (!r)
		r = (*x->name == '_') - (*y->name == '_');
	if (!r)
		r = strcmp(x->name, y->name);
	if (!r)
		r = strcmp(x->module, y->module);
	return r ? r : (x->kind > y->kind) - (x->kind < y->kind);
}

static void order_causes(struct differing *df)
{
	u32 i;

	for (i = 0; i < CAUSE_CNT; i++) {
		const struct diff_item *it = &df->by_cause[i];

		if (it->ns[0] || it->ns[1])
			df->d->causes[df->d->causes_len++] = (struct diff_cause){ i, *it };
	}
	qsort(df->d->causes, df->d->causes_len, sizeof(df->d->causes[0]), compare_causes);
}

/* The names live as long as the diff. */
static const char **copy_names(const struct strtab *names, struct arena *a)
{
	u32 len = strtab__len(names), i;
	const char **copies = arena__array(a, len, sizeof(*copies));

	for (i = 0; copies && i < len; i++) {
		copies[i] = arena__strdup(a, strtab__get(names, i));
		if (!copies[i])
			return NULL;
	}
	return copies;
}

static int order_frames(struct differing *df, const char **names, struct arena *a)
{
	struct diff *d = df->d;
	u32 len = intern__len(&df->paths.symbols), i;

	d->frames = arena__array(a, len, sizeof(*d->frames));
	if (!d->frames)
		return -ENOMEM;
	for (i = 1; i < len; i++) {
		const struct diff_symbol *s = intern__at(&df->paths.symbols, i);

		if (diff_symbol_is_function(s))
			d->frames[d->frames_len++] =
				(struct diff_frame){ .name = names[s->name],
						     .module = names[s->module],
						     .kind = s->kind,
						     .item = df->by_symbol[i] };
	}
	qsort(d->frames, d->frames_len, sizeof(*d->frames), compare_frames);
	return 0;
}

struct ordering {
	struct differing *df;
	const char **names;
	struct preorder at; /* of paths */
};

static u32 parent_of(const void *tree, u32 id)
{
	const struct ordering *o = tree;

	return ((const struct diff_path *)intern__at(&o->df->paths.paths, id))->parent;
}

static int by_name(const void *a, const void *b, void *arg)
{
	const struct ordering *o = arg;
	const struct diff_paths *paths = &o->df->paths;
	const struct diff_path *x = intern__at(&paths->paths, *(const u32 *)a);
	const struct diff_path *y = intern__at(&paths->paths, *(const u32 *)b);
	const struct diff_symbol *xs = intern__at(&paths->symbols, x->symbol);
	const struct diff_symbol *ys = intern__at(&paths->symbols, y->symbol);
	int r;

	r = strcmp(o->names[xs->name], o->names[ys->name]);
	if (!r)
		r = strcmp(o->names[xs->module], o->names[ys->module]);
	return r ? r : (xs->kind > ys->kind) - (xs->kind < ys->kind);
}

static void place_node(const struct ordering *o, u32 id)
{
	struct diff *d = o->df->d;
	const struct diff_path *path = intern__at(&o->df->paths.paths, id);
	const struct diff_symbol *s = intern__at(&o->df->paths.symbols, path->symbol);
	struct diff_node *n, *parent = &d->nodes[o->at.place[path->parent]];

	n = &d->nodes[o->at.place[id]];
	*n = (struct diff_node){ .name = o->names[s->name],
				 .module = o->names[s->module],
				 .kind = s->kind,
				 .parent = o->at.place[path->parent],
				 .depth = parent->depth + 1,
				 .end = o->at.place[id] + o->at.size[id],
				 .self_ns = { o->df->self_ns[0][id], o->df->self_ns[1][id] },
				 .path_hash = tree_path_hash(parent->path_hash, s->kind,
							     o->names[s->name]),
				 .item = o->df->by_path[id] };
	if (n->depth > d->depth)
		d->depth = n->depth;
}

/* Parents have lower ids than their children, so they are placed before them. */
static void order_nodes(const struct ordering *o)
{
	struct diff *d = o->df->d;
	u32 i;

	d->nodes[0] = (struct diff_node){ .name = "all",
					  .module = "",
					  .kind = TREE_ALL,
					  .end = d->nodes_len,
					  .path_hash = TREE_ROOT_HASH,
					  .item = d->total };
	for (i = 0; i + 1 < d->nodes_len; i++)
		place_node(o, o->at.sorted[i]);
}

/* Until here, leaves are path ids. */
static int place_waits(const struct ordering *o, struct arena *a)
{
	struct differing *df = o->df;
	u32 side, i;

	for (side = 0; side < 2; side++) {
		u32 *leaf = arena__array(a, df->p[side]->waits_len, sizeof(*leaf));

		if (!leaf)
			return -ENOMEM;
		for (i = 0; i < df->p[side]->waits_len; i++)
			leaf[i] = o->at.place[df->paths.of_wait[side][i]];
		df->d->leaf[side] = leaf;
	}
	return 0;
}

int diff_put_in_order(struct differing *df, struct arena *a)
{
	struct diff *d = df->d;
	struct ordering o = { .df = df, .names = copy_names(&df->paths.names, a) };
	const struct preorder_of of = {
		.len = intern__len(&df->paths.paths),
		.parent = parent_of,
		.compare = by_name,
		.tree = &o,
	};
	int r;

	if (!o.names || order_frames(df, o.names, a))
		return -ENOMEM;
	order_causes(df);
	d->nodes_len = of.len;
	d->nodes = arena__array(a, of.len, sizeof(*d->nodes));
	if (!d->nodes)
		return -ENOMEM;
	r = preorder__init(&o.at, &of);
	if (!r) {
		order_nodes(&o);
		r = place_waits(&o, a);
	}
	preorder__done(&o.at);
	return r;
}
