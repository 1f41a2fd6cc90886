/* SPDX-License-Identifier: Apache-2.0 */
/* What is on the screen after windows and keys: no terminal, and profiles written by hand. */
#include "seen.h"

static void test_before_the_first_window(void **state)
{
	(void)state;
	assert_has(picture(80, 24, false), "The first window is not over yet.");
	/* no key needs one */
	press("1234567890 simAr+-ef?jkghlGd/x\r");
	press_key(KEY_OF_ENTER);
	press_key(KEY_OF_END);
	press_key(KEY_OF_TAB);
	assert_has(picture(80, 24, false), "coldspot all threads");
	assert_false(v.quit);
}

static void test_header(void **state)
{
	const char *text;

	(void)state;
	add(first);
	text = picture(80, 24, false);
	assert_has(text, "cost 0.10%, nothing lost  last 1.00 s\n");
	assert_has(text, "2 threads: on CPU 300 ms, run queue 0 ns, blocked 1.40 s, idle 300 ms "
			 "(hidden)\n");
	assert_has(text, "blocked threads 1.4, most 1.4 \u2588\n");
	assert_has(text,
		   " 1 Why  2 Stacks  3 Flame  4 Threads  5 Processes  6 Locks  7 Diff  8 Cost ");
	/* 39 cells for 2 s */
	assert_has(picture(120, 24, false), "(hidden) [#####BBBBBBBBBBBBBBBBBBBBBBBBBBBB......]\n");
	add(second);
	assert_has(picture(80, 24, false), "0.7, most 1.4 \u2588\u2584\n");
	assert_has(picture(80, 24, true), "0.7, most 1.4 #:\n");
	viewer__end(&v, "Over: the command has ended.");
	assert_has(picture(80, 24, false), "last 1.00 s, over\n");
	assert_has(picture(80, 24, false), "\nOver: the command has ended. ? help");
}

static void test_loss_is_in_the_header(void **state)
{
	(void)state;
	add(HEAD "loss waits_full 3 20ms\ntask 10/10 web group=web on=1s\n");
	assert_has(picture(80, 24, false), "   cost 0.10%, LOST 20.0 ms: see Cost  last 1.00 s\n");
	press("8");
	assert_has(picture(80, 24, false), "3 waits not listed: wait table full (20.0 ms)");
	assert_has(picture(80, 24, false), "at switches, in the kernel   1.00 ms  0.05%");
}

/* What cost something is not shown as free. */
static void test_small_cost(void **state)
{
	(void)state;
	add("arch x86_64\nsides user kernel\nncpu 2\nwindow 1s\nswitches_seen 10\nprog_runs 10\n"
	    "prog 1us\nself_cpu 1us\ntask 10/10 web group=web on=1s\n");
	assert_has(picture(80, 24, false), "cost <0.01%, nothing lost");
	press("8");
	assert_has(picture(80, 24, false), "at switches, in the kernel   1.00 \u00b5s  <0.01% of");
}

static void test_rows_and_idle(void **state)
{
	const char *text;

	(void)state;
	add(first);
	text = picture(80, 24, false);
	assert_order(text, "800 ms  57.1%        2   400 ms   700 ms  disk-sync fsync (D)",
		     "600 ms  42.9%        3   200 ms   500 ms  lock futex (S)");
	assert_lacks(text, "epoll_wait");
	press("i");
	text = picture(80, 24, false);
	assert_has(text, "idle 300 ms\n");
	assert_has(text, "300 ms  17.6%        1   300 ms   300 ms  poll epoll_wait (S) idle");
	press("4");
	assert_has(picture(80, 24, false), "900 ms  52.9%");
	press("i");
	assert_has(picture(80, 24, false), "600 ms  42.9%  web-10/10");
}

static void test_tabs(void **state)
{
	(void)state;
	add(first);
	press("2");
	assert_has(picture(120, 24, false), "web: pthread_mutex_lock < lock_it");
	press_key(KEY_OF_TAB);
	assert_int_equal(v.tab, TAB_FLAME);
	press_key(KEY_OF_TAB);
	assert_has(picture(120, 24, false), "b\u00e4r-20/20");
	assert_has(picture(180, 24, false), "  on CPU     idle  thread");
	press_key(KEY_OF_TAB);
	assert_has(picture(120, 24, false), "b\u00e4r-20\x20");
	press_key(KEY_OF_TAB);
	assert_has(picture(120, 24, false), "  lock, and its owner ");
	press_key(KEY_OF_TAB);
	assert_int_equal(v.tab, TAB_DIFF);
	press_key(KEY_OF_TAB);
	assert_has(picture(120, 24, false), "Cost\n");
	press_key(KEY_OF_TAB);
	assert_has(picture(120, 24, false), "why (state)");
	press_key(KEY_OF_BACK_TAB);
	assert_int_equal(v.tab, TAB_COST);
	press("9");
	assert_int_equal(v.tab, TAB_COST);
}

