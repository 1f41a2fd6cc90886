/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The governor against made-up machines: waits of a few lengths at a rate each, what a switch and a
 * chosen wait really cost, and how badly that is measured. Nothing here knows how it decides.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "abi/wait.h"
#include "base/clock.h"
#include "capture/cost/governor.h"

#define PERCENT 10000 /* in millionths */
#define KINDS 4

struct load {
	double rate[KINDS]; /* waits a second */
	double len_ns[KINDS];
	double more_switches; /* a second, of threads that are not traced */
	double switch_ns;
	double chosen_ns;
	double cpu; /* of our process: seconds a second */
	double noise; /* a measured cost is wrong by up to this part */
	double match; /* the part of the waits that the user's bounds let in; 0: all */
	bool unmeasured;
};

struct sim {
	struct governor g;
	struct governor_sample now;
	double switches, waits, chosen, prog_ns, cpu_ns;
	double true_ns; /* of everything, since mark() */
	u64 mark_ns;
	u32 changes; /* since mark() */
	u64 seed;
};

static double random_unit(struct sim *s)
{
	s->seed = s->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(s->seed >> 11) / (double)(1ULL << 53);
}

static void sim__init(struct sim *s, u64 budget_ppm)
{
	*s = (struct sim){ .seed = 1 };
	governor__init(&s->g, budget_ppm, 4, 0);
	s->now.at_ns = NSEC_PER_SEC;
	governor__begin(&s->g, &s->now);
}

static void mark(struct sim *s)
{
	s->true_ns = 0;
	s->changes = 0;
	s->mark_ns = s->now.at_ns;
}

static void pass(struct sim *s, const struct load *l, double secs)
{
	double period = (double)s->g.period_ns, waits = 0, chosen = 0, prog;
	double match = l->match > 0 ? l->match : 1;

	for (int i = 0; i < KINDS; i++) {
		double n = l->rate[i] * secs;

		waits += n;
		chosen += n * match * (l->len_ns[i] < period ? l->len_ns[i] / period : 1);
	}
	s->switches += waits + l->more_switches * secs;
	s->waits += waits;
	s->chosen += chosen;
	prog = (waits + l->more_switches * secs) * l->switch_ns + chosen * l->chosen_ns;
	s->true_ns += prog + l->cpu * secs * NSEC_PER_SEC;
	s->prog_ns += prog * (1 + l->noise * (2 * random_unit(s) - 1));
	s->cpu_ns += l->cpu * secs * NSEC_PER_SEC;
	s->now.switches = (u64)s->switches;
	s->now.waits = (u64)s->waits;
	s->now.chosen = (u64)s->chosen;
	s->now.cpu_ns = (u64)s->cpu_ns;
	if (!l->unmeasured) {
		s->now.prog_ns = (u64)s->prog_ns;
		s->now.prog_runs = (u64)s->switches;
	}
}

static void run(struct sim *s, const struct load *l, double secs)
{
	u64 end_ns = s->now.at_ns + (u64)(secs * NSEC_PER_SEC);

	while (s->now.at_ns < end_ns) {
		u64 before = s->g.period_ns;
		double step = (double)(s->g.next_ns - s->now.at_ns) / NSEC_PER_SEC;

		assert_true(s->g.next_ns > s->now.at_ns);
		pass(s, l, step);
		s->now.at_ns = s->g.next_ns;
		s->changes += governor__decide(&s->g, &s->now) != before;
		assert_in_range(s->g.period_ns, 0, CS_PERIOD_MAX_NS);
	}
}

/* Of the machine's four CPUs, since mark(), in millionths. */
static u64 cost_ppm(const struct sim *s)
{
	return (u64)(s->true_ns / (double)(s->now.at_ns - s->mark_ns) / 4 * 1e6);
}

