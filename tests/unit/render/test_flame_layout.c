/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "render/svg/flame_layout.h"

/* A tree of `len` nodes with random times, in preorder. */
static struct tree random_tree(struct arena *a, u32 len)
{
	struct tree t = { .len = len };
	u32 i;

	t.nodes = arena__array(a, len, sizeof(*t.nodes));
	assert_non_null(t.nodes);
	for (i = 0; i < len; i++) {
		struct tree_node *n = &t.nodes[i];
		u32 up = i ? (u32)random() % 3 : 0, at = i ? i - 1 : 0;

		/* the parent is the node before, or one above it: that keeps preorder */
		while (up-- && at)
			at = t.nodes[at].parent;
		n->parent = at;
		n->depth = i ? t.nodes[at].depth + 1 : 0;
		n->name = "x";
		n->self_ns = random() % 4 ? (u64)random() % 1000000 : 0;
		n->total_ns = n->self_ns;
	}
	for (i = len; i-- > 0;) {
		struct tree_node *n = &t.nodes[i];

		if (!n->end)
			n->end = i + 1;
		if (n->depth > t.depth)
			t.depth = n->depth;
		if (!i)
			break;
		t.nodes[n->parent].total_ns += n->total_ns;
		if (!t.nodes[n->parent].end)
			t.nodes[n->parent].end = n->end;
	}
	return t;
}

static const struct flame_rect *rect_of(const struct flame_layout *l, u32 node)
{
	u32 i;

	for (i = 0; i < l->len; i++) {
		if (l->rects[i].node == node && !l->rects[i].merged)
			return &l->rects[i];
	}
	return NULL;
}

static void check_layout(const struct tree *t, const struct flame_layout *l, u32 width)
{
	u32 i, left_out = 0, *row_end = mem_array(t->len + 1, sizeof(*row_end));

	assert_non_null(row_end);
	assert_int_equal(l->rects[0].x, 0);
	assert_int_equal(l->rects[0].w, width);
	for (i = 0; i < l->len; i++) {
		const struct flame_rect *r = &l->rects[i];
		const struct flame_rect *parent =
			rect_of(l, r->merged ? r->node : t->nodes[r->node].parent);

		assert_non_null(parent);
		assert_true(r->w >= 1);
		assert_true(r->row < l->rows);
		assert_true(r->x >= parent->x && r->x + r->w <= parent->x + parent->w);
		assert_true(r->x >= row_end[r->row]); /* nothing overlaps */
		row_end[r->row] = r->x + r->w;
		if (!r->merged)
			assert_int_equal(r->time_ns, t->nodes[r->node].total_ns);
		left_out += r->merged;
	}
	assert_true(left_out <= t->len);
	mem_free(row_end);
}

/* No node is left out that is wider than one that is shown, nor as wide and before it. */
static void check_widest(const struct tree *t, const struct flame_layout *l)
{
	u32 last = 0, i;

	for (i = 0; i < l->len; i++) {
		u32 node = l->rects[i].node;

		if (!l->rects[i].merged && t->nodes[node].total_ns <= t->nodes[last].total_ns)
			last = node;
	}
	for (i = 0; i < t->len; i++) {
		if (rect_of(l, i))
			continue;
		assert_true(t->nodes[i].total_ns < t->nodes[last].total_ns ||
			    (t->nodes[i].total_ns == t->nodes[last].total_ns && i > last));
	}
}

static void test_flame_layout__has_no_overlaps_and_no_orphans(void **state)
{
	int turn;

	(void)state;
	srandom(3);
	for (turn = 0; turn < 300; turn++) {
		struct flame_layout_options opt = {
			.width = 100 + (u32)random() % 20000,
			.min_share = random() % 3 ? 0 : 0.01,
			.max_rects = random() % 2 ? 5000 : 2 + (u32)random() % 60,
		};
		struct flame_layout l;
		struct arena a;
		struct tree t;

		arena__init(&a);
		t = random_tree(&a, 1 + (u32)random() % 300);
		assert_int_equal(flame_layout__build(&t, &opt, &a, &l, NULL), 0);
		check_layout(&t, &l, opt.width);
		check_widest(&t, &l);
		assert_true(l.len <= opt.max_rects);
		arena__done(&a);
	}
}

