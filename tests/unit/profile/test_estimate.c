/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arithmetic of errors, and a simulation: waits of many lengths are sampled by the rule that
 * bpf/lib/wait.bpf.h has (told again here), 200 times, and what a profile makes of it is held
 * against the truth. Another one visits a thread that alternates between two places, by the rule of
 * bpf/visit.bpf.c.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "profile/builder.h"
#include "profile/estimate.h"

static void test_estimate__se_is_the_root(void **state)
{
	(void)state;
	assert_int_equal(estimate_se_ns(0), 0);
	assert_true(estimate_se_ns(ESTIMATE_VAR_MAX) == ~0ULL);
	assert_true(estimate_se_ns(ESTIMATE_VAR_MAX - 1) < 4300 * 1000000000ULL);
	assert_int_equal(estimate_se_ns(1), 1000);
	assert_int_equal(estimate_se_ns(2), 1414);
	assert_int_equal(estimate_se_ns(1000000), 1000000);
	assert_int_equal(estimate_se_ns(7000000), 2645751);
	assert_int_equal(estimate_se_ns(~0ULL - 1), 4294967295999ULL);
}

static void test_estimate__variances_add_up_to_the_largest_number(void **state)
{
	(void)state;
	assert_int_equal(estimate_add_var(3, 4), 7);
	assert_true(estimate_add_var(~0ULL, 0) == ~0ULL);
	assert_true(estimate_add_var(~0ULL - 5, 6) == ~0ULL);
}

static void test_estimate__few_samples_are_rough_only_if_they_stand_for_others(void **state)
{
	(void)state;
	assert_true(estimate_is_rough(1, ESTIMATE_FEW - 1));
	assert_false(estimate_is_rough(1, ESTIMATE_FEW));
	assert_false(estimate_is_rough(0, 1));
}

#define RUNS 200
#define THREADS 8
#define STACKS 24
#define WAITS 12000
#define PERIOD_NS 1000000ULL

struct sim_wait {
	u32 thread;
	u32 stack;
	u64 ns;
};

struct sums {
	double ns;
	double ns_sq;
	double count;
	double count_sq;
	double var_us2; /* as it was estimated */
};

struct sim {
	struct sim_wait waits[WAITS];
	struct sums of[STACKS];
	u64 true_ns[STACKS];
	u64 true_count[STACKS];
	u64 thread_ns[THREADS];
	u64 seed;
};

static double random_unit(struct sim *s)
{
	s->seed = s->seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(s->seed >> 11) / (double)(1ULL << 53);
}

/* Lengths from 2 us to 20 ms, each stack with its own, the first stacks the most frequent. */
static void make_waits(struct sim *s)
{
	for (u32 i = 0; i < WAITS; i++) {
		struct sim_wait *w = &s->waits[i];
		double u = random_unit(s);

		w->stack = (u32)(STACKS * u * u);
		w->thread = (u32)(THREADS * random_unit(s));
		w->ns = (u64)(2000 * pow(10, 3 * random_unit(s)) * (1 + w->stack % 10));
		s->true_ns[w->stack] += w->ns;
		s->true_count[w->stack]++;
		s->thread_ns[w->thread] += w->ns;
	}
}

/* What wait_add() does with a chosen wait. */
static int list_wait(struct sim *s, struct builder *b, const struct sim_wait *from, u64 weight)
{
	struct profile_wait w = { .task = from->thread + 1, .sysno = (s32)from->stack, .state = 1 };
	u64 us = weight / 1000;

	w.blocked_ns = weight;
	w.count = w.samples = 1;
	w.max_ns = from->ns;
	if (weight > from->ns) {
		w.count = weight / from->ns;
		w.count += random_unit(s) * (double)from->ns < (double)(weight % from->ns);
		w.var_us2 = us * us - us * (from->ns / 1000);
	}
	w.hist[0] = (u32)w.count;
	return builder__wait(b, &w);
}

static void add_tasks(struct sim *s, struct builder *b)
{
	for (u32 i = 0; i < THREADS; i++) {
		struct profile_task t = { .tid = i + 1, .wall_ns = s->thread_ns[i] };
		u32 id;

		t.blocked_ns[1] = s->thread_ns[i];
		assert_int_equal(builder__task(b, &t, &id), 0);
	}
}