/* A busy machine of 400,000 switches a second, 1.5 us each when all are chosen. */
static const struct load busy = {
	.rate = { 300000, 90000, 9000, 500 },
	.len_ns = { 8000, 60000, 1e6, 30e6 },
	.switch_ns = 60,
	.chosen_ns = 1500,
	.noise = 0.2,
};

static void test_governor__decide_stays_exact_while_there_is_room(void **state)
{
	struct load quiet = busy;
	struct sim s;

	(void)state;
	quiet.rate[0] = 9000;
	quiet.rate[1] = 4000;
	sim__init(&s, 1 * PERCENT);
	run(&s, &quiet, 30);
	assert_int_equal(s.changes, 0);
	assert_int_equal(s.g.period_ns, 0);
}

static void test_governor__decide_is_within_the_budget_in_a_second(void **state)
{
	struct sim s;

	(void)state;
	sim__init(&s, 1 * PERCENT);
	run(&s, &busy, 1);
	mark(&s);
	run(&s, &busy, 10);
	assert_in_range(cost_ppm(&s), 6500, 10500);
}

static void test_governor__decide_does_not_swing(void **state)
{
	struct sim s;

	(void)state;
	sim__init(&s, 1 * PERCENT);
	run(&s, &busy, 3);
	mark(&s);
	run(&s, &busy, 60);
	assert_in_range(s.changes, 0, 4);
	assert_in_range(cost_ppm(&s), 6500, 10500);
}

/* With every budget and many prices: never far above the budget, never far below it in vain. */
static void test_governor__decide_uses_any_budget(void **state)
{
	static const double switch_ns[] = { 20, 60 }, chosen_ns[] = { 300, 1500, 6000 };
	static const u64 budgets[] = { 1 * PERCENT, 2 * PERCENT, 5 * PERCENT };
	struct sim s;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(switch_ns) * ARRAY_LEN(chosen_ns); i++) {
		for (size_t b = 0; b < ARRAY_LEN(budgets); b++) {
			struct load l = busy;

			l.switch_ns = switch_ns[i % 2];
			l.chosen_ns = chosen_ns[i / 2];
			sim__init(&s, budgets[b]);
			run(&s, &l, 5);
			mark(&s);
			run(&s, &l, 20);
			if (s.g.period_ns)
				assert_in_range(cost_ppm(&s), budgets[b] * 6 / 10,
						budgets[b] * 108 / 100);
			else
				assert_in_range(cost_ppm(&s), 0, budgets[b]);
			assert_in_range(s.changes, 0, 4);
		}
	}
}

static void test_governor__decide_follows_the_load_both_ways(void **state)
{
	struct load quiet = busy;
	struct sim s;

	(void)state;
	for (int i = 0; i < KINDS; i++)
		quiet.rate[i] /= 100;
	sim__init(&s, 1 * PERCENT);
	run(&s, &busy, 5);
	assert_true(s.g.period_ns > 0);
	mark(&s);
	run(&s, &quiet, 0.7); /* a lull is not a change */
	assert_int_equal(s.changes, 0);
	run(&s, &quiet, 4);
	assert_int_equal(s.g.period_ns, 0);
	mark(&s);
	run(&s, &busy, 1);
	assert_true(s.g.period_ns > 0);
	mark(&s);
	run(&s, &busy, 5);
	assert_in_range(cost_ppm(&s), 6500, 10500);
}

/* A load that comes and goes must not be followed each time. */
static void test_governor__decide_grows_tired_of_coming_back(void **state)
{
	struct load quiet = busy;
	struct sim s;
	u32 early;

	(void)state;
	for (int i = 0; i < KINDS; i++)
		quiet.rate[i] /= 100;
	sim__init(&s, 1 * PERCENT);
	for (int i = 0; i < 10; i++) {
		run(&s, &busy, 1.5);
		run(&s, &quiet, 1.5);
	}
	early = s.changes;
	mark(&s);
	for (int i = 0; i < 10; i++) {
		run(&s, &busy, 1.5);
		run(&s, &quiet, 1.5);
	}
	assert_true(s.changes < early / 2);
	/* once it is quiet for good, it forgives */
	run(&s, &quiet, 30);
	assert_int_equal(s.g.period_ns, 0);
}