static void test_wakers_have_a_tab(void **state)
{
	(void)state;
	v.opt.wakers = true;
	add(HEAD "task 10/10 web group=web on=400ms\n"
		 "  wait S sys=futex blocked=600ms count=3\n    u main\n    k futex_wait\n"
		 "    woken W running=600ms count=3\n"
		 "task 20/20 db group=db on=1s\nwaker W 20/20 db end=unrecorded\n");
	press("7");
	assert_has(picture(100, 24, false), " 7 Wakers  8 Diff  9 Cost ");
	assert_has(picture(80, 24, false), "1Why 2Stacks 3Flame 4Threads 5Processes 6Locks "
					   "7Wakers 8Diff 9Cost ");
	assert_has(picture(80, 24, false), "600 ms 100.0%        3   200 ms   200 ms  db-20");
}

static void test_sort(void **state)
{
	(void)state;
	add(first);
	assert_order(picture(80, 24, false), "disk-sync", "lock futex");
	press("s");
	assert_has(picture(80, 24, false), "*count");
	assert_order(picture(80, 24, false), "lock futex", "disk-sync");
	press("s");
	assert_order(picture(80, 24, false), "disk-sync", "lock futex");
	press("s");
	assert_has(picture(80, 24, false), "*why (state)");
	assert_order(picture(80, 24, false), "disk-sync", "lock futex");
	/* each tab has its own */
	press("4");
	assert_has(picture(80, 24, false), "*waited");
}

static void test_filter(void **state)
{
	(void)state;
	add(first);
	press("/SYNq");
	assert_false(v.quit);
	assert_has(picture(80, 24, false), "\n/SYNq_\n");
	assert_has(picture(80, 24, false), "No row contains 'SYNq'. Esc removes the filter.");
	press_key(KEY_OF_BACKSPACE);
	assert_has(picture(80, 24, false), "disk-sync");
	assert_lacks(picture(80, 24, false), "lock futex");
	press("\r");
	assert_has(picture(80, 24, false), "filter: SYN ? help");
	press_key(KEY_OF_ESC);
	assert_has(picture(80, 24, false), "lock futex");
	press("4/\u00e4r\u00e4");
	press_key(KEY_OF_BACKSPACE);
	assert_has(picture(80, 24, false), "/\u00e4r_");
	assert_lacks(picture(80, 24, false), "web-10");
	for (u32 i = 0; i < 3 * PROMPT_SZ; i++)
		press("\u00e4");
	assert_has(picture(250, 24, false), "\u00e4\u00e4_\n");
	press_key(KEY_OF_ESC);
	assert_has(picture(80, 24, false), "web-10");
}

/* The first row stays chosen while nobody moves; another one is followed. */
static void test_the_chosen_row_is_followed(void **state)
{
	(void)state;
	add(first);
	assert_has(picture(80, 24, false), ">   800 ms");
	add(second);
	assert_has(picture(80, 24, false), ">   600 ms");
	press("G");
	assert_has(picture(80, 24, false), ">   100 ms");
	add(first);
	assert_has(picture(80, 24, false), ">   800 ms");
	add(second);
	assert_has(picture(80, 24, false), ">   100 ms");
	press_key(KEY_OF_HOME);
	add(first);
	assert_has(picture(80, 24, false), ">   800 ms");
}

static void test_detail(void **state)
{
	const char *text;

	(void)state;
	add(first);
	press("jd");
	text = picture(80, 40, false);
	assert_has(text, "600 ms in 3 waits, mean 200 ms, longest 500 ms");
	assert_has(text, "lock: ");
	assert_has(text, "\n-> ");
	assert_order(text, "<  1.05 ms          2 \u2588", "<   537 ms          1 \u2588");
	assert_order(text, "      futex_wait\n",
		     "      pthread_mutex_lock\n      lock_it\n      main\n");
	assert_lacks(text, "submit_bio_wait");
	text = picture(80, 12, true);
	assert_lacks(text, "lock_it");
	press_key(KEY_OF_END);
	assert_has(picture(80, 12, true), "      main\n");
	/* a larger screen has all of it */
	assert_has(picture(80, 40, false), "600 ms in 3 waits, mean");
	press_key(KEY_OF_END);
	press_key(KEY_OF_HOME);
	assert_has(picture(80, 12, true), "2 #");
	/* a thread has no cause, but all its stacks, without those of waits for work */
	press("4Gd");
	text = picture(80, 40, false);
	assert_has(text, "Stacks, from the function that waited (1 of 1)");
	press("i");
	assert_has(picture(80, 40, false), "(2 of 2)");
	press_key(KEY_OF_ESC);
	assert_has(picture(80, 40, false), ">   900 ms");
	press("d");
	add(HEAD "task 20/20 db group=db on=1s\n");
	assert_has(picture(80, 40, false), "web-10/10: not in this window. Esc goes back.");
}

