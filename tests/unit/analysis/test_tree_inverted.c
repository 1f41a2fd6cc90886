/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/model/tree.h"
#include "lib/lit.h"

/* Names with their depth and time in ms, in preorder. */
static void assert_tree(const char *literal, struct tree_options opt, const char *expected)
{
	struct profile *p = lit(literal);
	char text[2048] = "";
	struct arena a;
	struct tree t;
	u32 i;

	arena__init(&a);
	assert_int_equal(tree__build(p, &opt, &a, &t, NULL), 0);
	for (i = 1; i < t.len; i++) {
		size_t len = strlen(text);

		snprintf(text + len, sizeof(text) - len, "%s%u:%s=%llu", i > 1 ? " " : "",
			 t.nodes[i].depth, t.nodes[i].name, t.nodes[i].total_ns / NSEC_PER_MSEC);
	}
	assert_string_equal(text, expected);
	for (i = 1; i < p->waits_len; i++)
		t.nodes[0].total_ns -= p->waits[i].blocked_ns + p->waits[i].runq_ns;
	assert_int_equal(t.nodes[0].total_ns, 0);
	arena__done(&a);
	profile__free(p);
}

static void test_tree__inverted_begins_with_what_waited(void **state)
{
	(void)state;
	assert_tree("task 1/1 a\n"
		    " wait S blocked=1ms\n  u main\n  u f\n  k sys\n  k schedule\n"
		    " wait D blocked=2ms\n  u main\n  u g\n  k sys\n  k schedule\n"
		    "task 2/2 b\n"
		    " wait S blocked=4ms\n  u main\n  u f\n  k sys\n  k schedule\n",
		    (struct tree_options){ .invert = true },
		    "1:schedule=7 2:sys=7 3:f=5 4:main=5 5:a=1 5:b=4 3:g=2 4:main=2 5:a=2");
}

static void test_tree__inverted_has_marks_and_notes(void **state)
{
	(void)state;
	assert_tree("sides user kernel\n"
		    "task 1/1 a\n"
		    " wait S blocked=1ms\n  u main\n  k schedule\n  kcut\n"
		    " wait S blocked=2ms\n  k yield\n"
		    " wait D blocked=3ms\n  u main\n"
		    " wait S blocked=4ms flags=lost count=0\n",
		    (struct tree_options){ .invert = true, .delimiter = true },
		    "1:[Missed Kernel Stack]=3 2:main=3 3:a=3 1:[lost]=4 2:a=4 "
		    "1:schedule=1 2:[cut off]=1 3:-=1 4:main=1 5:a=1 "
		    "1:yield=2 2:[Missed User Stack]=2 3:a=2");
}

static void test_tree__groups_by_cause_and_module(void **state)
{
	static const char text[] =
		"arch x86_64\n"
		"module app elf /opt/app\n"
		"task 1/1 a\n"
		" wait S sys=futex blocked=1ms\n  u @app 1 main\n  k futex_wait\n"
		" wait R runq=2ms flags=preempted\n  u @app 1 main\n  k x\n";

	(void)state;
	assert_tree(text, (struct tree_options){ .root = GROUP_BY_CAUSE },
		    "1:futex=1 2:main=1 3:futex_wait=1 1:preempted=2 2:main=2 3:x=2");
	assert_tree(text, (struct tree_options){ .root = GROUP_BY_MODULE },
		    "1:app=3 2:main=3 3:futex_wait=1 3:x=2");
}

static void test_tree__of_causes_has_no_exact_time(void **state)
{
	struct profile *p = lit("period 10ms\n"
				"task 1/1 a\n"
				" wait S blocked=80ms count=90 samples=8 var=700\n  u main\n");
	struct tree_options opt = { .root = GROUP_BY_CAUSE };
	struct arena a;
	struct tree t;

	(void)state;
	p->tasks[1].blocked_ns[1] += 5 * NSEC_PER_MSEC;
	p->tasks[1].wall_ns += 5 * NSEC_PER_MSEC;
	arena__init(&a);
	assert_int_equal(tree__build(p, &opt, &a, &t, NULL), 0);
	assert_int_equal(t.nodes[0].exact_ns, 80 * NSEC_PER_MSEC);
	assert_int_equal(t.nodes[0].var_us2, 700);
	opt.root = GROUP_BY_COMM;
	assert_int_equal(tree__build(p, &opt, &a, &t, NULL), 0);
	assert_int_equal(t.nodes[0].exact_ns, 85 * NSEC_PER_MSEC);
	/* a thread's own frame is at many leaves then, and its total at none */
	opt.invert = true;
	assert_int_equal(tree__build(p, &opt, &a, &t, NULL), 0);
	assert_int_equal(t.nodes[0].exact_ns, 80 * NSEC_PER_MSEC);
	arena__done(&a);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree__inverted_begins_with_what_waited),
		cmocka_unit_test(test_tree__inverted_has_marks_and_notes),
		cmocka_unit_test(test_tree__groups_by_cause_and_module),
		cmocka_unit_test(test_tree__of_causes_has_no_exact_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