/* Near the edge between exact and sampled, either is right, but not each in turn. */
static void test_governor__decide_has_hysteresis(void **state)
{
	(void)state;
	for (double f = 0.03; f < 0.09; f += 0.005) {
		struct load l = busy;
		struct sim s;

		for (int i = 0; i < KINDS; i++)
			l.rate[i] *= f;
		sim__init(&s, 1 * PERCENT);
		run(&s, &l, 10);
		mark(&s);
		run(&s, &l, 60);
		assert_in_range(s.changes, 0, 6);
		assert_in_range(cost_ppm(&s), 0, 11000);
	}
}

/* What each switch costs is more than may be spent: some waits are chosen all the same, and it is
 * said; no period is so long that it could be no help. */
static void test_governor__decide_tells_of_a_floor(void **state)
{
	struct load l = busy;
	struct sim s;
	u64 period_ns;

	(void)state;
	l.switch_ns = 250;
	sim__init(&s, 1 * PERCENT);
	run(&s, &busy, 5);
	assert_int_equal(s.g.floor_ppm, 0);
	run(&s, &l, 10);
	assert_in_range(s.g.floor_ppm, 20000, 30000);
	period_ns = s.g.period_ns;
	run(&s, &l, 60);
	assert_true(s.g.period_ns < 2 * period_ns);
	assert_in_range(s.g.period_ns, 1, NSEC_PER_SEC / 5);
	mark(&s);
	run(&s, &l, 10);
	assert_in_range(cost_ppm(&s), 20000, 27500);
}

/* Our own process cannot be made cheaper by a period: it takes its part of the budget. */
static void test_governor__decide_counts_our_process(void **state)
{
	struct load l = busy;
	struct sim s;

	(void)state;
	l.cpu = 0.012;
	sim__init(&s, 1 * PERCENT);
	run(&s, &l, 10);
	mark(&s);
	run(&s, &l, 10);
	assert_in_range(cost_ppm(&s), 7500, 10500);
	assert_int_equal(s.g.floor_ppm, 0);
	l.cpu = 0.06;
	run(&s, &l, 20);
	assert_in_range(s.g.floor_cpu_ppm, 13000, 15000);
	assert_true(s.g.floor_ppm > s.g.floor_cpu_ppm);
}

/* A burst at the start, as new files make, is no reason to take no stacks. */
static void test_governor__decide_forgives_a_burst_of_our_process(void **state)
{
	struct load l = busy;
	struct sim s;

	(void)state;
	for (int i = 0; i < KINDS; i++)
		l.rate[i] /= 100;
	sim__init(&s, 1 * PERCENT);
	l.cpu = 0.4;
	run(&s, &l, 0.05);
	l.cpu = 0;
	mark(&s);
	run(&s, &l, 5);
	assert_int_equal(s.g.period_ns, 0);
	assert_int_equal(s.changes, 0);
}

/* Bounds of the user leave few waits: those that are counted but never chosen are no load. */
static void test_governor__decide_knows_what_bounds_leave_out(void **state)
{
	struct load l = busy;
	struct sim s;

	(void)state;
	l.match = 0.02;
	l.switch_ns = 40;
	sim__init(&s, 1 * PERCENT);
	run(&s, &l, 20);
	assert_int_equal(s.g.period_ns, 0);
	assert_int_equal(s.changes, 0);
	/* nor are they when it asks itself what every wait would cost */
	l = busy;
	l.match = 0.1;
	sim__init(&s, 1 * PERCENT);
	run(&s, &l, 5);
	assert_true(s.g.period_ns > 0);
	for (int i = 0; i < KINDS; i++)
		l.rate[i] /= 5;
	run(&s, &l, 5);
	assert_int_equal(s.g.period_ns, 0);
}

