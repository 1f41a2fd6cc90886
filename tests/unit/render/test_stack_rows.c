/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "lib/lit.h"
#include "render/text/stack_rows.h"

static const char text[] = "task 1/1 a\n"
			   "wait S blocked=100ns runq=5ns\n u main\n k sys\n"
			   "wait D blocked=10ns\n u main\n k sys\n"
			   "wait S sys=1 blocked=1ns flags=open\n u main\n k sys\n"
			   "wait S blocked=7ns\n u main\n k other\n"
			   "task 1/2 a\n"
			   "wait S blocked=3ns\n u main\n k sys\n";

static void test_stack_rows__sum_waits_with_the_same_thread_and_stack(void **state)
{
	struct profile *p = lit(text);
	struct stack_rows sr;

	(void)state;
	assert_int_equal(stack_rows__init(&sr, p, 0, 0, NULL, NULL), 0);
	assert_int_equal(sr.len, 3);
	assert_int_equal(sr.rows[0].off_ns, 3);
	assert_int_equal(sr.rows[0].tid, 2);
	assert_int_equal(sr.rows[1].off_ns, 7);
	assert_int_equal(sr.rows[2].off_ns, 116);
	assert_int_equal(sr.rows[2].tid, 1);
	stack_rows__done(&sr);
	profile__free(p);
}

static void test_stack_rows__split_by_state_when_told(void **state)
{
	struct profile *p = lit(text);
	struct stack_rows sr;

	(void)state;
	assert_int_equal(stack_rows__init(&sr, p, 0, STACK_ROW_STATE, NULL, NULL), 0);
	assert_int_equal(sr.len, 4);
	assert_int_equal(sr.rows[2].off_ns, 10);
	assert_int_equal(sr.rows[2].state, 2);
	assert_int_equal(sr.rows[3].off_ns, 106);
	stack_rows__done(&sr);
	profile__free(p);
}

static void test_stack_rows__join_what_one_side_cannot_tell_apart(void **state)
{
	struct profile *p = lit(text);
	struct stack_rows sr;

	(void)state;
	assert_int_equal(stack_rows__init(&sr, p, SIDE_USER, 0, NULL, NULL), 0);
	assert_int_equal(sr.len, 2);
	assert_int_equal(sr.rows[1].off_ns, 123);
	assert_int_equal(sr.rows[1].stacks.kernel, 0);
	stack_rows__done(&sr);
	profile__free(p);
}

static void test_stack_rows__keep_the_order_of_equal_ones(void **state)
{
	struct profile *p = lit("task 1/1 a\n"
				"wait S blocked=5ns\n u one\n k sys\n"
				"wait S blocked=5ns\n u two\n k sys\n"
				"wait S blocked=5ns\n u three\n k sys\n");
	struct stack_rows sr;
	u32 i;

	(void)state;
	assert_int_equal(stack_rows__init(&sr, p, 0, 0, NULL, NULL), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(sr.rows[i].stacks.user, p->waits[i + 1].ustack);
	stack_rows__done(&sr);
	profile__free(p);
}

static void test_stack_from_root__turns_a_stack_over(void **state)
{
	struct profile *p =
		lit("task 1/1 a\nwait S blocked=5ns\n u one\n u two\n u three\n k sys\n");
	u32 *nodes;

	(void)state;
	assert_int_equal(stack_from_root(p, p->waits[1].ustack, &nodes), 3);
	assert_int_equal(nodes[2], p->waits[1].ustack);
	assert_int_equal(p->stacks[nodes[0]].parent, 0);
	assert_int_equal(p->stacks[nodes[1]].parent, nodes[0]);
	mem_free(nodes);
	profile__free(p);
}

static void test_stack_row_value__rounds_half_up(void **state)
{
	(void)state;
	assert_int_equal(stack_row_value(499, RENDER_UNIT_US), 0);
	assert_int_equal(stack_row_value(500, RENDER_UNIT_US), 1);
	assert_int_equal(stack_row_value(1499, RENDER_UNIT_US), 1);
	assert_int_equal(stack_row_value(499, RENDER_UNIT_NS), 499);
}

static void test_stack_rows__of_an_empty_profile_are_empty(void **state)
{
	struct profile *p = lit("");
	struct stack_rows sr;

	(void)state;
	assert_int_equal(stack_rows__init(&sr, p, 0, 0, NULL, NULL), 0);
	assert_int_equal(sr.len, 0);
	stack_rows__done(&sr);
	stack_rows__done(NULL);
	profile__free(p);
}

static void test_stack_rows__add_up_samples_and_variances(void **state)
{
	struct profile *p = lit("period 1ms\n"
				"task 1/1 a S=9ms\n"
				"wait S blocked=5ms count=50 samples=5 var=4000000\n u main\n"
				"wait S sys=1 blocked=3ms count=30 samples=3 var=2000000\n u main\n"
				"wait S blocked=1ms\n u other\n");
	struct stack_rows sr;

	(void)state;
	assert_int_equal(stack_rows__init(&sr, p, 0, 0, NULL, NULL), 0);
	assert_int_equal(sr.len, 2);
	assert_int_equal(sr.rows[0].var_us2, 0);
	assert_int_equal(sr.rows[0].samples, 1);
	assert_int_equal(sr.rows[1].var_us2, 6000000);
	assert_int_equal(sr.rows[1].samples, 8);
	stack_rows__done(&sr);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_rows__sum_waits_with_the_same_thread_and_stack),
		cmocka_unit_test(test_stack_rows__split_by_state_when_told),
		cmocka_unit_test(test_stack_rows__join_what_one_side_cannot_tell_apart),
		cmocka_unit_test(test_stack_rows__keep_the_order_of_equal_ones),
		cmocka_unit_test(test_stack_from_root__turns_a_stack_over),
		cmocka_unit_test(test_stack_row_value__rounds_half_up),
		cmocka_unit_test(test_stack_rows__of_an_empty_profile_are_empty),
		cmocka_unit_test(test_stack_rows__add_up_samples_and_variances),
	};

	return cmocka_run_group_tests_name("stack_rows", tests, NULL, NULL);
}
