/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rendered.h"
#include "render/formats.h"

#define BOTH                                                                                       \
	"task 7/8 comm\nwait S blocked=12us runq=3us\n u main\n u leaf\n k entry\n k schedule\n"

static void test_folded__is_bccs_line(void **state)
{
	(void)state;
	assert_rendered(BOTH, &render_folded, (struct render_options){ 0 },
			"comm;main;leaf;entry;schedule 15\n");
}

static void test_folded__puts_the_delimiter_between_both_sides(void **state)
{
	(void)state;
	assert_rendered(BOTH, &render_folded, (struct render_options){ .delimiter = true },
			"comm;main;leaf;-;entry;schedule 15\n");
}

static void test_folded__puts_no_delimiter_beside_one_side(void **state)
{
	const struct render_options user = { .delimiter = true, .sides = SIDE_USER };
	const struct render_options both = { .delimiter = true };

	(void)state;
	assert_rendered(BOTH, &render_folded, user, "comm;main;leaf 15\n");
	assert_rendered("task 7/8 comm\nwait S blocked=1us\n k entry\n", &render_folded, both,
			"comm;[Missed User Stack];entry 1\n");
	assert_rendered("task 7/8 comm\nwait S blocked=1us\n u main\n", &render_folded, both,
			"comm;main;[Missed Kernel Stack] 1\n");
}

static void test_folded__shows_one_side(void **state)
{
	const struct render_options kernel = { .sides = SIDE_KERNEL };

	(void)state;
	assert_rendered(BOTH, &render_folded, kernel, "comm;entry;schedule 15\n");
	assert_rendered("task 7/8 comm\nwait S blocked=1us\n", &render_folded, kernel,
			"comm;[Missed Kernel Stack] 1\n");
}

static void test_folded__of_a_kernel_thread_misses_no_user_stack(void **state)
{
	(void)state;
	assert_rendered("task 2/2 kthreadd flags=kthread\nwait S blocked=1us\n k kthreadd\n",
			&render_folded, (struct render_options){ 0 }, "kthreadd;kthreadd 1\n");
	assert_rendered("task 2/2 kthreadd flags=kthread\nwait S blocked=1us\n k kthreadd\n",
			&render_folded, (struct render_options){ .sides = SIDE_USER },
			"kthreadd 1\n");
}

static void test_folded__calls_unnamed_frames_unknown(void **state)
{
	(void)state;
	assert_rendered("module m elf /a/b\ntask 1/1 c\nwait S blocked=1us\n"
			" u @m 0x10 !no_symbol\n k @- 0x20 !kernel_hidden\n",
			&render_folded, (struct render_options){ 0 }, "c;[unknown];[unknown] 1\n");
}

static void test_folded__escapes_nothing(void **state)
{
	(void)state;
	assert_rendered("task 1/1 a;b\\x20c\nwait S blocked=1us\n u x; y <z>\n k s\n",
			&render_folded, (struct render_options){ 0 }, "a;b c;x; y <z>;s 1\n");
}

static void test_folded__is_in_ascending_order_without_zeros(void **state)
{
	(void)state;
	assert_rendered("task 1/1 c\nwait S blocked=3us\n k a\n"
			"wait S blocked=1us\n k b\nwait S blocked=499ns\n k z\n"
			"wait S blocked=0ns\n k n\nwait S blocked=2us\n k c\n",
			&render_folded, (struct render_options){ .sides = SIDE_KERNEL },
			"c;b 1\nc;c 2\nc;a 3\n");
}

static void test_wide__says_thread_state_and_side(void **state)
{
	(void)state;
	assert_rendered(BOTH, &render_wide, (struct render_options){ 0 },
			"comm-7/8;[state S];main;leaf;entry_[k];schedule_[k] 15\n");
	assert_rendered(BOTH, &render_wide,
			(struct render_options){ .delimiter = true, .unit = RENDER_UNIT_NS },
			"comm-7/8;[state S];main;leaf;-;entry_[k];schedule_[k] 15000\n");
}

static void test_wide__names_the_place_of_unnamed_frames(void **state)
{
	(void)state;
	assert_rendered("module m elf /a/b\ntask 1/1 c\nwait D blocked=1us\n"
			" u @m 0x10 !no_symbol\n k @- 0x20 !kernel_hidden\n",
			&render_wide, (struct render_options){ 0 },
			"c-1/1;[state D];[b+0x10];[unknown]_[k] 1\n");
}

static void test_wide__cleans_names(void **state)
{
	(void)state;
	assert_rendered("task 1/1 a;b\\x20c\\x0a\nwait S blocked=1us\n u x; y\\x1b\\xff\n k s\n",
			&render_wide, (struct render_options){ 0 },
			"a:b c?-1/1;[state S];x: y?\xef\xbf\xbd;s_[k] 1\n");
}

static void test_wide__marks_interpreted_frames(void **state)
{
	(void)state;
	assert_rendered("module code code [python] tgid=1\ntask 1/1 c\nwait S blocked=2us\n"
			" u main\n u @code 1 a.py:f:1\n u @code 2 !code_unread\n k s\n",
			&render_wide, (struct render_options){ 0 },
			"c-1/1;[state S];main;a.py:f:1_[p];[python: unread function]_[p];s_[k] "
			"2\n");
}

static void test_folded__leaves_truncated_frames_out_for_bcc(void **state)
{
	static const char literal[] = "task 1/1 c\nwait S blocked=2us\n utrunc depth\n u f\n k s\n"
				      "wait S blocked=1us\n u f\n k s\n"
				      "wait S blocked=9us\n utrunc fault\n k s\n";

	(void)state;
	assert_rendered(literal, &render_folded, (struct render_options){ .no_truncated = true },
			"c;f;s 3\nc;[Missed User Stack];s 9\n");
	assert_rendered(literal, &render_folded, (struct render_options){ 0 },
			"c;f;s 1\nc;[truncated: deeper than the limit];f;s 2\n"
			"c;[truncated: stack memory not readable];s 9\n");
}

static void test_wide__marks_lost_and_cut(void **state)
{
	(void)state;
	assert_rendered("task 1/1 c S=5us\nwait S blocked=2us\n u deep\n k s\n kcut\n",
			&render_wide, (struct render_options){ 0 },
			"c-1/1;[state S];deep;[cut off];s_[k] 2\nc-1/1;[state S];[lost] 3\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded__is_bccs_line),
		cmocka_unit_test(test_folded__puts_the_delimiter_between_both_sides),
		cmocka_unit_test(test_folded__puts_no_delimiter_beside_one_side),
		cmocka_unit_test(test_folded__shows_one_side),
		cmocka_unit_test(test_folded__of_a_kernel_thread_misses_no_user_stack),
		cmocka_unit_test(test_folded__calls_unnamed_frames_unknown),
		cmocka_unit_test(test_folded__escapes_nothing),
		cmocka_unit_test(test_folded__is_in_ascending_order_without_zeros),
		cmocka_unit_test(test_wide__says_thread_state_and_side),
		cmocka_unit_test(test_wide__names_the_place_of_unnamed_frames),
		cmocka_unit_test(test_wide__cleans_names),
		cmocka_unit_test(test_wide__marks_interpreted_frames),
		cmocka_unit_test(test_folded__leaves_truncated_frames_out_for_bcc),
		cmocka_unit_test(test_wide__marks_lost_and_cut),
	};

	return cmocka_run_group_tests_name("folded", tests, NULL, NULL);
}
