/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "render/words/pattern_text.h"

static const struct wake_pattern common = {
	.wakers = 1,
	.sleepers = 32,
	.who = "main-1",
	.whom = "worker-2",
	.place = "publish",
	.object = "condvar cond (app)",
	.then = "",
	.wakes = 3200,
	.bursts = 100,
	.brief = 2400,
	.again = 1600,
	.cpu_ns = 30 * NSEC_PER_MSEC,
	.wait_ns = 5 * NSEC_PER_SEC,
};

static void assert_text(const struct wake_pattern *w, const char *want)
{
	char *text = pattern_text(w, 2 * NSEC_PER_SEC);

	assert_non_null(text);
	assert_string_equal(text, want);
	mem_free(text);
}

static void test_pattern_text__of_a_herd(void **state)
{
	struct wake_pattern w = common;

	(void)state;
	w.kind = PATTERN_HERD;
	w.then = "lock mutex (app)";
	assert_text(&w, "main-1 in publish wakes 32 threads at once from waits for condvar cond "
			"(app), 50 times a second; after 75% of the wakeups a thread runs for less "
			"than 50.0 µs and waits again or, often, waits for lock mutex (app). "
			"Cost: 3,200 switches, 1.5% of a CPU in such runs");
}

static void test_pattern_text__of_a_storm(void **state)
{
	struct wake_pattern w = common;

	(void)state;
	w.kind = PATTERN_STORM;
	w.sleepers = 1;
	w.wakers = 3;
	w.place = w.object = "";
	assert_text(&w, "main-1 and 2 more wake worker-2, 1,600 times a second; after 50% of the "
			"wakeups a thread runs for less than 50.0 µs and waits in the same place "
			"again. Cost: 3,200 switches, 1.5% of a CPU in such runs");
}

static void test_pattern_text__of_a_convoy(void **state)
{
	struct wake_pattern w = common;

	(void)state;
	w.kind = PATTERN_CONVOY;
	w.object = "lock mutex (app)";
	w.wakes = 13;
	w.cpu_ns = 0;
	assert_text(&w, "32 threads hand lock mutex (app) to each other in publish, 6.5 times a "
			"second; they wait for 5.00 s in all, mostly for others that wait too. "
			"Cost: 13 switches");
}

static void test_pattern_text__of_a_ping_pong(void **state)
{
	struct wake_pattern w = common;

	(void)state;
	w.kind = PATTERN_PING_PONG;
	assert_text(&w,
		    "main-1 and worker-2 wake each other in publish, 1,600 times a second; after "
		    "75% of the wakeups a thread runs for less than 50.0 µs. Cost: 3,200 "
		    "switches, 1.5% of a CPU in such runs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pattern_text__of_a_herd),
		cmocka_unit_test(test_pattern_text__of_a_storm),
		cmocka_unit_test(test_pattern_text__of_a_convoy),
		cmocka_unit_test(test_pattern_text__of_a_ping_pong),
	};

	return cmocka_run_group_tests_name("pattern_text", tests, NULL, NULL);
}
