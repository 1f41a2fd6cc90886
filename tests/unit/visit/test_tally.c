/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "visit/tally.h"

#define MS NSEC_PER_MSEC

/* A thread in a made-up world: what its counters say, and the sum of what must come out. */
static struct tally_reading at(u64 ms, u64 on_ms, u64 runq_ms, u64 runs)
{
	return (struct tally_reading){ (1000 + ms) * MS, on_ms * MS, runq_ms * MS, runs };
}

static const struct tally_share *share(const struct visit_tally *t, u32 key)
{
	for (size_t i = 0; i < t->shares.len; i++) {
		const struct tally_share *s = vec__at(&t->shares, i);

		if (s->key == key)
			return s;
	}
	return NULL;
}

static void assert_adds_up(const struct visit_tally *t)
{
	u64 sum = t->on_ns + t->runq_ns + t->blocked_ns + t->unaccounted_ns;

	for (size_t i = 0; i < t->shares.len; i++)
		sum += ((struct tally_share *)vec__at(&t->shares, i))->blocked_ns;
	assert_int_equal(sum, t->wall_ns);
}

static void step(struct visit_tally *t, struct tally_reading now, u32 key)
{
	if (visit_tally__is_same(t, &now))
		visit_tally__stay(t, &now);
	else
		assert_int_equal(visit_tally__visit(t, &now, key, 1), 0);
}

static void test_visit_tally__stay_is_exact(void **state)
{
	struct tally_reading now = at(0, 5, 1, 7);
	struct visit_tally t = { 0 };

	(void)state;
	assert_int_equal(visit_tally__begin(&t, &now, 3, 1), 0);
	for (u64 ms = 53; ms <= 530; ms += 53) {
		now = at(ms, 5, 1, 7);
		assert_true(visit_tally__is_same(&t, &now));
		visit_tally__stay(&t, &now);
	}
	visit_tally__finish(&t, ~0ULL);
	assert_int_equal(share(&t, 3)->blocked_ns, 530 * MS);
	assert_int_equal(share(&t, 3)->var_us2, 0);
	assert_int_equal(share(&t, 3)->visits, 11);
	assert_adds_up(&t);
	visit_tally__done(&t);
}

/* A thread that calls exec takes the number of its leader, whose counters were higher. */
static void test_visit_tally__counters_that_fall_are_no_time(void **state)
{
	struct tally_reading now = at(0, 300, 40, 7);
	struct visit_tally t = { 0 };

	(void)state;
	assert_int_equal(visit_tally__begin(&t, &now, 3, 1), 0);
	step(&t, at(100, 2, 1, 9), 3);
	visit_tally__finish(&t, ~0ULL);
	assert_int_equal(t.on_ns, 0);
	assert_int_equal(t.runq_ns, 0);
	assert_int_equal(share(&t, 3)->blocked_ns, 100 * MS);
	assert_adds_up(&t);
	visit_tally__done(&t);
}

static void test_visit_tally__finish_divides_what_moved_by_evidence(void **state)
{
	struct tally_reading now = at(0, 0, 0, 1);
	struct visit_tally t = { 0 };

	(void)state;
	visit_tally__begin(&t, &now, 1, 1);
	/* between visits it runs for 10 of 50 ms, and is found three times in 1 and once in 2 */
	step(&t, at(50, 10, 0, 2), 1);
	step(&t, at(100, 20, 0, 3), 2);
	step(&t, at(150, 30, 0, 4), 1);
	step(&t, at(200, 40, 0, 5), 1);
	visit_tally__finish(&t, ~0ULL);
	assert_int_equal(t.on_ns, 40 * MS);
	assert_int_equal(share(&t, 1)->blocked_ns, 120 * MS);
	assert_int_equal(share(&t, 2)->blocked_ns, 40 * MS);
	/* 160 ms, squared, of 0.75 * 0.25 in 4 visits */
	assert_int_equal(share(&t, 1)->var_us2, 1200000000);
	assert_int_equal(share(&t, 2)->var_us2, 1200000000);
	assert_adds_up(&t);
	visit_tally__done(&t);
}

