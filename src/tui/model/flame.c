/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree has waits for work in a group of their own, so leaving them out is leaving out one child
 * of the root. Only what has a cell is visited, so a layout costs as much as the screen is large.
 */
#include "tui/model/flame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void flame__init(struct flame *f)
{
	memset(f, 0, sizeof(*f));
	f->root = GROUP_BY_PROCESS;
	f->cols = 80;
	arena__init(&f->arena);
	vec__init(&f->zooms, sizeof(u64));
	vec__init(&f->cells, sizeof(struct flame_cell));
}

void flame__drop(struct flame *f)
{
	arena__done(&f->arena);
	arena__init(&f->arena);
	vec__reset(&f->cells);
	f->ready = false;
}

void flame__done(struct flame *f)
{
	flame__drop(f);
	vec__done(&f->zooms);
	vec__done(&f->cells);
}

static bool find(const struct flame *f, u64 hash, u32 *ret_node)
{
	u32 i;

	for (i = 0; i < f->tree.len; i++) {
		if (f->tree.nodes[i].path_hash == hash) {
			*ret_node = i;
			return true;
		}
	}
	return false;
}

/* Zoom and cursor in this tree. */
static void follow(struct flame *f)
{
	f->zoom_node = 0;
	f->zoom_missing = f->zooms.len &&
			  !find(f, *(u64 *)vec__at(&f->zooms, f->zooms.len - 1), &f->zoom_node);
	if (!f->cursor || !find(f, f->cursor, &f->cursor_node))
		f->cursor_node = f->zoom_node;
}

int flame__build(struct flame *f, const struct profile *p, struct cause_memo *memo, bool idle,
		 struct err *err)
{
	const struct tree_options opt = {
		.root = f->root,
		.delimiter = true,
		.idle_apart = true,
		.memo = memo,
	};
	int r;

	flame__drop(f);
	r = tree__build(p, &opt, &f->arena, &f->tree, err);
	if (!r)
		r = tree_causes__build(p, &f->tree, &f->arena, memo, &f->causes, err);
	if (r)
		return r;
	f->idle = idle;
	f->ready = true;
	follow(f);
	return flame__layout(f, f->cols) ? err__nomem(err) : 0;
}

static bool is_idle_group(const struct flame *f, u32 node)
{
	const struct tree_node *n = &f->tree.nodes[node];

	return n->kind == TREE_GROUP && !n->parent && strcmp(n->name, TREE_IDLE) == 0;
}

/* The group of waits for work; NULL: there are none. */
static const struct tree_node *idle_group(const struct flame *f)
{
	const struct tree_node *nodes = f->tree.nodes;

	for (u32 i = 1; i < f->tree.len; i = nodes[i].end) {
		if (is_idle_group(f, i))
			return &nodes[i];
	}
	return NULL;
}

u64 flame__ns(const struct flame *f, u32 node)
{
	const struct tree_node *idle = node || f->idle ? NULL : idle_group(f);

	return f->tree.nodes[node].total_ns - (idle ? idle->total_ns : 0);
}

u64 flame__count(const struct flame *f, u32 node)
{
	const struct tree_node *idle = node || f->idle ? NULL : idle_group(f);

	/* 0: not known */
	return f->tree.nodes[node].count ? f->tree.nodes[node].count - (idle ? idle->count : 0) : 0;
}

struct laying {
	struct flame *f;
	u64 whole_ns; /* of the root that is shown */
	u32 cols;
};

static int put_cell(struct flame *f, u32 node, u32 x, u32 w)
{
	struct flame_cell *cell = vec__push(&f->cells);

	if (!cell)
		return -ENOMEM;
	*cell = (struct flame_cell){ node, f->tree.nodes[node].depth, x, w };
	return 0;
}

static int widest_first(const void *a, const void *b, void *arg)
{
	const struct flame *f = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	u64 x_ns = f->tree.nodes[x].total_ns, y_ns = f->tree.nodes[y].total_ns;

	if (x_ns != y_ns)
		return x_ns < y_ns ? 1 : -1;
	return x < y ? -1 : x > y;
}

