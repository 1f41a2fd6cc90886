/* SPDX-License-Identifier: Apache-2.0 */
/* Which windows are shown, and how they differ from what was marked. */
#include "seen.h"

static void test_the_latest_windows(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		add(first);
	press("m");
	/* from now on: those before have become one sum */
	assert_has(picture(80, 24, false), " latest 1.00 s\n");
	add(first);
	assert_has(picture(80, 24, false), " latest 2.00 s\n");
	assert_has(picture(80, 24, false), "1.60 s  57.1%        4");
	for (int i = 0; i < 12; i++)
		add(i < 11 ? first : second);
	assert_has(picture(80, 24, false), " latest 10.0 s\n");
	/* nine of 800 ms, and one of 100 ms */
	assert_has(picture(80, 24, false), "7.30 s");
	press("m");
	/* the sum has all of them */
	assert_has(picture(80, 24, false), " all 16.0 s\n");
	assert_has(picture(80, 24, false), "12.1 s");
	press("m");
	assert_has(picture(80, 24, false), " last 1.00 s\n");
	assert_has(picture(80, 24, false), "100 ms");
}

static void test_frozen_latest(void **state)
{
	(void)state;
	add(first);
	press("m");
	add(first);
	press("f");
	add(second);
	add(second);
	assert_has(picture(80, 24, false), "FROZEN latest 2.00 s\n");
	press("f");
	assert_has(picture(80, 24, false), " latest 3.00 s\n");
	press("m");
	assert_has(picture(80, 24, false), " all 4.00 s\n");
}

static void test_the_sum_begins_again(void **state)
{
	(void)state;
	press("r");
	add(first);
	add(first);
	press("mm");
	assert_has(picture(80, 24, false), " all 2.00 s\n");
	press("r");
	assert_has(picture(80, 24, false), " all 1.00 s\n");
	add(second);
	assert_has(picture(80, 24, false), " all 2.00 s\n");
	assert_has(picture(80, 24, false), "900 ms");
	press("mmr");
	assert_has(picture(80, 24, false), " latest 1.00 s\n");
}

static void test_diff(void **state)
{
	const char *text;

	(void)state;
	press("A");
	add(first);
	press("7");
	assert_has(picture(100, 24, false), "Press A to mark what is shown; then this tab shows "
					    "what changes.");
	press("jkGA");
	assert_has(picture(100, 24, false), "marked as A; the sum begins again: tab 7 shows");
	assert_has(picture(100, 24, false), "\nA   1.00 s, 2 threads");
	assert_has(picture(100, 24, false), "\nnow 1.00 s, 2 threads");
	add(second);
	text = picture(100, 24, false);
	/* 800 ms of fsync became 100 ms */
	assert_order(text, "   A per s now per s     change           cause",
		     "    800 ms    100 ms    -700 ms   -87.5% ?disk-sync");
	assert_order(text, "?disk-sync", "    600 ms    600 ms       0 ns    +0.0%");
	assert_has(text, "\nNot tested against chance: ");
	press("g");
	text = picture(100, 24, false);
	assert_has(text, "  function");
	assert_order(text, "?flush", "lock_it");
	press("/lock_it\r");
	text = picture(100, 24, false);
	assert_lacks(text, "flush");
	assert_has(text, ">    600 ms    600 ms       0 ns");
	press_key(KEY_OF_ESC);
	press_key(KEY_OF_END);
	press_key(KEY_OF_PAGE_UP);
	press_key(KEY_OF_PAGE_DOWN);
	picture(100, 12, false);
	press_key(KEY_OF_HOME);
	/* what was drilled into: on both sides */
	press("1j\r7g");
	text = picture(100, 24, false);
	assert_has(text, "only disk-sync fsync (D)");
	assert_has(text, "    800 ms    100 ms    -700 ms   -87.5%");
	assert_lacks(text, " lock");
	/* what there was not in A */
	press_key(KEY_OF_ESC);
	add(HEAD "task 1/1 a group=a on=100ms\n"
		 "  wait S sys=read blocked=300ms\n    u other\n    k pipe_read\n");
	press("1");
	press_key(KEY_OF_HOME);
	press("\r7");
	assert_has(picture(100, 24, false), "There are no such waits in A. Esc goes back.");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_latest_windows),
		T(frozen_latest),
		T(the_sum_begins_again),
		T(diff),
	};

	return cmocka_run_group_tests_name("tui/diff_view", tests, NULL, NULL);
}