/* They are for Flame. */
static void test_left_and_right_stay_in_a_row(void **state)
{
	(void)state;
	add(first);
	press("lh");
	assert_has(picture(80, 24, false), ">   800 ms");
	press_key(KEY_OF_LEFT);
	assert_has(picture(80, 24, false), ">   800 ms");
	press("jl");
	assert_has(picture(80, 24, false), ">   600 ms");
}

/* Nobody knows how many waits were lost: that is no 0. */
static void test_unknown_count(void **state)
{
	const char *text;

	(void)state;
	add(HEAD "task 10/10 web group=web on=100ms\n"
		 "  wait S blocked=600ms count=0 flags=lost\n");
	assert_has(picture(120, 24, false), "   600 ms 100.0%        -        -        -");
	press("5");
	assert_has(picture(120, 24, false), "   600 ms 100.0%        -        -        -");
	press("d");
	text = picture(120, 40, false);
	assert_has(text, "600 ms in an unknown number of waits, mean -, longest -");
	assert_has(text, "  600 ms in an unknown number of waits\n");
	press("3");
	assert_has(picture(120, 24, false), "600 ms 100.0% in an unknown number of waits, ");
}

/* Mean and longest are not of waits for work, so the time beside them is not either. */
static void test_detail_tells_idle_apart(void **state)
{
	const char *text;

	(void)state;
	add(HEAD "task 10/10 web group=web on=100ms\n"
		 "  wait S sys=futex blocked=600ms count=3 max=500ms\n    u main\n"
		 "    u pthread_mutex_lock\n    k futex_wait\n"
		 "  wait S sys=epoll_wait blocked=300ms count=1\n    u main\n    u event_loop\n"
		 "    k ep_poll\n");
	press("4id");
	text = picture(80, 40, false);
	assert_has(text, "600 ms in 3 waits, mean 200 ms, longest 500 ms\n");
	assert_has(text, "300 ms in waits for work\n");
	press("i");
	assert_lacks(picture(80, 40, false), "waits for work\n");
}

static void test_all_and_freeze(void **state)
{
	static char before[65536];

	(void)state;
	add(first);
	add(second);
	press("mm");
	assert_has(picture(80, 24, false), " all 2.00 s\n");
	assert_has(picture(80, 24, false), "1.20 s  57.1%        6");
	add(second);
	assert_has(picture(80, 24, false), " all 3.00 s\n");
	press("f");
	snprintf(before, sizeof(before), "%s", picture(80, 24, false));
	add(first);
	add(first);
	assert_has(before, "FROZEN all 3.00 s\n");
	assert_string_equal(before, picture(80, 24, false));
	press("m");
	assert_has(picture(80, 24, false), "FROZEN last 1.00 s\n");
	assert_has(picture(80, 24, false), ">   600 ms");
	press("mm");
	press(" ");
	/* nothing of what came meanwhile is missing */
	assert_has(picture(80, 24, false), " all 5.00 s\n");
	assert_has(picture(80, 24, false), "3.00 s  53.6%       15");
	press("m");
	assert_has(picture(80, 24, false), " last 1.00 s\n");
}

/* Sums never have gaps. */
static void test_a_sum_begins_again_behind_a_gap(void **state)
{
	(void)state;
	add(first);
	add(second);
	press("mm");
	assert_has(picture(80, 24, false), " all 2.00 s\n");
	viewer__skip(&v);
	add(first);
	assert_has(picture(80, 24, false), " all 1.00 s\n");
	add(first);
	assert_has(picture(80, 24, false), " all 2.00 s\n");
	press("f");
	add(first);
	add(first);
	viewer__skip(&v);
	add(second);
	add(second);
	add(second);
	assert_has(picture(80, 24, false), "FROZEN all 2.00 s\n");
	press("f");
	assert_has(picture(80, 24, false), " all 3.00 s\n");
	add(first);
	assert_has(picture(80, 24, false), " all 4.00 s\n");
}