static struct profile *sample(struct sim *s)
{
	struct builder *b = builder__new();
	struct profile *p = NULL;
	u64 waited[THREADS];
	struct err err = { 0 };

	assert_non_null(b);
	add_tasks(s, b);
	for (u32 i = 0; i < THREADS; i++)
		waited[i] = (u64)(random_unit(s) * PERIOD_NS);
	for (u32 i = 0; i < WAITS; i++) {
		const struct sim_wait *w = &s->waits[i];
		u64 weight = w->ns >= PERIOD_NS ? w->ns : 0;

		if (!weight) {
			waited[w->thread] += w->ns;
			if (waited[w->thread] >= PERIOD_NS) {
				waited[w->thread] -= PERIOD_NS;
				weight = PERIOD_NS;
			}
		}
		if (weight)
			assert_int_equal(list_wait(s, b, w, weight), 0);
	}
	builder__header(b)->period_ns = builder__header(b)->period_min_ns = PERIOD_NS;
	builder__header(b)->period_max_ns = builder__header(b)->period_sum_ns = PERIOD_NS;
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	builder__free(b);
	if (profile__check(p, &err))
		fail_msg("%s", err.msg);
	return p;
}

static void add_run(struct sim *s, const struct profile *p)
{
	double ns[STACKS] = { 0 }, count[STACKS] = { 0 };

	for (u32 i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];

		assert_false(w->flags & WAIT_LOST); /* chance is no loss */
		ns[w->sysno] += (double)w->blocked_ns;
		count[w->sysno] += (double)w->count;
		s->of[w->sysno].var_us2 += (double)w->var_us2 / RUNS;
	}
	for (u32 i = 0; i < STACKS; i++) {
		double ns_off = ns[i] - (double)s->true_ns[i];
		double count_off = count[i] - (double)s->true_count[i];

		s->of[i].ns += ns_off / RUNS;
		s->of[i].ns_sq += ns_off * ns_off / RUNS;
		s->of[i].count += count_off / RUNS;
		s->of[i].count_sq += count_off * count_off / RUNS;
	}
}

/* No bias beyond three standard errors of 200 runs, in time and in number. */
static void test_estimate__sampled_sums_have_no_bias(void **state)
{
	struct sim *s = calloc(1, sizeof(*s));

	(void)state;
	assert_non_null(s);
	s->seed = 42;
	make_waits(s);
	for (u32 run = 0; run < RUNS; run++) {
		struct profile *p = sample(s);

		add_run(s, p);
		profile__free(p);
	}
	for (u32 i = 0; i < STACKS; i++) {
		const struct sums *of = &s->of[i];
		double error = sqrt(of->ns_sq / 1e6) / sqrt(of->var_us2);

		assert_true(fabs(of->ns) < 3 * sqrt(of->ns_sq / RUNS));
		assert_true(fabs(of->count) < 3 * sqrt(of->count_sq / RUNS));
		/* the error is as large as is said, or somewhat less: the thread is one sample */
		assert_true(error > 0.6 && error < 1.4);
	}
	free(s);
}

#define VISIT_RUNS 2000
#define VISIT_PERIOD 10000.0 /* us */

struct visited {
	double true_us;
	double us;
	double var_us2;
	u64 waits;
	double last_us; /* the visit before */
	double left_us; /* time since that is not in a sum */
	bool was_in;
};

static double random_length(struct sim *s, double mean)
{
	return -mean * log(1 - random_unit(s));
}

/* What visit_found() does: half of the time between two visits belongs to either. */
static void visit_at(struct visited *v, double at, bool is_in, bool first, bool is_new_wait)
{
	double gap = at - v->last_us, middle = first ? 0 : v->last_us + gap / 2;

	if (v->was_in)
		v->us += middle - v->left_us;
	if (!first && v->was_in != is_in)
		v->var_us2 += gap * gap / 2;
	v->waits += is_in && (!v->was_in || is_new_wait);
	v->left_us = middle;
	v->last_us = at;
	v->was_in = is_in;
}

