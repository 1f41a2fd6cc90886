/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "push/backoff.h"

#define S NSEC_PER_SEC

/* The shortest and the longest pause after so many failures. */
static u64 pause_of(u32 failures, u32 asked_s, u64 random)
{
	struct backoff b = { .failures = failures };

	backoff__failed(&b, 1000 * S, asked_s, random);
	assert_int_equal(b.failures, failures + 1);
	return b.next_ns - 1000 * S;
}

static void test_backoff__doubles_and_is_half_random(void **state)
{
	(void)state;
	assert_int_equal(pause_of(0, 0, 0), S / 2);
	assert_int_equal(pause_of(0, 0, S / 2), S);
	assert_int_equal(pause_of(3, 0, 0), 4 * S);
	assert_int_equal(pause_of(3, 0, 4 * S), 8 * S);
	assert_int_equal(pause_of(3, 0, 4 * S + 1), 4 * S);
}

static void test_backoff__has_an_end(void **state)
{
	(void)state;
	assert_int_equal(pause_of(100, 0, 150 * S), 300 * S);
	assert_in_range(pause_of(~0U - 1, 0, ~0ULL), 150 * S, 300 * S);
}

static void test_backoff__waits_at_least_as_long_as_it_was_asked_to(void **state)
{
	(void)state;
	assert_in_range(pause_of(0, 60, 0), 60 * S, 61 * S);
	assert_in_range(pause_of(20, 60, 0), 60 * S, 100 * S);
	assert_in_range(pause_of(0, ~0U, 0), 3600 * S, 3601 * S);
}

static void test_backoff__forgets_when_it_worked(void **state)
{
	struct backoff b = { .failures = 5, .next_ns = 7 };

	(void)state;
	backoff__worked(&b);
	assert_int_equal(b.failures, 0);
	assert_int_equal(b.next_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_backoff__doubles_and_is_half_random),
		cmocka_unit_test(test_backoff__has_an_end),
		cmocka_unit_test(test_backoff__waits_at_least_as_long_as_it_was_asked_to),
		cmocka_unit_test(test_backoff__forgets_when_it_worked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