static void test_flame_layout__puts_children_side_by_side(void **state)
{
	struct tree_node nodes[] = {
		{ .name = "", .total_ns = 100 },
		{ .name = "a", .depth = 1, .total_ns = 25 },
		{ .name = "b", .parent = 1, .depth = 2, .total_ns = 10 },
		{ .name = "c", .depth = 1, .total_ns = 50 },
	};
	struct tree t = { .nodes = nodes, .len = 4, .depth = 2 };
	struct flame_layout_options opt = { .width = 1000, .max_rects = 10, .by_name = true };
	struct flame_layout l;
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(flame_layout__build(&t, &opt, &a, &l, NULL), 0);
	assert_int_equal(l.len, 4);
	assert_int_equal(l.rows, 3);
	assert_int_equal(l.rects[1].x, 0);
	assert_int_equal(l.rects[1].w, 250);
	assert_int_equal(l.rects[2].w, 100);
	assert_int_equal(l.rects[3].x, 250);
	assert_int_equal(l.rects[3].w, 500);
	assert_int_equal(l.rects[3].start_ns, 25);
	assert_int_equal(l.left_out, 0);
	opt.by_name = false;
	assert_int_equal(flame_layout__build(&t, &opt, &a, &l, NULL), 0);
	assert_int_equal(l.len, 4);
	assert_int_equal(l.rects[1].node, 3);
	assert_int_equal(l.rects[1].x, 0);
	assert_int_equal(l.rects[2].node, 1);
	assert_int_equal(l.rects[2].x, 500);
	assert_int_equal(l.rects[3].node, 2);
	assert_int_equal(l.rects[3].x, 500);
	arena__done(&a);
}

static void test_flame_layout__leaves_out_what_cannot_be_seen(void **state)
{
	struct tree_node nodes[] = {
		{ .name = "", .total_ns = 10000 },
		{ .name = "wide", .depth = 1, .total_ns = 9989 },
		{ .name = "tenth", .depth = 1, .total_ns = 10 },
		{ .name = "less", .depth = 1, .end = 4, .total_ns = 1 },
		{ .name = "none", .depth = 1, .total_ns = 0 },
	};
	struct tree t = { .nodes = nodes, .len = 5, .depth = 1 };
	struct flame_layout_options opt = { .width = 1000, .max_rects = 10 };
	struct flame_layout l;
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(flame_layout__build(&t, &opt, &a, &l, NULL), 0);
	assert_int_equal(l.len, 3);
	assert_int_equal(l.rects[2].node, 2);
	assert_int_equal(l.left_out, 1); /* a node without time is not missing */
	opt.min_share = 0.5;
	assert_int_equal(flame_layout__build(&t, &opt, &a, &l, NULL), 0);
	assert_int_equal(l.len, 2); /* what is left out is too narrow even together */
	assert_int_equal(l.left_out, 2);
	arena__done(&a);
}

static void test_flame_layout__merges_the_narrowest_of_too_many(void **state)
{
	struct tree_node nodes[] = {
		{ .name = "", .total_ns = 100, .end = 6 },
		{ .name = "a", .depth = 1, .total_ns = 10, .end = 3 },
		{ .name = "a1", .parent = 1, .depth = 2, .total_ns = 4, .end = 3 },
		{ .name = "b", .depth = 1, .total_ns = 30, .end = 5 },
		{ .name = "b1", .parent = 3, .depth = 2, .total_ns = 30, .end = 5 },
		{ .name = "c", .depth = 1, .total_ns = 20, .end = 6 },
	};
	struct tree t = { .nodes = nodes, .len = 6, .depth = 2 };
	struct flame_layout_options opt = { .width = 1000, .max_rects = 4 };
	struct flame_layout l;
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(flame_layout__build(&t, &opt, &a, &l, NULL), 0);
	assert_int_equal(l.len, 4);
	assert_int_equal(l.rects[1].node, 3);
	assert_int_equal(l.rects[1].x, 0); /* shown ones stand first */
	assert_int_equal(l.rects[2].node, 4);
	assert_int_equal(l.rects[3].node, 0);
	assert_int_equal(l.rects[3].merged, 3); /* a, a1 and c */
	assert_int_equal(l.rects[3].time_ns, 30);
	assert_int_equal(l.rects[3].start_ns, 30);
	assert_int_equal(l.rects[3].x, 300);
	assert_int_equal(l.rects[3].w, 300);
	assert_int_equal(l.rects[3].row, 1);
	assert_int_equal(l.left_out, 3);
	opt.max_rects = 3; /* the parent of equals stays, its child is merged */
	assert_int_equal(flame_layout__build(&t, &opt, &a, &l, NULL), 0);
	assert_true(l.len <= 3);
	assert_int_equal(l.left_out, 5 - (l.len - 2));
	arena__done(&a);
}

