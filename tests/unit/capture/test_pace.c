/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text/units.h"
#include "capture/cost/pace.h"

#define MS NSEC_PER_MSEC
#define SEC NSEC_PER_SEC
/* 1% of two CPUs, of which half is ours: 10 ms a second, and 100 ms saved up. */
#define BUDGET 10000

static void test_pace__may_do_all_without_a_budget(void **state)
{
	struct pace p;

	(void)state;
	pace__begin(&p, 0, 2, 5 * SEC, 0);
	assert_true(pace__may(&p, 5 * SEC, 1000 * SEC));
	p = (struct pace){ 0 }; /* not begun */
	assert_true(pace__may(&p, 5 * SEC, 1000 * SEC));
}

static void test_pace__may_do_some_at_once(void **state)
{
	struct pace p;

	(void)state;
	pace__begin(&p, BUDGET, 2, 5 * SEC, SEC);
	assert_true(pace__may(&p, 5 * SEC, SEC + 99 * MS));
	assert_false(pace__may(&p, 5 * SEC, SEC + 100 * MS));
}

static void test_pace__may_not_until_what_it_took_is_earned(void **state)
{
	struct pace p;

	(void)state;
	pace__begin(&p, BUDGET, 2, 0, 0);
	assert_false(pace__may(&p, 0, 150 * MS));
	assert_false(pace__may(&p, 5 * SEC, 150 * MS));
	assert_true(pace__may(&p, 5 * SEC + MS, 150 * MS));
}

static void test_pace__may_save_ten_seconds_only(void **state)
{
	struct pace p;

	(void)state;
	pace__begin(&p, BUDGET, 2, 0, 0);
	assert_true(pace__may(&p, 3600 * SEC, 0));
	assert_true(pace__may(&p, 3600 * SEC, 99 * MS));
	assert_false(pace__may(&p, 3600 * SEC, 101 * MS));
}

/* Who works whenever it may takes its part in the long run. */
static void test_pace__may_holds_the_share(void **state)
{
	u64 now, cpu = 0;
	struct pace p;

	(void)state;
	pace__begin(&p, BUDGET, 2, 0, 0);
	for (now = 0; now < 1000 * SEC; now += 20 * MS)
		if (pace__may(&p, now, cpu))
			cpu += 37 * MS;
	assert_in_range(cpu, 10 * SEC, 10 * SEC + 150 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pace__may_do_all_without_a_budget),
		cmocka_unit_test(test_pace__may_do_some_at_once),
		cmocka_unit_test(test_pace__may_not_until_what_it_took_is_earned),
		cmocka_unit_test(test_pace__may_save_ten_seconds_only),
		cmocka_unit_test(test_pace__may_holds_the_share),
	};

	return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
