/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The edges of a frame are rounded, not its width: so neighbours meet exactly, children never
 * exceed their parent, and rounding errors do not add up across a row. The arithmetic is on
 * integers, because a golden file must not depend on the machine's floating point.
 *
 * If there are too many frames, the widest stay. A parent is never narrower than its child and
 * comes first among equals, so no frame is shown without its parent. Shown children come before
 * hidden ones, so that those can be one rectangle. How many frames fit together with their merged
 * rectangles is found by bisection, because it is unknown before they are chosen.
 */
#include "render/svg/flame_layout.h"

#include <errno.h>

#include "base/mem.h"

/* Narrower merged rectangles (in tenths of a pixel) would be seen by nobody. */
#define MERGED_MIN 10

typedef unsigned __int128 wide;

/* A node that is wide enough to be shown. */
struct candidate {
	u64 total_ns;
	u32 node;
};

struct building {
	const struct tree *t;
	const struct flame_layout_options *opt;
	struct candidate *widest; /* `max_rects` at most */
	u32 widest_len;
	u32 fits; /* of them, those that are shown */
	u8 *shown; /* by node */
	u64 *below_ns; /* of the children of a node */
	u64 *hidden_ns; /* of those that are not shown */
	u64 *starts; /* by node; until its parent is placed, from the start of that */
	u64 *cursors; /* where the next child of a node starts, from its own start */
	u32 *below; /* the children of a node and all nodes below them */
	u32 *hidden; /* the same of those children that are not shown */
	u32 *open; /* the ancestors of the current node, by depth */
};

