/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/diff/diff_view.h"

static void expect_percent(double before, double after, const char *want)
{
	const struct diff_item it = {
		.ns = { (u64)before, (u64)after },
		.rate = { before, after },
	};
	char buf[32];

	diff_percent_text(&it, buf, sizeof(buf));
	assert_string_equal(buf, want);
}

static void test_percent_text_is_of_what_it_was(void **state)
{
	(void)state;
	expect_percent(1000, 1962, "+96.2%");
	expect_percent(1000, 250, "-75.0%");
	expect_percent(1000, 1000, "+0.0%");
	expect_percent(0, 1000, "new");
	expect_percent(1000, 0, "gone");
	expect_percent(0, 0, "-");
}

static void test_percent_text_tells_many_times_as_such(void **state)
{
	(void)state;
	expect_percent(1000, 10999, "+999.9%");
	expect_percent(1000, 11000, "x11");
	expect_percent(1000, 639336, "x639");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_percent_text_is_of_what_it_was),
		cmocka_unit_test(test_percent_text_tells_many_times_as_such),
	};

	return cmocka_run_group_tests_name("render/diff_view", tests, NULL, NULL);
}
