/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/notices.h"

static void test_add__keeps_each_once_and_in_order(void **state)
{
	char text[] = "two";
	struct notices n;

	(void)state;
	notices__init(&n);
	assert_null(notices__at(&n, 0));
	assert_int_equal(notices__add(&n, "one"), 0);
	assert_int_equal(notices__add(&n, text), 0);
	text[0] = 'T';
	assert_int_equal(notices__add(&n, "one"), 0);
	assert_int_equal(notices__add(&n, "two"), 0);
	assert_int_equal(notices__len(&n), 2);
	assert_string_equal(notices__at(&n, 0), "one");
	assert_string_equal(notices__at(&n, 1), "two");
	assert_null(notices__at(&n, 2));
	notices__done(&n);
}

static void test_add__without_memory_leaves_no_trace(void **state)
{
	struct notices n;
	u64 nth;

	(void)state;
	notices__init(&n);
	assert_int_equal(notices__add(&n, "one"), 0);
	for (nth = 1; nth <= 2; nth++) {
		struct notices empty;

		notices__init(&empty);
		mem_fail_nth(nth);
		assert_int_equal(notices__add(&empty, "two"), -ENOMEM);
		mem_fail_nth(0);
		assert_null(notices__at(&empty, 0));
		notices__done(&empty);
	}
	mem_fail_nth(1);
	assert_int_equal(notices__add(&n, "one"), 0);
	mem_fail_nth(0);
	assert_int_equal(notices__len(&n), 1);
	notices__done(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add__keeps_each_once_and_in_order),
		cmocka_unit_test(test_add__without_memory_leaves_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
