/* SPDX-License-Identifier: Apache-2.0 */
/* Clicks and the wheel, at places of a picture. */
#include "seen.h"

static void mouse(enum mouse_kind kind, u32 row, u32 col)
{
	const struct mouse m = { kind, row, col };
	struct err err;

	assert_int_equal(viewer__mouse(&v, &m, &err), 0);
}

static void test_tabs(void **state)
{
	(void)state;
	mouse(MOUSE_CLICK, 1, 3);
	add(first);
	/* " 1 Why  2 Stacks  3 Flame " in row 3 */
	picture(100, 24, false);
	mouse(MOUSE_CLICK, 3, 20);
	assert_int_equal(v.tab, TAB_FLAME);
	mouse(MOUSE_CLICK, 3, 0);
	assert_int_equal(v.tab, TAB_WHY);
	mouse(MOUSE_CLICK, 3, 99);
	assert_int_equal(v.tab, TAB_WHY);
	picture(40, 2, false);
	mouse(MOUSE_CLICK, 3, 20);
}

static void test_rows(void **state)
{
	(void)state;
	add(first);
	assert_has(picture(80, 24, false), ">   800 ms");
	mouse(MOUSE_CLICK, 6, 30);
	assert_has(picture(80, 24, false), ">   600 ms");
	/* below the last row, on the head, and far away */
	mouse(MOUSE_CLICK, 7, 30);
	mouse(MOUSE_CLICK, 4, 30);
	mouse(MOUSE_DOUBLE_CLICK, 12, 30);
	mouse(MOUSE_CLICK, 200, 300);
	assert_has(picture(80, 24, false), ">   600 ms");
	mouse(MOUSE_DOUBLE_CLICK, 6, 30);
	assert_int_equal(v.tab, TAB_STACKS);
	assert_has(picture(80, 24, false), "only lock futex (S)");
	/* not while something is typed */
	press("/x");
	mouse(MOUSE_CLICK, 3, 0);
	assert_int_equal(v.tab, TAB_STACKS);
}

static void test_wheel(void **state)
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
	picture(80, 15, false);
	mouse(MOUSE_WHEEL_DOWN, 8, 10);
	assert_has(picture(80, 15, false), ">   870 ms");
	mouse(MOUSE_WHEEL_UP, 8, 10);
	mouse(MOUSE_WHEEL_UP, 8, 10);
	assert_has(picture(80, 15, false), ">   900 ms");
	press("?");
	picture(80, 15, false);
	mouse(MOUSE_WHEEL_DOWN, 8, 10);
	assert_lacks(picture(80, 15, false), "Up, k");
}

static void test_frames(void **state)
{
	(void)state;
	add(first);
	press("3");
	/* bär has 800 of 1400 ms, and web the rest */
	assert_has(picture(100, 24, true), "\n|D b?r-20");
	mouse(MOUSE_CLICK, 5, 90);
	assert_has(picture(100, 24, true), "lock: web-10\n");
	mouse(MOUSE_DOUBLE_CLICK, 5, 2);
	assert_has(picture(100, 24, true), "disk-sync: b?r-20\n");
	assert_lacks(picture(100, 24, true), "|lock_it");
	mouse(MOUSE_CLICK, 20, 2);
	press("A7");
	picture(100, 24, true);
	mouse(MOUSE_CLICK, 8, 2);
	assert_has(picture(100, 24, true), ">    600 ms");
	mouse(MOUSE_CLICK, 18, 2);
	assert_has(picture(100, 24, true), ">    600 ms");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
	const struct CMUnitTest tests[] = { T(tabs), T(rows), T(wheel), T(frames) };

	return cmocka_run_group_tests_name("tui/mouse", tests, NULL, NULL);
}
