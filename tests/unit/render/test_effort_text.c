/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/lit.h"
#include "render/words/effort_text.h"

#define SEEN "window 10s\nncpu 4\nswitches_seen 1234567\nwaits_chosen 1462\n"

static void assert_texts(const char *literal, const char *seen, const char *cost)
{
	struct profile *p = lit(literal);
	char text[EFFORT_TEXT_SZ];

	effort_seen_text(p, text, sizeof(text));
	assert_string_equal(text, seen);
	effort_cost_text(p, text, sizeof(text));
	assert_string_equal(text, cost);
	profile__free(p);
}

static void test_effort_text_says_how_waits_were_chosen(void **state)
{
	const char *cost = "cost: own CPU time 2.00 ms, in the kernel not measured";

	(void)state;
	assert_texts(SEEN "self_cpu 2ms\n", "1,234,567 switches seen, 1,462 waits chosen (all)",
		     cost);
	assert_texts(SEEN "self_cpu 2ms\nperiod 5ms\n",
		     "1,234,567 switches seen, 1,462 waits chosen (one per 5.00 ms waited)", cost);
	assert_texts(SEEN "self_cpu 2ms\nperiod 5ms 0 20ms 20ms 1\n",
		     "1,234,567 switches seen, 1,462 waits chosen (one per 5.00 ms waited, all to "
		     "20.0 ms, 1 change)",
		     cost);
	assert_texts(SEEN "self_cpu 2ms\nperiod 5ms 2ms 20ms 40ms 7\n",
		     "1,234,567 switches seen, 1,462 waits chosen (one per 5.00 ms waited, 2.00 ms "
		     "to 20.0 ms, 7 changes)",
		     cost);
}

/* Of all CPUs, our process included. */
static void test_effort_text_says_the_share_of_the_machine(void **state)
{
	const char *seen = "1,234,567 switches seen, 1,462 waits chosen (all)";

	(void)state;
	assert_texts(SEEN "prog_runs 9\nprog 300ms\nself_cpu 100ms\n", seen,
		     "cost: 1.00% of the machine, 243 ns a switch");
	assert_texts(SEEN "prog_runs 9\nprog 1us\n", seen,
		     "cost: <0.01% of the machine, 0 ns a switch");
	assert_texts("window 10s\nswitches_seen 10\nprog_runs 9\nprog 1us\n",
		     "10 switches seen, 0 waits chosen (all)",
		     "cost: ?% of the machine, 100 ns a switch");
}

static void test_rough_text_counts_few_samples(void **state)
{
	char text[64];

	(void)state;
	assert_true(rough_text(1, 9, text, sizeof(text)));
	assert_string_equal(text, "only 9 samples");
	assert_true(rough_text(1, 1, text, sizeof(text)));
	assert_string_equal(text, "only 1 sample");
	assert_false(rough_text(1, 10, text, sizeof(text)));
	assert_string_equal(text, "");
	assert_false(rough_text(0, 1, text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_effort_text_says_how_waits_were_chosen),
		cmocka_unit_test(test_effort_text_says_the_share_of_the_machine),
		cmocka_unit_test(test_rough_text_counts_few_samples),
	};

	return cmocka_run_group_tests_name("effort_text", tests, NULL, NULL);
}