static u32 col_of(const struct laying *l, u64 ns)
{
	return l->whole_ns ? (u32)((unsigned __int128)ns * l->cols / l->whole_ns) : 0;
}

/* Children that may have a cell, widest first. */
static int children_of(const struct laying *l, u32 node, struct vec *ret)
{
	const struct flame *f = l->f;
	const struct tree_node *nodes = f->tree.nodes;
	u32 *child;

	for (u32 i = node + 1; i < nodes[node].end; i = nodes[i].end) {
		if ((!f->idle && is_idle_group(f, i)) || !nodes[i].total_ns)
			continue;
		/* what has less than half a cell has no room behind wider ones either */
		if ((unsigned __int128)nodes[i].total_ns * l->cols * 2 < l->whole_ns)
			continue;
		child = vec__push(ret);
		if (!child)
			return -ENOMEM;
		*child = i;
	}
	if (ret->len)
		qsort_r(ret->data, ret->len, sizeof(u32), widest_first, l->f);
	return 0;
}

/* A node to be laid out, at its place in the whole. */
struct due {
	u32 node;
	u64 start_ns;
};

/* The children of each node of a row, which makes the next row. */
static int next_row(struct laying *l, struct vec *row, struct vec *next)
{
	struct vec children;
	int r = 0;

	vec__init(&children, sizeof(u32));
	for (size_t i = 0; i < row->len && !r; i++) {
		const struct due *due = vec__at(row, i);
		u64 at_ns = due->start_ns;

		vec__reset(&children);
		r = children_of(l, due->node, &children);
		for (size_t c = 0; c < children.len && !r; c++) {
			u32 child = *(u32 *)vec__at(&children, c);
			u64 end_ns = at_ns + l->f->tree.nodes[child].total_ns;
			u32 x = col_of(l, at_ns), w = col_of(l, end_ns) - x;
			struct due *below = w ? vec__push(next) : NULL;

			if (w && !below)
				r = -ENOMEM;
			if (below)
				*below = (struct due){ child, at_ns };
			if (below)
				r = put_cell(l->f, child, x, w);
			at_ns = end_ns;
		}
	}
	vec__done(&children);
	return r;
}

static int lay_rows(struct laying *l, u32 top)
{
	struct vec row, next;
	struct due *first;
	int r = 0;

	vec__init(&row, sizeof(struct due));
	vec__init(&next, sizeof(struct due));
	first = vec__push(&row);
	if (first)
		first->node = top;
	else
		r = -ENOMEM;
	while (row.len && !r) {
		struct vec swap = row;

		vec__reset(&next);
		r = next_row(l, &row, &next);
		row = next;
		next = swap;
	}
	vec__done(&row);
	vec__done(&next);
	return r;
}

/* The root that is shown has the whole width, and so have its callers. */
static int put_callers(struct flame *f, u32 cols)
{
	u32 node = f->zoom_node, i, n;
	int r = 0;

	for (n = f->tree.nodes[node].depth + 1; n && !r; n--) {
		node = f->zoom_node;
		for (i = 1; i < n; i++)
			node = f->tree.nodes[node].parent;
		r = put_cell(f, node, 0, cols);
	}
	return r;
}

/* NULL: the node has none. */
static const struct flame_cell *cell_of(const struct flame *f, u32 node)
{
	for (size_t i = 0; i < f->cells.len; i++) {
		const struct flame_cell *cell = vec__at(&f->cells, i);

		if (cell->node == node)
			return cell;
	}
	return NULL;
}

int flame__layout(struct flame *f, u32 cols)
{
	struct laying l = { .f = f, .cols = cols };
	int r;

	vec__reset(&f->cells);
	f->cols = cols;
	if (!f->ready || !cols)
		return 0;
	l.whole_ns = flame__ns(f, f->zoom_node);
	r = put_callers(f, cols);
	if (!r && l.whole_ns)
		r = lay_rows(&l, f->zoom_node);
	if (!r && !cell_of(f, f->cursor_node))
		f->cursor_node = f->zoom_node;
	return r;
}

