/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/view/wait_stacks.h"
#include "lib/lit.h"

static const char text[] = "task 1/1 user\n"
			   "wait S blocked=1ms\n u main\n k schedule\n" /* 1 */
			   "wait S blocked=1ms sys=1\n" /* 2 */
			   "wait X blocked=1ms\n k do_exit\n" /* 3 */
			   "wait Z blocked=1ms\n k do_exit\n" /* 4 */
			   "task 2/2 kernel flags=kthread\n"
			   "wait S blocked=1ms\n k kthread\n" /* 5 */
			   "task 3/3 lost S=5ms\n"; /* 6 */

static void test_wait_stacks__has_both_sides(void **state)
{
	struct profile *p = lit(text);
	struct wait_stacks s = wait_stacks_of(p, 1, 0);

	(void)state;
	assert_int_equal(s.user, p->waits[1].ustack);
	assert_int_equal(s.kernel, p->waits[1].kstack);
	assert_true(s.user && s.kernel && !s.user_missed && !s.kernel_missed && !s.lost);
	profile__free(p);
}

static void test_wait_stacks__leaves_out_a_side_that_is_not_wanted(void **state)
{
	struct profile *p = lit(text);
	struct wait_stacks user = wait_stacks_of(p, 1, SIDE_USER);
	struct wait_stacks kernel = wait_stacks_of(p, 2, SIDE_KERNEL);

	(void)state;
	assert_true(user.user && !user.kernel && !user.kernel_missed);
	assert_true(!kernel.user && !kernel.user_missed && kernel.kernel_missed);
	profile__free(p);
}

static void test_wait_stacks__does_not_miss_a_side_that_was_not_recorded(void **state)
{
	struct profile *p = lit("sides user\ntask 1/1 a\nwait S blocked=1ms\n");
	struct wait_stacks s = wait_stacks_of(p, 1, SIDE_USER | SIDE_KERNEL);

	(void)state;
	assert_true(s.user_missed);
	assert_false(s.kernel_missed);
	profile__free(p);
}

static void test_wait_stacks__knows_who_can_have_no_user_stack(void **state)
{
	struct profile *p = lit(text);

	(void)state;
	assert_true(wait_stacks_of(p, 2, 0).user_missed);
	assert_false(wait_stacks_of(p, 3, 0).user_missed); /* its memory is gone */
	assert_false(wait_stacks_of(p, 4, 0).user_missed);
	assert_false(wait_stacks_of(p, 5, 0).user_missed); /* a kernel thread */
	profile__free(p);
}

static void test_wait_stacks__lost_waits_miss_nothing(void **state)
{
	struct profile *p = lit(text);
	struct wait_stacks s = wait_stacks_of(p, 6, 0);

	(void)state;
	assert_true(s.lost);
	assert_true(!s.user_missed && !s.kernel_missed);
	profile__free(p);
}

static void test_wait_ns__is_blocked_and_run_queue(void **state)
{
	struct profile_wait w = { .blocked_ns = 30, .runq_ns = 4 };

	(void)state;
	assert_int_equal(wait_ns(&w), 34);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait_stacks__has_both_sides),
		cmocka_unit_test(test_wait_stacks__leaves_out_a_side_that_is_not_wanted),
		cmocka_unit_test(test_wait_stacks__does_not_miss_a_side_that_was_not_recorded),
		cmocka_unit_test(test_wait_stacks__knows_who_can_have_no_user_stack),
		cmocka_unit_test(test_wait_stacks__lost_waits_miss_nothing),
		cmocka_unit_test(test_wait_ns__is_blocked_and_run_queue),
	};

	return cmocka_run_group_tests_name("wait_stacks", tests, NULL, NULL);
}
