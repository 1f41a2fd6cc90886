/* SPDX-License-Identifier: Apache-2.0 */
/* What a command writes, and the tab that shows it. */
#include "seen.h"

static void writes(const char *text)
{
	assert_int_equal(viewer__output(&v, text, strlen(text)), 0);
}

static void test_only_with_a_command(void **state)
{
	(void)state;
	assert_lacks(picture(120, 24, false), "Output");
	v.opt.output = true;
	assert_has(picture(120, 24, false), " 8 Output  9 Cost ");
}

static void test_lines(void **state)
{
	(void)state;
	v.opt.output = true;
	press("8");
	assert_has(picture(80, 24, false), "The command has not written anything yet.");
	writes("one\r\ntwo\n\nth");
	assert_has(picture(80, 24, false), "\none\ntwo\n\nth\n");
	writes("ree\x1b[31m\tx\n 10%\r 20%\r");
	assert_has(picture(80, 24, false), "\ntwo\n\nthree?[31m x\n 10%\n 20%\n");
	writes("b\xff\n");
	picture(80, 24, true);
}

static void test_it_is_followed(void **state)
{
	char line[32];

	(void)state;
	v.opt.output = true;
	add(first);
	press("8");
	for (int i = 0; i < 100; i++) {
		snprintf(line, sizeof(line), "line %d\n", i);
		writes(line);
		picture(80, 24, false);
	}
	assert_has(picture(80, 24, false), "line 99\n");
	press_key(KEY_OF_PAGE_UP);
	assert_lacks(picture(80, 24, false), "line 99\n");
	writes("more\n");
	assert_lacks(picture(80, 24, false), "more\n");
	press_key(KEY_OF_END);
	assert_has(picture(80, 24, false), "more\n");
	press_key(KEY_OF_HOME);
	assert_has(picture(80, 24, false), "line 0\n");
	press("18");
	assert_has(picture(80, 24, false), "more\n");
}

static void test_it_is_bounded(void **state)
{
	static char text[3 * OUTPUT_LINE_SZ];
	const struct output *o = &v.output;
	char line[32];

	(void)state;
	v.opt.output = true;
	memset(text, 'x', sizeof(text) - 1);
	writes(text);
	writes("\n");
	assert_int_equal(o->len, 4);
	for (int i = 0; i < OUTPUT_LINES + 6; i++) {
		snprintf(line, sizeof(line), "line %d\n", i);
		writes(line);
	}
	assert_int_equal(o->dropped, 10);
	assert_string_equal(output__line(o, 0), "line 6");
	assert_string_equal(output__line(o, OUTPUT_LINES - 1), "line 2005");
	assert_null(output__line(o, OUTPUT_LINES));
	press("8");
	press_key(KEY_OF_HOME);
	assert_has(picture(80, 24, false), "10 older lines are not kept.\nline 6\n");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(only_with_a_command),
		T(lines),
		T(it_is_followed),
		T(it_is_bounded),
	};

	return cmocka_run_group_tests_name("tui/output", tests, NULL, NULL);
}