void flame__point(struct flame *f, u32 node)
{
	f->cursor_node = node;
	f->cursor = f->tree.nodes[node].path_hash;
}

/* The widest cell below; `node` itself if there is none. */
static u32 widest_below(const struct flame *f, u32 node)
{
	const struct flame_cell *widest = NULL;

	for (size_t i = 0; i < f->cells.len; i++) {
		const struct flame_cell *cell = vec__at(&f->cells, i);

		if (cell->node && f->tree.nodes[cell->node].parent == node &&
		    (!widest || cell->w > widest->w))
			widest = cell;
	}
	return widest ? widest->node : node;
}

/* The cell before or behind it in its row. */
static u32 beside(const struct flame *f, u32 node, bool left)
{
	const struct flame_cell *here = cell_of(f, node), *last = NULL;
	bool passed = false;

	for (size_t i = 0; i < f->cells.len && here; i++) {
		const struct flame_cell *cell = vec__at(&f->cells, i);

		if (cell->row != here->row)
			continue;
		if (passed)
			return cell->node;
		if (cell->node == node && left)
			return last ? last->node : node;
		passed = cell->node == node;
		last = cell;
	}
	return node;
}

void flame__step(struct flame *f, enum flame_step step)
{
	u32 node = f->cursor_node, below;

	if (!f->ready)
		return;
	switch (step) {
	case FLAME_UP:
		node = f->tree.nodes[node].parent;
		break;
	case FLAME_DOWN:
		/* from a caller of what is shown, towards it */
		node = f->tree.nodes[node].depth < f->tree.nodes[f->zoom_node].depth ?
			       node + 1 :
			       widest_below(f, node);
		while (!cell_of(f, node) && node < f->tree.nodes[f->cursor_node].end)
			node = f->tree.nodes[node].end;
		break;
	case FLAME_LEFT:
	case FLAME_RIGHT:
		node = beside(f, node, step == FLAME_LEFT);
		break;
	case FLAME_TOP:
		node = f->zoom_node;
		break;
	case FLAME_BOTTOM:
		while ((below = widest_below(f, node)) != node)
			node = below;
		break;
	}
	if (cell_of(f, node))
		flame__point(f, node);
}

int flame__zoom_in(struct flame *f)
{
	u64 *hash;

	if (!f->ready || f->cursor_node == f->zoom_node)
		return 0;
	hash = vec__push(&f->zooms);
	if (!hash)
		return -ENOMEM;
	*hash = f->tree.nodes[f->cursor_node].path_hash;
	follow(f);
	return flame__layout(f, f->cols) ? -ENOMEM : 1;
}

int flame__zoom_out(struct flame *f)
{
	if (!f->zooms.len)
		return 0;
	f->zooms.len--;
	if (f->ready)
		follow(f);
	return flame__layout(f, f->cols) ? -ENOMEM : 1;
}

void flame__next_root(struct flame *f)
{
	static const enum group_by roots[] = { GROUP_BY_PROCESS, GROUP_BY_THREAD, GROUP_BY_COMM,
					       GROUP_BY_CGROUP, GROUP_BY_CAUSE };
	size_t i = 0;

	while (roots[i] != f->root)
		i++;
	f->root = roots[(i + 1) % ARRAY_LEN(roots)];
	vec__reset(&f->zooms);
	f->cursor = 0;
}

u64 flame__matched_ns(const struct flame *f, const struct filter *filter, u32 *ret_frames)
{
	const struct tree_node *nodes = f->tree.nodes;
	u32 i, end = nodes[f->zoom_node].end;
	u64 ns = 0;

	*ret_frames = 0;
	for (i = f->zoom_node; i < end;) {
		bool hidden = !f->idle && is_idle_group(f, i);
		bool matches = !hidden && i && filter__matches(filter, nodes[i].name);

		ns += matches ? nodes[i].total_ns : 0;
		*ret_frames += matches;
		i = matches || hidden ? nodes[i].end : i + 1;
	}
	return ns;
}