static u32 scale(const struct building *b, u64 ns)
{
	u64 total = b->t->nodes[0].total_ns;

	return (u32)(((wide)ns * b->opt->width + total / 2) / total);
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

static bool is_wider(const struct candidate *a, const struct candidate *b)
{
	return a->total_ns != b->total_ns ? a->total_ns > b->total_ns : a->node < b->node;
}

static int widest_first(const void *a, const void *b)
{
	return is_wider(a, b) ? -1 : 1;
}

/* Moves `c` down from `at` in a heap whose first element is the narrowest. */
static void sink_down(struct candidate *heap, u32 len, u32 at, struct candidate c)
{
	u32 child;

	for (; (child = 2 * at + 1) < len; at = child) {
		if (child + 1 < len && is_wider(&heap[child], &heap[child + 1]))
			child++;
		if (!is_wider(&c, &heap[child]))
			break;
		heap[at] = heap[child];
	}
	heap[at] = c;
}

/* Keeps the `max_rects` widest: no more can be shown, and the tree may be large. */
static void add_candidate(struct building *b, struct candidate c)
{
	u32 max = b->opt->max_rects, i;

	if (b->widest_len < max) {
		b->widest[b->widest_len++] = c;
		for (i = b->widest_len / 2; b->widest_len == max && i-- > 0;)
			sink_down(b->widest, max, i, b->widest[i]);
	} else if (is_wider(&c, &b->widest[0])) {
		sink_down(b->widest, max, 0, c);
	}
}

/* One pass over the tree; the rest only looks at candidates. */
static void sort_widest(struct building *b)
{
	u64 least = least_ns(b);
	u32 i;

	for (i = 1; i < b->t->len; i++) {
		const struct tree_node *n = &b->t->nodes[i];

		if (n->total_ns >= least)
			add_candidate(b, (struct candidate){ n->total_ns, i });
		b->below_ns[n->parent] += n->total_ns;
		b->below[n->parent] += n->end - i;
	}
	qsort(b->widest, b->widest_len, sizeof(*b->widest), widest_first);
}

/* Its width to within one: its start is not known yet. */
static bool has_merged(const struct building *b, u32 node)
{
	return b->hidden_ns[node] && scale(b, b->hidden_ns[node]) >= MERGED_MIN;
}

/*
 * Shows the `n` widest, parents before their children. The hidden time of a node is what its shown
 * children leave, so only shown nodes are visited, however large the tree is. Returns the number of
 * rectangles, without node 0.
 */
static u32 show(struct building *b, u32 n)
{
	const struct tree *t = b->t;
	u32 rects = n, i;

	b->hidden_ns[0] = b->below_ns[0];
	b->hidden[0] = b->below[0];
	for (i = 0; i < n; i++) {
		u32 at = b->widest[i].node;
		const struct tree_node *node = &t->nodes[at];

		b->hidden_ns[at] = b->below_ns[at];
		b->hidden[at] = b->below[at];
		b->hidden_ns[node->parent] -= node->total_ns;
		b->hidden[node->parent] -= node->end - at;
	}
	rects += has_merged(b, 0);
	for (i = 0; i < n; i++)
		rects += has_merged(b, b->widest[i].node);
	return rects;
}

/* Returns the number of rectangles, and marks the shown nodes. */
static u32 choose(struct building *b)
{
	u32 room = b->opt->max_rects - 1, fits = 0, i;
	u32 too_many = b->widest_len <= room ? b->widest_len : room + 1;

	if (too_many <= room && show(b, too_many) <= room)
		fits = too_many;
	while (too_many - fits > 1) {
		u32 half = fits + (too_many - fits) / 2;

		if (show(b, half) <= room)
			fits = half;
		else
			too_many = half;
	}
	b->shown[0] = true;
	for (i = 0; i < fits; i++)
		b->shown[b->widest[i].node] = true;
	b->fits = fits;
	return show(b, fits);
}

static void place(struct building *b, u32 node)
{
	const struct tree_node *n = &b->t->nodes[node];

	b->starts[node] = b->cursors[n->parent];
	b->cursors[n->parent] += n->total_ns;
}

/* Places the shown children of each node side by side. */
static void place_all(struct building *b)
{
	u32 i;

	for (i = 0; i < b->fits && !b->opt->by_name; i++)
		place(b, b->widest[i].node);
	for (i = 1; i < b->t->len && b->opt->by_name; i++) {
		if (b->shown[i])
			place(b, i);
	}
}

static void put(struct building *b, struct flame_layout *l, const struct flame_rect *fresh)
{
	struct flame_rect *rect = &l->rects[l->len++];

	*rect = *fresh;
	rect->x = scale(b, fresh->start_ns);
	rect->w = scale(b, fresh->start_ns + fresh->time_ns) - rect->x;
	if (rect->row + 1 > l->rows)
		l->rows = rect->row + 1;
}

static void put_merged(struct building *b, struct flame_layout *l, u32 node)
{
	if (!has_merged(b, node))
		return;
	put(b, l,
	    &(struct flame_rect){
		    .node = node,
		    .row = b->t->nodes[node].depth + 1,
		    .merged = b->hidden[node],
		    .start_ns = b->starts[node] + b->cursors[node],
		    .time_ns = b->hidden_ns[node],
	    });
}

static void put_node(struct building *b, struct flame_layout *l, u32 i)
{
	const struct tree_node *n = &b->t->nodes[i];

	b->starts[i] += b->starts[n->parent];
	put(b, l,
	    &(struct flame_rect){
		    .node = i,
		    .row = n->depth,
		    .start_ns = b->starts[i],
		    .time_ns = n->total_ns,
	    });
}

static int from_left(const void *a, const void *b)
{
	const struct flame_rect *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void fill(struct building *b, struct flame_layout *l)
{
	const struct tree *t = b->t;
	u32 depth = 0, with_time = 0, shown = 0, i;

	l->rects[0].w = b->opt->width;
	l->rects[0].time_ns = t->nodes[0].total_ns;
	l->len = l->rows = 1;
	place_all(b);
	for (i = 1; i < t->len; i++) {
		with_time += t->nodes[i].total_ns != 0;
		if (!b->shown[i])
			continue;
		for (; depth >= t->nodes[i].depth; depth--)
			put_merged(b, l, b->open[depth]);
		put_node(b, l, i);
		depth = t->nodes[i].depth;
		b->open[depth] = i;
		shown++;
	}
	for (; depth > 0; depth--)
		put_merged(b, l, b->open[depth]);
	put_merged(b, l, 0);
	l->left_out = with_time - shown;
	qsort(l->rects, l->len, sizeof(*l->rects), from_left);
}

static bool allocate(struct building *b)
{
	size_t len = b->t->len;

	b->widest = mem_array(len < b->opt->max_rects ? len : b->opt->max_rects,
			      sizeof(struct candidate));
	b->shown = mem_array(len, sizeof(u8));
	b->below_ns = mem_array(len, sizeof(u64));
	b->hidden_ns = mem_array(len, sizeof(u64));
	b->starts = mem_array(len, sizeof(u64));
	b->cursors = mem_array(len, sizeof(u64));
	b->below = mem_array(len, sizeof(u32));
	b->hidden = mem_array(len, sizeof(u32));
	b->open = mem_array((size_t)b->t->depth + 1, sizeof(u32));
	return b->widest && b->shown && b->below_ns && b->hidden_ns && b->starts && b->cursors &&
	       b->below && b->hidden && b->open;
}

int flame_layout__build(const struct tree *t, const struct flame_layout_options *opt,
			struct arena *a, struct flame_layout *ret_layout, struct err *err)
{
	struct building b = { .t = t, .opt = opt };

	memset(ret_layout, 0, sizeof(*ret_layout));
	if (allocate(&b)) {
		sort_widest(&b);
		ret_layout->rects =
			arena__array(a, (size_t)choose(&b) + 1, sizeof(struct flame_rect));
	}
	if (ret_layout->rects)
		fill(&b, ret_layout);
	mem_free(b.widest);
	mem_free(b.shown);
	mem_free(b.below_ns);
	mem_free(b.hidden_ns);
	mem_free(b.starts);
	mem_free(b.cursors);
	mem_free(b.below);
	mem_free(b.hidden);
	mem_free(b.open);
	return ret_layout->rects ? 0 : err__nomem(err);
}