/* A thread that is in the row for in_us in the mean, and then elsewhere for out_us. */
static struct visited visit_thread(struct sim *s, double in_us, double out_us, u32 visits)
{
	struct visited v = { 0 };
	double from = 0, to = 0, end = visits * VISIT_PERIOD;
	bool is_in = random_unit(s) * (in_us + out_us) < in_us, switched = false;

	to = random_length(s, is_in ? in_us : out_us);
	for (u32 i = 0; i < visits; i++) {
		double at = (i + random_unit(s)) * VISIT_PERIOD;

		for (; to <= at; switched = true) {
			v.true_us += is_in ? to - from : 0;
			is_in = !is_in;
			from = to;
			to += random_length(s, is_in ? in_us : out_us);
		}
		visit_at(&v, at, is_in, !i, switched);
		switched = false;
	}
	for (; from < end; to += random_length(s, is_in ? in_us : out_us)) {
		v.true_us += is_in ? fmin(to, end) - from : 0;
		is_in = !is_in;
		from = to;
	}
	v.us += v.was_in ? end - v.left_us : 0;
	return v;
}

/* The share of runs whose estimate is within two standard errors of the truth. */
static double covered(struct sim *s, double in_us, double out_us, u32 visits, double *ret_bias)
{
	u32 inside = 0;

	*ret_bias = 0;
	for (u32 run = 0; run < VISIT_RUNS; run++) {
		struct visited v = visit_thread(s, in_us, out_us, visits);
		double off = v.us - v.true_us;
		u64 var = estimate_visited_var((u64)v.var_us2, (u64)(v.us * 1000), v.waits,
					       (u64)(VISIT_PERIOD * 1000));

		inside += fabs(off) <= 2 * sqrt((double)var);
		*ret_bias += off / VISIT_RUNS / VISIT_PERIOD;
	}
	return (double)inside / VISIT_RUNS;
}

/* Waits shorter and longer than the period, in most of the visits and in few. */
static void test_estimate__visits_cover_the_truth(void **state)
{
	static const struct {
		double in_us, out_us;
		u32 visits;
	} cases[] = {
		{ 980, 20, 80 },  { 980, 20, 400 },    { 1000, 10, 400 },	{ 900, 100, 80 },
		{ 30, 1, 80 },	  { 30000, 1000, 80 }, { 9000, 1000, 80 },	{ 500, 500, 80 },
		{ 300, 700, 80 }, { 100, 900, 400 },   { 100000, 100000, 400 },
	};
	struct sim *s = calloc(1, sizeof(*s));

	(void)state;
	assert_non_null(s);
	s->seed = 63;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double bias;
		double share = covered(s, cases[i].in_us, cases[i].out_us, cases[i].visits, &bias);

		if (share < 0.93)
			fail_msg("in %g us, out %g us, %u visits: %.1f%% inside", cases[i].in_us,
				 cases[i].out_us, cases[i].visits, 100 * share);
		assert_true(fabs(bias) < 0.8); /* periods: 3 standard errors of the runs */
	}
	free(s);
}

static void test_estimate__only_rows_with_most_visits_get_more_variance(void **state)
{
	const u64 ms = 1000000, period = 10 * ms, two = 2 * 10000ULL * 10000;

	(void)state;
	assert_int_equal(estimate_visited_var(0, 1000 * ms, 2, period), two);
	assert_int_equal(estimate_visited_var(7, 1000 * ms, 100, period), 7 + two);
	/* one wait throughout is exact */
	assert_int_equal(estimate_visited_var(0, 1000 * ms, 1, period), 0);
	/* half of the visits were elsewhere */
	assert_int_equal(estimate_visited_var(5000000000, 1000 * ms, 50, period), 5000000000);
	assert_true(estimate_visited_var(~0ULL / 4, ~0ULL, 9, period) < ~0ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_estimate__se_is_the_root),
		cmocka_unit_test(test_estimate__variances_add_up_to_the_largest_number),
		cmocka_unit_test(
			test_estimate__few_samples_are_rough_only_if_they_stand_for_others),
		cmocka_unit_test(test_estimate__sampled_sums_have_no_bias),
		cmocka_unit_test(test_estimate__visits_cover_the_truth),
		cmocka_unit_test(test_estimate__only_rows_with_most_visits_get_more_variance),
	};

	return cmocka_run_group_tests_name("profile/estimate", tests, NULL, NULL);
}
