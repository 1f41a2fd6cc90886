/* SPDX-License-Identifier: Apache-2.0 */

/* Wakeups are watched from the moment that is asked for until no moved sleeper is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "capture/feature/features.h"
#include "capture/program/programs_priv.h"
#include "gen/coldspot.skel.h"

static struct programs *programs;
static volatile struct cs_moved_sleepers *sleepers;

static int load(void **state)
{
	const struct capture_options opt = { .target = CAPTURE_ALL,
					     .user_threads = true,
					     .max_ns = ~0ULL,
					     .state_any = true,
					     .kernel_stacks = true,
					     .max_waits = 1 << 10 };
	struct features features;
	struct err err = { 0 };

	(void)state;
	if (features__probe(&features, 0, &err) ||
	    programs__load(&opt, &features, CS_SPLIT_SCHED_INFO, &programs, &err) ||
	    programs__finish(programs, &err)) {
		print_error("%s\n", err.msg);
		return -1;
	}
	sleepers = &programs->skel->bss->moved_sleepers;
	return 0;
}

static int unload(void **state)
{
	(void)state;
	programs__free(programs);
	return 0;
}

static bool watched(void)
{
	return programs->wakeups.link;
}

static int watch(void **state)
{
	(void)state;
	/* Before 6.12 sleepers leave the run queue at once, and nothing is there to watch. */
	if (!programs->wakeups.prog)
		return 0;
	sleepers->asleep = 1;
	sleepers->told = 1;
	wakeups__begin(&programs->wakeups, NSEC_PER_SEC);
	return watched() ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	wakeups__done(&programs->wakeups);
	return watched() ? -1 : 0;
}

static void tick(u64 now_mono_ns)
{
	if (!programs->wakeups.prog)
		skip();
	wakeups__tick(&programs->wakeups, now_mono_ns);
}

static void test_wakeups__are_watched_while_a_moved_sleeper_sleeps(void **state)
{
	(void)state;
	tick(2 * NSEC_PER_SEC);
	assert_true(watched());
	assert_int_equal(sleepers->told, 1);
}

static void test_wakeups__are_let_go_when_all_were_woken(void **state)
{
	(void)state;
	sleepers->asleep = 0;
	tick(2 * NSEC_PER_SEC);
	assert_false(watched());
	assert_int_equal(sleepers->told, 0);
}

static void test_wakeups__are_watched_for_half_a_second_at_least(void **state)
{
	(void)state;
	sleepers->asleep = 0;
	tick(NSEC_PER_SEC + 499 * NSEC_PER_MSEC);
	assert_true(watched());
	tick(NSEC_PER_SEC + 500 * NSEC_PER_MSEC);
	assert_false(watched());
}

/* A thread that left the trace asleep is never counted as woken. */
static void test_wakeups__are_watched_for_a_minute_at_most(void **state)
{
	(void)state;
	tick(60 * NSEC_PER_SEC);
	assert_true(watched());
	tick(61 * NSEC_PER_SEC);
	assert_false(watched());
	assert_int_equal(sleepers->told, 0);
}

static void test_wakeups__are_watched_again_when_asked_again(void **state)
{
	(void)state;
	tick(61 * NSEC_PER_SEC);
	wakeups__begin(&programs->wakeups, 62 * NSEC_PER_SEC);
	assert_true(watched());
	tick(63 * NSEC_PER_SEC);
	assert_true(watched());
}

static void test_wakeups__are_not_watched_without_the_program(void **state)
{
	struct wakeups none = { 0 };

	(void)state;
	wakeups__begin(&none, NSEC_PER_SEC);
	assert_null(none.link);
	wakeups__tick(&none, 61 * NSEC_PER_SEC);
	wakeups__done(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, watch, stop)
		T(test_wakeups__are_watched_while_a_moved_sleeper_sleeps),
		T(test_wakeups__are_let_go_when_all_were_woken),
		T(test_wakeups__are_watched_for_half_a_second_at_least),
		T(test_wakeups__are_watched_for_a_minute_at_most),
		T(test_wakeups__are_watched_again_when_asked_again),
		cmocka_unit_test(test_wakeups__are_not_watched_without_the_program),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