static void test_a_large_sum_begins_again(void **state)
{
	(void)state;
	v.windows.max_rows = 12;
	for (int i = 0; i < 10; i++)
		add(i % 2 ? second : first);
	press("mm");
	assert_lacks(picture(80, 24, false), " all 10.0 s\n");
}

static void test_help_has_every_key(void **state)
{
	const char *text;

	(void)state;
	add(first);
	press("?");
	text = picture(80, 50, false);
	for (u32 i = ACTION_NONE + 1; i < ACTION_CNT; i++)
		assert_has(text, action_help((enum action)i));
	press_key(KEY_OF_ESC);
	assert_has(picture(80, 24, false), "why (state)");
	press("q");
	assert_true(v.quit);
}

static void test_every_size(void **state)
{
	static const char *const views[] = { "1", "2",	"3",  "4",  "5",   "6",	   "7",
					     "8", "A7", "1d", "1?", "1/x", "3/web" };

	(void)state;
	add(first);
	for (u32 i = 0; i < ARRAY_LEN(views); i++) {
		press(views[i]);
		for (u32 rows = 1; rows < 60; rows += rows < 14 ? 1 : 15) {
			for (u32 cols = 1; cols < 260; cols += cols < 20 ? 1 : 30)
				picture(cols, rows, rows & 1);
		}
		press_key(KEY_OF_ESC);
	}
}

static void test_small_screen(void **state)
{
	const char *text;

	(void)state;
	add(first);
	text = picture(40, 10, false);
	assert_has(text, "coldspot all threads         last 1.00 s\n");
	assert_has(text, "  *waited  share  why (state)");
	assert_has(text, "   800 ms  57.1%  disk-sync fsync (D)");
	assert_lacks(text, "blocked threads");
	/* which time it is, rather than all of a long list */
	v.opt.target = "45 processes (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...)";
	assert_has(picture(40, 10, false), "coldspot 45 processes (1, 2, last 1.00 s\n");
}

static void test_scrolling(void **state)
{
	char text[16384] = HEAD;
	size_t len = strlen(text);

	(void)state;
	for (int i = 0; i < 50; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"task %d/%d w%d group=w on=%dms\n"
					"  wait S sys=futex blocked=%dms\n    k futex_wait\n",
					100 + i, 100 + i, i, 100 + 10 * i, 900 - 10 * i);
	add(text);
	press("4");
	assert_has(picture(80, 15, false), ">   900 ms");
	assert_has(picture(80, 15, false), "w8-");
	assert_lacks(picture(80, 15, false), "w9-");
	press_key(KEY_OF_PAGE_DOWN);
	assert_has(picture(80, 15, false), ">   810 ms");
	assert_has(picture(80, 15, false), "w1-");
	press_key(KEY_OF_END);
	assert_has(picture(80, 15, false), ">   410 ms");
	assert_lacks(picture(80, 15, false), "w40-");
	/* a larger screen is filled */
	assert_has(picture(80, 30, false), "w26-");
	press_key(KEY_OF_PAGE_UP);
	press_key(KEY_OF_UP);
	press("k");
	assert_has(picture(80, 30, false), ">   670 ms");
}

/* Names come from programs. */
static void test_names_obey_no_terminal(void **state)
{
	const char *text;

	(void)state;
	add(HEAD "task 10/10 a\\x1b[2Jb\\x9bc group=x on=900ms\n"
		 "  wait S sys=futex blocked=100ms\n    k futex_wait\n");
	press("4");
	text = picture(80, 24, true);
	assert_null(strchr(text, 27));
	for (; *text; text++)
		assert_true((unsigned char)*text < 0x80);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(before_the_first_window),
		T(header),
		T(loss_is_in_the_header),
		T(small_cost),
		T(rows_and_idle),
		T(tabs),
		T(wakers_have_a_tab),
		T(sort),
		T(filter),
		T(the_chosen_row_is_followed),
		T(left_and_right_stay_in_a_row),
		T(detail),
		T(unknown_count),
		T(detail_tells_idle_apart),
		T(all_and_freeze),
		T(a_sum_begins_again_behind_a_gap),
		T(a_large_sum_begins_again),
		T(help_has_every_key),
		T(every_size),
		T(small_screen),
		T(scrolling),
		T(names_obey_no_terminal),
	};

	return cmocka_run_group_tests_name("tui/viewer", tests, NULL, NULL);
}
