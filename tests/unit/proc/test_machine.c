/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "proc/machine.h"

static int parse(const char *text, u64 *ret)
{
	struct machine_stat stat = { 7 };
	struct err err = { 0 };
	int r = machine_stat__parse(&stat, view__of_str(text), &err);

	*ret = stat.switches;
	if (r)
		assert_non_null(strstr(err.msg, "context switches"));
	return r;
}

static void test_machine_stat__parse_finds_the_switches(void **state)
{
	u64 n;

	(void)state;
	assert_int_equal(parse("cpu  1 2 3\ncpu0 1 2 3\nintr 9 0 0\nctxt 1234567\nbtime 1\n", &n),
			 0);
	assert_int_equal(n, 1234567);
}

static void test_machine_stat__parse_refuses_other_text(void **state)
{
	u64 n;

	(void)state;
	assert_int_equal(parse("", &n), -EINVAL);
	assert_int_equal(parse("cpu  1 2 3\nctx 5\n", &n), -EINVAL);
	assert_int_equal(parse("ctxt\n", &n), -EINVAL);
	assert_int_equal(parse("ctxt many\n", &n), -EINVAL);
	assert_int_equal(n, 7);
}

static void test_machine_idle__parse(void **state)
{
	static const char *const bad[] = { "", "cpu0 1 2 3 4 5\n", "cpu  1 2 3 4\n",
					   "cpu  1 2 3 x 5\n",
					   "cpu  1 2 3 18446744073709551615 0 0\n" };
	struct err err = { 0 };
	u64 ns = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(machine_idle_parse(&ns, view__of_str(bad[i]), &err), -EINVAL);
	assert_int_equal(ns, 7);
	assert_int_equal(machine_idle_parse(&ns, view__of_str("cpu  9 8 7 100 20 6 0\ncpu0 1\n"),
					    &err),
			 0);
	assert_int_equal(ns, 1200 * NSEC_PER_MSEC);
}

static void test_machine_threads__parse(void **state)
{
	static const char *const bad[] = {
		"",	      "0.2 0.1 0.1",	  "0.2 0.1 0.1 5 7",
		"a b c /9 1", "0.2 0.1 0.1 1/ 7", "0.2 0.1 0.1 1/99999999999 7"
	};
	struct err err = { 0 };
	u32 n = 0;

	(void)state;
	assert_int_equal(machine_threads_parse(&n, view__of_str("0.20 0.18 0.12 1/80 11206\n"),
					       &err),
			 0);
	assert_int_equal(n, 80);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(machine_threads_parse(&n, view__of_str(bad[i]), &err), -EINVAL);
	assert_int_equal(n, 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine_stat__parse_finds_the_switches),
		cmocka_unit_test(test_machine_stat__parse_refuses_other_text),
		cmocka_unit_test(test_machine_idle__parse),
		cmocka_unit_test(test_machine_threads__parse),
	};

	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
