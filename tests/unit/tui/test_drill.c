/* SPDX-License-Identifier: Apache-2.0 */
/* Into rows and out again, and filters, from tab to tab and from window to window. */
#include "seen.h"

static void test_into_a_cause(void **state)
{
	const char *text;

	(void)state;
	add(first);
	press("j\r");
	text = picture(120, 24, false);
	assert_int_equal(v.tab, TAB_STACKS);
	assert_has(text, "\nonly lock futex (S)  (Esc: back)\n");
	assert_has(text, "600 ms 100.0%        3");
	assert_has(text, "web: pthread_mutex_lock < lock_it");
	assert_lacks(text, "submit_bio");
	/* totals above are those of all threads */
	assert_has(text, "2 threads: on CPU 300 ms");
	press("\r");
	assert_int_equal(v.tab, TAB_THREADS);
	assert_has(picture(120, 24, false), "web-10/10");
	assert_lacks(picture(120, 24, false), "b\u00e4r-20");
	press("1");
	assert_has(picture(120, 24, false), "lock futex (S)  ");
	assert_lacks(picture(120, 24, false), "disk-sync");
	/* each window is filtered */
	add(second);
	assert_has(picture(120, 24, false), "600 ms 100.0%        3");
	add(HEAD "task 20/20 db group=db on=1s\n");
	assert_has(picture(120, 24, false), "No such waits in this window. Esc goes back.");
	press("23456781dsgii/x\rj\r");
	press_key(KEY_OF_ESC);
	add(first);
	/* out again, to where it was */
	press_key(KEY_OF_BACKSPACE);
	assert_int_equal(v.tab, TAB_STACKS);
	assert_has(picture(120, 24, false), "only lock futex (S)  (Esc");
	press_key(KEY_OF_BACKSPACE);
	assert_int_equal(v.tab, TAB_WHY);
	assert_has(picture(120, 24, false), "disk-sync");
	assert_has(picture(120, 24, false), ">   600 ms");
	press_key(KEY_OF_BACKSPACE);
	assert_int_equal(v.tab, TAB_WHY);
}

/* All the time of the thread comes along, also time on a CPU. */
static void test_into_a_thread(void **state)
{
	(void)state;
	add(first);
	press("4");
	assert_has(picture(120, 24, false), "b\u00e4r-20/20");
	press("\r");
	assert_int_equal(v.tab, TAB_FLAME);
	assert_has(picture(120, 24, true), "D b?r-20");
	assert_lacks(picture(120, 24, true), "lock_it");
	press("4");
	assert_has(picture(120, 24, false), "700 ms   200 ms  b\u00e4r-20/20");
	assert_lacks(picture(120, 24, false), "web");
}

static void test_into_a_waker(void **state)
{
	(void)state;
	v.opt.wakers = true;
	add(HEAD "task 10/10 web group=web on=400ms\n"
		 "  wait S sys=futex blocked=600ms count=3\n    u main\n    k futex_wait\n"
		 "    woken W running=200ms count=1\n    woken X running=400ms count=2\n"
		 "task 20/20 db group=db on=1s\nwaker W 20/20 db end=unrecorded\n"
		 "waker X 30/30 [x*?] end=unrecorded\n");
	press("7");
	assert_has(picture(80, 24, false), "db-20");
	press("j\r");
	assert_has(picture(80, 24, false), "only db-20");
	assert_has(picture(80, 24, false), "200 ms 100.0%  web-10/10");
}

static void test_groups(void **state)
{
	(void)state;
	add(first);
	press("g");
	assert_has(picture(80, 24, false), "  cause ");
	assert_has(picture(80, 24, false), "  lock ");
	press("j\r");
	assert_has(picture(80, 24, false), "only lock ");
	assert_has(picture(80, 24, false), "lock_it");
	assert_lacks(picture(80, 24, false), "flush");
	press_key(KEY_OF_ESC);
	press("gg");
	assert_has(picture(80, 24, false), "  cause ");
	press("2g");
	assert_has(picture(80, 24, false), "function in the program, and in the");
	press("g");
	assert_has(picture(80, 24, false), "  module ");
	press("g");
	assert_has(picture(80, 24, false), "  object ");
	press("4g");
	assert_has(picture(80, 24, false), "  thread name ");
	assert_has(picture(80, 24, false), "  web ");
	press("5g");
	assert_has(picture(80, 24, false), "  cgroup ");
}

static void test_filters(void **state)
{
	(void)state;
	add(first);
	press("//^(lock|x) \r");
	assert_has(picture(80, 24, false), "lock futex");
	assert_lacks(picture(80, 24, false), "disk-sync");
	press("//(\r");
	assert_has(picture(80, 24, false), "'(' is not a regular expression");
	press_key(KEY_OF_ESC);
	/* a cause: in every tab */
	press("/cause:disk-sync");
	assert_has(picture(80, 24, false), "lock futex");
	press("\r");
	assert_has(picture(80, 24, false), "\nonly disk-sync  (Esc: back)\n");
	assert_lacks(picture(80, 24, false), "lock futex");
	press("4");
	assert_lacks(picture(80, 24, false), "web-10");
	press_key(KEY_OF_ESC);
	assert_int_equal(v.tab, TAB_WHY);
	press("/cause:nonsense\r");
	assert_has(picture(80, 24, false), "there is no cause 'nonsense'");
	assert_has(picture(80, 24, false), "lock futex");
	press("j");
	assert_lacks(picture(80, 24, false), "nonsense");
}

/* Where there is room, details stand below the table. */
static void test_details_below_the_table(void **state)
{
	const char *text;

	(void)state;
	add(first);
	picture(100, 50, false);
	press("d");
	text = picture(100, 50, false);
	assert_order(text, "lock futex (S)  ", " details: d shows all of them");
	assert_order(text, " details: d", "submit_bio_wait");
	press("j");
	assert_has(picture(100, 50, false), "      lock_it\n");
	press("d");
	assert_lacks(picture(100, 50, false), "why (state)");
	assert_has(picture(100, 50, false), "      lock_it\n");
	press("d");
	assert_has(picture(100, 50, false), "why (state)");
	assert_lacks(picture(100, 50, false), "lock_it");
	press("d");
	press_key(KEY_OF_ESC);
	assert_lacks(picture(100, 50, false), " details: d");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(into_a_cause), T(into_a_thread), T(into_a_waker),
		T(groups),	 T(filters),	   T(details_below_the_table),
	};

	return cmocka_run_group_tests_name("tui/drill", tests, NULL, NULL);
}