/* Long waits are always chosen; when they alone are too many, only a longer period helps. */
static void test_governor__decide_reaches_long_waits(void **state)
{
	struct load l = {
		.rate = { 200000 }, .len_ns = { 10e6 }, .switch_ns = 40, .chosen_ns = 1500
	};
	struct sim s;

	(void)state;
	sim__init(&s, 1 * PERCENT);
	run(&s, &l, 5);
	assert_true(s.g.period_ns > 10000000);
	mark(&s);
	run(&s, &l, 10);
	assert_in_range(cost_ppm(&s), 6500, 10500);
}

static void test_governor__decide_estimates_unmeasured_cost(void **state)
{
	struct load l = busy;
	struct sim s;

	(void)state;
	l.unmeasured = true;
	sim__init(&s, 2 * PERCENT);
	run(&s, &l, 5);
	mark(&s);
	run(&s, &l, 10);
	assert_true(s.g.period_ns > 0);
	assert_in_range(cost_ppm(&s), 2000, 20000);
}

static void test_governor__decide_survives_counters_that_stand_still_or_go_back(void **state)
{
	struct governor_sample back = { .at_ns = 3 * NSEC_PER_SEC };
	struct sim s;
	u64 period_ns;

	(void)state;
	sim__init(&s, 1 * PERCENT);
	run(&s, &busy, 1);
	period_ns = s.g.period_ns;
	assert_int_equal(governor__decide(&s.g, &s.now), period_ns);
	governor__decide(&s.g, &back);
	assert_in_range(s.g.period_ns, 0, CS_PERIOD_MAX_NS);
	governor__init(&s.g, 1 * PERCENT, 0, 5000);
	governor__begin(&s.g, &s.now);
	s.now.at_ns += NSEC_PER_SEC;
	assert_in_range(governor__decide(&s.g, &s.now), 0, 10000);
}

static void test_governor__put_off_forgets_nothing(void **state)
{
	struct sim s, other;
	u64 due_ns;

	(void)state;
	sim__init(&s, 1 * PERCENT);
	run(&s, &busy, 1);
	due_ns = s.g.next_ns;
	governor__put_off(&s.g, due_ns);
	assert_true(s.g.next_ns > due_ns);
	other = s;
	other.g.next_ns = due_ns;
	s.now.at_ns = other.now.at_ns = due_ns + NSEC_PER_SEC;
	s.now.switches += 1000;
	other.now.switches += 1000;
	assert_int_equal(governor__decide(&s.g, &s.now), governor__decide(&other.g, &other.now));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_governor__decide_stays_exact_while_there_is_room),
		cmocka_unit_test(test_governor__decide_is_within_the_budget_in_a_second),
		cmocka_unit_test(test_governor__decide_does_not_swing),
		cmocka_unit_test(test_governor__decide_uses_any_budget),
		cmocka_unit_test(test_governor__decide_follows_the_load_both_ways),
		cmocka_unit_test(test_governor__decide_grows_tired_of_coming_back),
		cmocka_unit_test(test_governor__decide_has_hysteresis),
		cmocka_unit_test(test_governor__decide_tells_of_a_floor),
		cmocka_unit_test(test_governor__decide_counts_our_process),
		cmocka_unit_test(test_governor__decide_forgives_a_burst_of_our_process),
		cmocka_unit_test(test_governor__decide_knows_what_bounds_leave_out),
		cmocka_unit_test(test_governor__decide_reaches_long_waits),
		cmocka_unit_test(test_governor__decide_estimates_unmeasured_cost),
		cmocka_unit_test(test_governor__put_off_forgets_nothing),
		cmocka_unit_test(
			test_governor__decide_survives_counters_that_stand_still_or_go_back),
	};

	return cmocka_run_group_tests_name("capture/governor", tests, NULL, NULL);
}
