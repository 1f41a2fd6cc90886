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

/* Also of a window in which nobody was visited. */
static void test_effort_text_says_how_threads_were_visited(void **state)
{
	(void)state;
	assert_texts(
		"window 10s\nncpu 4\nvisit_hz 19\nvisit_sources 2\nvisits 1900\n"
		"visits_changed 12\nvisit_passes 190\nvisit_late 19ms\nvisit_late_max 3ms\n"
		"self_cpu 40ms\n",
		"1,900 visits of threads, 12 of them after a switch or on a CPU; 190 rounds at 19 "
		"Hz, late by 100 µs on average, 3.00 ms at most",
		"cost: 0.10% of the machine (own CPU time 40.0 ms)");
	assert_texts("window 10s\nncpu 4\nvisit_hz 19\nvisit_sources 1\n",
		     "0 visits of threads, 0 of them after a switch or on a CPU; 0 rounds at 19 "
		     "Hz, late by 0 ns on average, 0 ns at most",
		     "cost: 0.00% of the machine (own CPU time 0 ns)");
}

static void test_effort_ways_text_says_that_hooks_gave_way(void **state)
{
	const char *mixed = "window 10s\nncpu 4\nvisit_hz 19\nvisit_sources 1\nvisited 6s\n"
			    "switches_seen 50\nprog_runs 5\nprog 360ms\nself_cpu 40ms\n";
	struct profile *p = lit("window 10s\nvisit_hz 19\nvisit_sources 1\nvisited 10s\n");
	char text[EFFORT_TEXT_SZ];

	(void)state;
	assert_false(effort_ways_text(p, text, sizeof(text)));
	assert_string_equal(text, "");
	profile__free(p);
	p = lit(mixed);
	assert_true(effort_ways_text(p, text, sizeof(text)));
	assert_string_equal(text, "threads were visited for 6.00 s of 10.0 s, and hooks saw their "
				  "switches for the rest; the number and lengths of waits are not "
				  "known for all of it");
	effort_cost_text(p, text, sizeof(text));
	assert_string_equal(text, "cost: 1.00% of the machine (own CPU time 40.0 ms)");
	profile__free(p);
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
		cmocka_unit_test(test_effort_text_says_how_threads_were_visited),
		cmocka_unit_test(test_effort_ways_text_says_that_hooks_gave_way),
		cmocka_unit_test(test_rough_text_counts_few_samples),
	};

	return cmocka_run_group_tests_name("effort_text", tests, NULL, NULL);
}
