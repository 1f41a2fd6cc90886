/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that take too long are noticed as their marks arrive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/request/slow_marks.h"

#define LEAST 100

static void see(struct slow_marks *s, u64 at_ns, u32 probe, u32 connection)
{
	const struct cs_mark m = {
		.at_ns = at_ns, .task = 3, .probe = probe, .connection = connection
	};

	slow_marks__see(s, &m, probe == 4);
}

static void test_a_call_is_noticed_while_it_lasts_and_once(void **state)
{
	struct slow_marks s;

	(void)state;
	assert_int_equal(slow_marks__init(&s, LEAST), 0);
	see(&s, 1000, 2, 0);
	see(&s, 1050, 2, 0); /* a recursion */
	see(&s, 1090, 3, 0);
	assert_false(slow_marks__take(&s, 1100));
	assert_true(slow_marks__take(&s, 1101));
	see(&s, 1200, 3, 0);
	assert_false(slow_marks__take(&s, 1300));
	see(&s, 1300, 2, 0);
	see(&s, 1401, 3, 0);
	assert_true(slow_marks__take(&s, 1401));
	assert_false(slow_marks__take(&s, 2000));
	slow_marks__done(&s);
}

static void test_one_that_begins_anew_is_not_inside(void **state)
{
	struct slow_marks s;

	(void)state;
	assert_int_equal(slow_marks__init(&s, LEAST), 0);
	see(&s, 1000, 4, 0); /* it has no end */
	see(&s, 1050, 4, 0);
	see(&s, 1100, 5, 0);
	see(&s, 1200, 4, 0);
	assert_false(slow_marks__take(&s, 1301)); /* it may have failed */
	see(&s, 1301, 5, 0);
	assert_true(slow_marks__take(&s, 1301));
	slow_marks__done(&s);
}

static void test_a_request_of_a_connection_is_noticed_at_a_write(void **state)
{
	struct slow_marks s;

	(void)state;
	assert_int_equal(slow_marks__init(&s, LEAST), 0);
	see(&s, 1000, CS_MARK_SOCKET, 7);
	see(&s, 1090, CS_MARK_SOCKET, 7); /* the first read begins it */
	assert_false(slow_marks__take(&s, 5000));
	see(&s, 1110, CS_MARK_SOCKET | 1, 7);
	see(&s, 1210, CS_MARK_SOCKET | 1, 7);
	assert_true(slow_marks__take(&s, 5000));
	assert_false(slow_marks__take(&s, 5000));
	see(&s, 2000, CS_MARK_SOCKET, 7);
	see(&s, 2100, CS_MARK_SOCKET | 1, 7);
	assert_false(slow_marks__take(&s, 5000));
	slow_marks__done(&s);
}

static void test_nobody_wants_to_know(void **state)
{
	struct slow_marks s;

	(void)state;
	assert_int_equal(slow_marks__init(&s, 0), 0);
	see(&s, 1000, 2, 0);
	see(&s, 9000, 3, 0);
	assert_false(slow_marks__take(&s, 9000));
	slow_marks__done(&s);
}

/* Clients that leave without an answer do not fill the memory. */
static void test_what_is_watched_is_bounded(void **state)
{
	struct slow_marks s;

	(void)state;
	assert_int_equal(slow_marks__init(&s, LEAST), 0);
	for (u32 i = 1; i < 200000; i++) {
		see(&s, i, CS_MARK_SOCKET, i);
		assert_true(intern__len(&s.open) <= 65537);
	}
	slow_marks__done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_call_is_noticed_while_it_lasts_and_once),
		cmocka_unit_test(test_one_that_begins_anew_is_not_inside),
		cmocka_unit_test(test_a_request_of_a_connection_is_noticed_at_a_write),
		cmocka_unit_test(test_nobody_wants_to_know),
		cmocka_unit_test(test_what_is_watched_is_bounded),
	};

	return cmocka_run_group_tests_name("slow_marks", tests, NULL, NULL);
}
