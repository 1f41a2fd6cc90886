/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both edges of a frame are rounded, not its width: so neighbours meet exactly, children never
 * stick out of their parent, and rounding does not add up across a row. The arithmetic is in
 * integers, because a golden file must not depend on the machine's floating point.
 *
 * When there are too many frames the widest stay. A parent is never narrower than its child and
 * comes first among equals, so no frame is left without the one it stands on.
 */
#include "render/flame_layout.h"

#include <errno.h>

#include "base/mem.h"

typedef unsigned __int128 wide;

struct building {
	const struct tree *t;
	const struct flame_layout_options *opt;
	u64 *starts; /* by node */
	u64 *cursors; /* where the next child of a node starts */
};

static u32 scale(const struct building *b, u64 ns)
{
	u64 total = b->t->nodes[0].total_ns;

	return (u32)(((wide)ns * b->opt->width + total / 2) / total);
}

static void place_all(struct building *b)
{
	u32 i;

	for (i = 1; i < b->t->len; i++) {
		const struct tree_node *n = &b->t->nodes[i];

		b->starts[i] = b->cursors[n->parent];
		b->cursors[i] = b->starts[i];
		b->cursors[n->parent] += n->total_ns;
	}
}

/* The smallest total that is shown. */
static u64 least_ns(const struct building *b)
{
	u64 total = b->t->nodes[0].total_ns;
	u64 tenth = (total + b->opt->width - 1) / b->opt->width;
	u64 least = tenth ? tenth : 1;

	if (b->opt->min_share > 0) {
		u64 share = (u64)((double)total * b->opt->min_share);

		if (share > least)
			least = share;
	}
	return least;
}

static int widest_first(const void *a, const void *b, void *arg)
{
	const struct tree *t = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	if (t->nodes[x].total_ns != t->nodes[y].total_ns)
		return t->nodes[x].total_ns > t->nodes[y].total_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int by_number(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* Nodes to show, in the order of the tree; `ids` has room for all. Returns how many. */
static u32 choose(const struct building *b, u32 *ids, u32 *ret_left_out)
{
	const struct tree *t = b->t;
	u64 least = least_ns(b);
	u32 n = 0, with_time = 0, i;

	for (i = 1; i < t->len; i++) {
		with_time += t->nodes[i].total_ns != 0;
		if (t->nodes[i].total_ns >= least)
			ids[n++] = i;
	}
	if (n > b->opt->max_rects - 1) {
		struct tree view = *t; /* qsort_r() wants an argument that is not const */

		qsort_r(ids, n, sizeof(*ids), widest_first, &view);
		n = b->opt->max_rects - 1;
		qsort(ids, n, sizeof(*ids), by_number);
	}
	*ret_left_out = with_time - n;
	return n;
}

static void fill(const struct building *b, const u32 *ids, u32 n, struct flame_layout *l)
{
	u32 i;

	l->rects[0].w = b->opt->width;
	l->rows = 1;
	for (i = 0; i < n; i++) {
		const struct tree_node *node = &b->t->nodes[ids[i]];
		struct flame_rect *rect = &l->rects[i + 1];

		rect->node = ids[i];
		rect->row = node->depth;
		rect->start_ns = b->starts[ids[i]];
		rect->x = scale(b, rect->start_ns);
		rect->w = scale(b, rect->start_ns + node->total_ns) - rect->x;
		if (rect->row + 1 > l->rows)
			l->rows = rect->row + 1;
	}
	l->len = n + 1;
}

int flame_layout__build(const struct tree *t, const struct flame_layout_options *opt,
			struct arena *a, struct flame_layout *ret_layout, struct err *err)
{
	struct building b = { .t = t, .opt = opt };
	u32 *ids = mem_array(t->len, sizeof(*ids));
	u32 n = 0;

	memset(ret_layout, 0, sizeof(*ret_layout));
	b.starts = mem_array(t->len, sizeof(u64));
	b.cursors = mem_array(t->len, sizeof(u64));
	if (ids && b.starts && b.cursors) {
		place_all(&b);
		n = choose(&b, ids, &ret_layout->left_out);
		ret_layout->rects = arena__array(a, (size_t)n + 1, sizeof(struct flame_rect));
	}
	if (ret_layout->rects)
		fill(&b, ids, n, ret_layout);
	mem_free(ids);
	mem_free(b.starts);
	mem_free(b.cursors);
	return ret_layout->rects ? 0 : err__nomem(err);
}
