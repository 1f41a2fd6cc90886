/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic that the programs use, over many waits with random lengths: what is estimated has
 * no bias beyond its own standard error. tests/bpf has the choice of waits.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "abi/sample.h"
#include "abi/wait.h"
#include "base/types.h"

#define WAITS 200000

static u32 random_of(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(*state >> 32);
}

static void test_cs_sample_point__is_below_the_period(void **state)
{
	static const u64 periods[] = { 1 << 20, 10000000, CS_PERIOD_MAX_NS };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(periods); i++) {
		assert_int_equal(cs_sample_point(periods[i], 0), 0);
		assert_in_range(cs_sample_point(periods[i], ~0U), periods[i] * 99 / 100,
				periods[i] - 1);
		assert_in_range(cs_sample_point(periods[i], 1U << 31), periods[i] / 2 - 1024,
				periods[i] / 2);
	}
}

static void test_cs_share_exact__is_the_wait(void **state)
{
	struct cs_share s;

	(void)state;
	cs_share_exact(&s, 30, 100);
	assert_int_equal(s.blocked_ns, 30);
	assert_int_equal(s.runq_ns, 70);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.var_us2, 0);
}

static void test_cs_share_estimate__keeps_the_weight_at_all_lengths(void **state)
{
	const u64 period = CS_PERIOD_MAX_NS;
	u64 ns, seed = 1;
	struct cs_share s;

	(void)state;
	for (ns = 1; ns < period; ns = ns * 3 + 1) {
		cs_share_estimate(&s, ns / 3, ns, period, random_of(&seed));
		assert_int_equal(s.blocked_ns + s.runq_ns, period);
		assert_in_range(s.count, period / ns, period / ns + 1);
		assert_in_range(s.blocked_ns, ns / 3 * (period / ns), period / 3 + 1);
	}
	cs_share_estimate(&s, period - 1, period - 1, period, 0);
	assert_int_equal(s.runq_ns, 0);
	cs_share_estimate(&s, 0, 1, period, 0);
	assert_int_equal(s.blocked_ns, 0);
	/* 10 periods of 4 ms, each for waits of 1 ms: 10 x 4000 us x (4000 - 1000) us */
	cs_share_estimate(&s, 0, 1000000, 4000000, 0);
	assert_int_equal(s.var_us2, 4000ULL * 3000);
}

struct accumulator {
	u64 waited_ns;
	u64 point_ns;
};

/* As wait_weight() of bpf/lib/wait.bpf.h has it. */
static u64 weight_of(struct accumulator *a, u64 ns, u64 period_ns, u64 *seed)
{
	u64 to = a->waited_ns + ns, weight = 0;

	if (a->waited_ns <= a->point_ns && a->point_ns < to)
		weight += period_ns;
	if (to >= period_ns) {
		to -= period_ns;
		a->point_ns = cs_sample_point(period_ns, random_of(seed));
		if (a->point_ns < to)
			weight += period_ns;
	}
	a->waited_ns = to;
	return weight;
}

/* Two kinds of waits, one thread: short ones are rarely chosen, and stand for many. */
static void test_cs_share_estimate__has_no_bias(void **state)
{
	const u64 period = 1000000;
	u64 seed = 42;
	struct accumulator a = { .point_ns = cs_sample_point(period, random_of(&seed)) };
	double blocked[2] = { 0 }, count[2] = { 0 }, true_blocked[2] = { 0 }, true_count[2] = { 0 };
	double var[2] = { 0 };
	u32 i;

	(void)state;
	for (i = 0; i < WAITS; i++) {
		u32 kind = random_of(&seed) % 10 == 0;
		u64 ns = kind ? 50000 + random_of(&seed) % 600000 : 1000 + random_of(&seed) % 20000;
		u64 weight = weight_of(&a, ns, period, &seed);
		struct cs_share s;

		true_blocked[kind] += (double)(ns / 4);
		true_count[kind]++;
		if (!weight)
			continue;
		cs_share_estimate(&s, ns / 4, ns, weight, random_of(&seed));
		blocked[kind] += (double)s.blocked_ns;
		count[kind] += (double)s.count;
		var[kind] += (double)s.var_us2;
	}
	for (i = 0; i < 2; i++) {
		double se_ns = sqrt(var[i]) * 1000;

		assert_true(fabs(blocked[i] - true_blocked[i]) < 3 * se_ns / 4);
		assert_true(se_ns / 4 < true_blocked[i] / 10);
		assert_true(fabs(count[i] - true_count[i]) < true_count[i] / 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cs_sample_point__is_below_the_period),
		cmocka_unit_test(test_cs_share_exact__is_the_wait),
		cmocka_unit_test(test_cs_share_estimate__keeps_the_weight_at_all_lengths),
		cmocka_unit_test(test_cs_share_estimate__has_no_bias),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