static void test_flame_layout__merges_frames_too_narrow_alone(void **state)
{
	struct tree_node nodes[12] = { { .name = "", .total_ns = 10000, .end = 12 } };
	struct tree t = { .nodes = nodes, .len = 12, .depth = 1 };
	struct flame_layout_options opt = { .width = 1000, .max_rects = 100 };
	struct flame_layout l;
	struct arena a;
	u32 i;

	(void)state;
	arena__init(&a);
	for (i = 1; i < 12; i++)
		nodes[i] =
			(struct tree_node){ .name = "n", .depth = 1, .total_ns = 9, .end = i + 1 };
	assert_int_equal(flame_layout__build(&t, &opt, &a, &l, NULL), 0);
	assert_int_equal(l.len, 2);
	assert_int_equal(l.rects[1].merged, 11);
	assert_int_equal(l.rects[1].w, 10); /* a pixel */
	assert_int_equal(l.rects[1].time_ns, 99);
	for (i = 1; i < 12; i++)
		nodes[i].total_ns = 8;
	assert_int_equal(flame_layout__build(&t, &opt, &a, &l, NULL), 0);
	assert_int_equal(l.len, 1); /* less than a pixel */
	assert_int_equal(l.left_out, 11);
	arena__done(&a);
}

static void test_flame_layout__of_no_time_is_the_root(void **state)
{
	struct tree_node nodes[] = { { .name = "" }, { .name = "a", .depth = 1 } };
	struct tree t = { .nodes = nodes, .len = 2, .depth = 1 };
	struct flame_layout_options opt = { .width = 1000, .max_rects = 10 };
	struct flame_layout l;
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(flame_layout__build(&t, &opt, &a, &l, NULL), 0);
	assert_int_equal(l.len, 1);
	assert_int_equal(l.rows, 1);
	assert_int_equal(l.rects[0].w, 1000);
	arena__done(&a);
}

static void test_flame_layout__does_not_overflow(void **state)
{
	struct tree_node nodes[] = {
		{ .name = "", .total_ns = ~0ULL },
		{ .name = "a", .depth = 1, .total_ns = 1ULL << 63 },
		{ .name = "b", .depth = 1, .total_ns = (1ULL << 63) - 1 },
	};
	struct tree t = { .nodes = nodes, .len = 3, .depth = 1 };
	struct flame_layout_options opt = { .width = 200000, .max_rects = 10 };
	struct flame_layout l;
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(flame_layout__build(&t, &opt, &a, &l, NULL), 0);
	check_layout(&t, &l, opt.width);
	assert_int_equal(l.rects[1].w, 100000);
	assert_int_equal(l.rects[2].x, 100000);
	arena__done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flame_layout__has_no_overlaps_and_no_orphans),
		cmocka_unit_test(test_flame_layout__puts_children_side_by_side),
		cmocka_unit_test(test_flame_layout__leaves_out_what_cannot_be_seen),
		cmocka_unit_test(test_flame_layout__merges_the_narrowest_of_too_many),
		cmocka_unit_test(test_flame_layout__merges_frames_too_narrow_alone),
		cmocka_unit_test(test_flame_layout__of_no_time_is_the_root),
		cmocka_unit_test(test_flame_layout__does_not_overflow),
	};

	return cmocka_run_group_tests_name("flame_layout", tests, NULL, NULL);
}
