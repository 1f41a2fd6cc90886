/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/view/preorder.h"
#include "base/mem.h"

struct node {
	u32 parent;
	char name;
};

static u32 parent_of(const void *tree, u32 id)
{
	return ((const struct node *)tree)[id].parent;
}

static int by_name(const void *a, const void *b, void *tree)
{
	const struct node *nodes = tree;

	return nodes[*(const u32 *)a].name - nodes[*(const u32 *)b].name;
}

/*
 *	0 - b(1) - d(4)
 *	         - c(5) - e(7)
 *	  - a(2) - z(3) - y(6)
 */
static struct node nodes[] = {
	{ 0, 0 },   { 0, 'b' }, { 0, 'a' }, { 2, 'z' },
	{ 1, 'd' }, { 1, 'c' }, { 3, 'y' }, { 5, 'e' },
};

static const struct preorder_of of = {
	.len = ARRAY_LEN(nodes),
	.parent = parent_of,
	.compare = by_name,
	.tree = nodes,
};

static void test_preorder__puts_children_after_their_parent(void **state)
{
	/* 0 a z y b c e d */
	static const u32 place[] = { 0, 4, 1, 2, 7, 5, 3, 6 };
	static const u32 size[] = { 8, 4, 3, 2, 1, 2, 1, 1 };
	struct preorder o;
	u32 i;

	(void)state;
	assert_int_equal(preorder__init(&o, &of), 0);
	for (i = 0; i < of.len; i++) {
		assert_int_equal(o.place[i], place[i]);
		assert_int_equal(o.size[i], size[i]);
	}
	for (i = 0; i + 1 < of.len; i++) {
		u32 k, parent = nodes[o.sorted[i]].parent;

		for (k = 0; k < i && o.sorted[k] != parent; k++)
			;
		assert_true(!parent || k < i);
	}
	preorder__done(&o);
}

/* As deep as a stack may be; a root is a tree too. */
static void test_preorder__is_no_matter_of_depth(void **state)
{
	enum { LEN = 300000 };
	struct node *chain = mem_array(LEN, sizeof(*chain));
	struct preorder_of deep = of;
	struct preorder o;
	u32 i;

	(void)state;
	for (i = 1; i < LEN; i++)
		chain[i].parent = i - 1;
	deep.len = LEN;
	deep.tree = chain;
	assert_int_equal(preorder__init(&o, &deep), 0);
	for (i = 0; i < LEN; i++)
		assert_int_equal(o.place[i], i);
	preorder__done(&o);
	deep.len = 1;
	assert_int_equal(preorder__init(&o, &deep), 0);
	assert_int_equal(o.place[0], 0);
	assert_int_equal(o.size[0], 1);
	preorder__done(&o);
	mem_fail_nth(1);
	assert_int_equal(preorder__init(&o, &of), -ENOMEM);
	mem_fail_nth(0);
	preorder__done(&o);
	mem_free(chain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_preorder__puts_children_after_their_parent),
		cmocka_unit_test(test_preorder__is_no_matter_of_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