static void test_visit_tally__finish_takes_states_from_counters_not_from_visits(void **state)
{
	struct tally_reading now = at(0, 0, 0, 1);
	struct visit_tally t = { 0 };

	(void)state;
	visit_tally__begin(&t, &now, 0, 0);
	/* found on a CPU twice of three times, though it was there for a tenth */
	step(&t, at(50, 5, 20, 2), 0);
	step(&t, at(100, 10, 40, 3), 9);
	visit_tally__finish(&t, ~0ULL);
	assert_int_equal(t.on_ns, 10 * MS);
	assert_int_equal(t.runq_ns, 40 * MS);
	assert_int_equal(share(&t, 9)->blocked_ns, 50 * MS);
	assert_adds_up(&t);
	visit_tally__done(&t);
}

static void test_visit_tally__finish_tells_a_burner_from_one_never_found_blocked(void **state)
{
	struct tally_reading now = at(0, 0, 0, 1);
	struct visit_tally t = { 0 };

	(void)state;
	for (u64 waits = 0; waits < 2; waits++) {
		visit_tally__begin(&t, &now, 0, 0);
		step(&t, at(100, 96, 0, 1), 0);
		visit_tally__finish(&t, waits);
		/* the counter of a running thread is as old as the last tick */
		assert_int_equal(t.unaccounted_ns, waits ? 0 : 4 * MS);
		assert_int_equal(t.blocked_ns, waits ? 4 * MS : 0);
		assert_adds_up(&t);
	}
	visit_tally__done(&t);
}

static void test_visit_tally__finish_survives_counters_that_lag(void **state)
{
	struct tally_reading now = at(0, 0, 0, 1);
	struct visit_tally t = { 0 };

	(void)state;
	visit_tally__begin(&t, &now, 1, 1);
	step(&t, at(50, 0, 0, 1), 1);
	/* a wait for a CPU of 80 ms that ends in an interval of 20 */
	step(&t, at(70, 5, 80, 2), 2);
	visit_tally__finish(&t, ~0ULL);
	assert_int_equal(t.on_ns, 5 * MS);
	assert_int_equal(t.runq_ns, 65 * MS);
	assert_adds_up(&t);
	visit_tally__done(&t);
}

static void test_visit_tally__is_same_needs_a_count_of_runs(void **state)
{
	struct tally_reading now = at(0, 5, 0, 7);
	struct visit_tally t = { 0 };

	(void)state;
	now.runs = TALLY_RUNS_UNKNOWN;
	visit_tally__begin(&t, &now, 1, 1);
	assert_false(visit_tally__is_same(&t, &now));
	now.runs = 7;
	visit_tally__begin(&t, &now, 0, 0);
	assert_false(visit_tally__is_same(&t, &now));
	visit_tally__begin(&t, &now, 1, 1);
	assert_true(visit_tally__is_same(&t, &now));
	now.on_ns++;
	assert_false(visit_tally__is_same(&t, &now));
	visit_tally__done(&t);
}

/* Random instants over waits in lock-step with a round number: the mean of many is the truth. */
static void test_visit_tally__finish_is_without_bias(void **state)
{
	const u64 cycle = 50, in_one = 10, wall = 40000; /* ms: of each 50, 10 in key 1 */
	u64 seed = 1, ms = 0, got;
	struct tally_reading now = at(0, 0, 0, 1);
	struct visit_tally t = { 0 };

	(void)state;
	visit_tally__begin(&t, &now, 1, 1);
	while (ms < wall) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		ms += 26 + (seed >> 33) % 53;
		step(&t, at(ms, 0, 0, 1 + ms), ms % cycle < in_one ? 1 : 2);
	}
	visit_tally__finish(&t, ~0ULL);
	got = share(&t, 1)->blocked_ns * 1000 / t.wall_ns;
	assert_in_range(got, 170, 230); /* of 200; the standard error is 14 */
	assert_adds_up(&t);
	visit_tally__done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_visit_tally__stay_is_exact),
		cmocka_unit_test(test_visit_tally__counters_that_fall_are_no_time),
		cmocka_unit_test(test_visit_tally__finish_divides_what_moved_by_evidence),
		cmocka_unit_test(
			test_visit_tally__finish_takes_states_from_counters_not_from_visits),
		cmocka_unit_test(
			test_visit_tally__finish_tells_a_burner_from_one_never_found_blocked),
		cmocka_unit_test(test_visit_tally__finish_survives_counters_that_lag),
		cmocka_unit_test(test_visit_tally__is_same_needs_a_count_of_runs),
		cmocka_unit_test(test_visit_tally__finish_is_without_bias),
	};

	return cmocka_run_group_tests_name("tally", tests, NULL, NULL);
}
