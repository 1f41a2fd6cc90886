/* SPDX-License-Identifier: Apache-2.0 */
/* When windows end. The clocks, the run loop and the session are ours. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define clock_mono_ns fake_mono_ns
#define clock_wall_ns fake_wall_ns
#define run_begin fake_run_begin
#define run_until fake_run_until
#define session__next fake_session_next
#define session__finish fake_session_finish
#include "app/live.c"

#define S NSEC_PER_SEC
#define BEGIN_NS (1000 * S)
#define CUT_NS (30 * NSEC_PER_MSEC)
#define ENDS_MAX 8

static u64 now_ns, wall_ahead_ns; /* of the monotonic clock */
static u64 late_ns; /* by so much does the next window end late */
static u64 cut_at_ns; /* a window is cut then; 0: none is */
static u64 over_ns; /* the run is over at this instant */
static u64 until[ENDS_MAX], ends[ENDS_MAX]; /* as asked for */
static u32 runs, cuts, finishes, begins;
static int begin_fails, until_fails;

u64 clock_mono_ns(void)
{
	return now_ns;
}

u64 clock_wall_ns(void)
{
	return now_ns + wall_ahead_ns;
}

int run_begin(struct session *s, const struct run_options *opt, struct err *err)
{
	(void)s;
	(void)opt;
	begins++;
	return begin_fails ? err__set(err, begin_fails, "no beginning") : 0;
}

int run_until(struct session *s, const struct run_options *opt, u64 begin_ns, u64 until_ns,
	      enum run_pause *ret, struct err *err)
{
	(void)s;
	(void)opt;
	if (cut_at_ns && until_ns > cut_at_ns) {
		*ret = RUN_CUT;
		now_ns = cut_at_ns;
		until[runs++] = until_ns;
		cut_at_ns = 0;
		return 0;
	}
	assert_true(begin_ns == BEGIN_NS);
	assert_true(runs < ENDS_MAX);
	until[runs++] = until_ns;
	*ret = until_ns >= over_ns ? RUN_OVER : RUN_UNTIL;
	now_ns = *ret == RUN_OVER ? over_ns : until_ns;
	return until_fails ? err__set(err, until_fails, "the ring is broken") : 0;
}

int session__next(struct session *s, u64 end_mono_ns, struct profile **ret, struct err *err)
{
	(void)s;
	(void)err;
	ends[cuts++] = end_mono_ns;
	now_ns = (end_mono_ns ? end_mono_ns : now_ns) + late_ns + CUT_NS;
	late_ns = 0;
	*ret = NULL;
	return 0;
}

int session__finish(struct session *s, struct profile **ret, struct err *err)
{
	(void)s;
	(void)err;
	finishes++;
	*ret = NULL;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	now_ns = BEGIN_NS;
	wall_ahead_ns = late_ns = 0;
	over_ns = ~0ULL;
	runs = cuts = finishes = begins = 0;
	begin_fails = until_fails = 0;
	return 0;
}

static int next_of(struct live *l)
{
	const struct profile_source src = live__source(l);
	struct profile *p;
	struct err err;

	return src.next(src.arg, &p, &err);
}

static void test_one_window_ends_with_the_run(void **state)
{
	struct live l;

	(void)state;
	live__init(&l, NULL, NULL, 0, false);
	over_ns = BEGIN_NS + 7 * S;
	assert_int_equal(next_of(&l), 1);
	assert_int_equal(next_of(&l), 0);
	assert_true(until[0] == ~0ULL);
	assert_int_equal(begins, 1);
	assert_int_equal(cuts, 0);
	assert_int_equal(finishes, 1);
}

/* Of the start: that a window took 30 ms to cut makes no difference. */
static void test_windows_end_at_multiples_of_their_length(void **state)
{
	struct live l;

	(void)state;
	live__init(&l, NULL, NULL, S, false);
	over_ns = BEGIN_NS + 3 * S + S / 2;
	for (u32 i = 1; i <= 3; i++) {
		assert_int_equal(next_of(&l), 1);
		assert_true(ends[i - 1] == BEGIN_NS + i * S);
		/* the rest of the way is slept through by the session */
		assert_true(until[i - 1] < ends[i - 1]);
	}
	assert_int_equal(next_of(&l), 1);
	assert_int_equal(next_of(&l), 0);
	assert_int_equal(begins, 1);
	assert_int_equal(cuts, 3);
	assert_int_equal(finishes, 1);
}

/* As soon as possible; the next one has its whole length from there. */
static void test_a_cut_ends_a_window_early(void **state)
{
	struct live l;

	(void)state;
	live__init(&l, NULL, NULL, S, false);
	cut_at_ns = BEGIN_NS + 300 * NSEC_PER_MSEC;
	assert_int_equal(next_of(&l), 1);
	assert_int_equal(ends[0], 0);
	assert_int_equal(next_of(&l), 1);
	assert_true(ends[1] == BEGIN_NS + 300 * NSEC_PER_MSEC + CUT_NS + S);
}

/* A window of 2.5 s, and the next one of 0.5 s. */
static void test_a_late_window_leaves_out_the_ends_that_are_past(void **state)
{
	struct live l;

	(void)state;
	live__init(&l, NULL, NULL, S, false);
	late_ns = S + S / 2 - CUT_NS;
	assert_int_equal(next_of(&l), 1);
	assert_true(ends[0] == BEGIN_NS + S);
	assert_int_equal(next_of(&l), 1);
	assert_true(ends[1] == BEGIN_NS + 3 * S);
	/* exactly at the end of the next one */
	late_ns = S - CUT_NS;
	assert_int_equal(next_of(&l), 1);
	assert_int_equal(next_of(&l), 1);
	assert_true(ends[2] == BEGIN_NS + 4 * S);
	assert_true(ends[3] == BEGIN_NS + 6 * S);
}

/* The start is 300 ms after a full second of the wall clock, then 700 ms. */
static void test_aligned_windows_end_at_multiples_of_the_wall_clock(void **state)
{
	struct live l;

	(void)state;
	wall_ahead_ns = 50 * S + 300 * NSEC_PER_MSEC;
	live__init(&l, NULL, NULL, S, true);
	for (u32 i = 0; i < 3; i++) {
		assert_int_equal(next_of(&l), 1);
		assert_true(ends[i] == BEGIN_NS + 700 * NSEC_PER_MSEC + i * S);
	}
	now_ns = BEGIN_NS;
	wall_ahead_ns = 50 * S + 700 * NSEC_PER_MSEC;
	live__init(&l, NULL, NULL, S, true);
	assert_int_equal(next_of(&l), 1);
	assert_true(ends[3] == BEGIN_NS + 300 * NSEC_PER_MSEC + S);
}

static void test_aligned_windows_follow_the_wall_clock(void **state)
{
	struct live l;

	(void)state;
	live__init(&l, NULL, NULL, S, true);
	assert_int_equal(next_of(&l), 1);
	assert_true(ends[0] == BEGIN_NS + S);
	/* slewed back behind the end that has just passed: that is no window of 10 ms */
	wall_ahead_ns = -CUT_NS - 10 * NSEC_PER_MSEC;
	assert_int_equal(next_of(&l), 1);
	assert_true(ends[1] == BEGIN_NS + 2 * S - wall_ahead_ns);
	/* set ahead by 400 ms */
	wall_ahead_ns = 400 * NSEC_PER_MSEC;
	assert_int_equal(next_of(&l), 1);
	assert_true(ends[2] == BEGIN_NS + 3 * S - wall_ahead_ns);
	/* late by more than a window */
	late_ns = S;
	assert_int_equal(next_of(&l), 1);
	assert_int_equal(next_of(&l), 1);
	assert_true(ends[4] == ends[3] + 2 * S);
}

static void test_errors_end_it(void **state)
{
	struct live l;

	(void)state;
	live__init(&l, NULL, NULL, S, false);
	begin_fails = -EINTR;
	assert_int_equal(next_of(&l), -EINTR);
	assert_int_equal(runs, 0);
	live__init(&l, NULL, NULL, S, false);
	begin_fails = 0;
	until_fails = -EIO;
	assert_int_equal(next_of(&l), -EIO);
	assert_int_equal(cuts + finishes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_one_window_ends_with_the_run, setup),
		cmocka_unit_test_setup(test_windows_end_at_multiples_of_their_length, setup),
		cmocka_unit_test_setup(test_a_cut_ends_a_window_early, setup),
		cmocka_unit_test_setup(test_a_late_window_leaves_out_the_ends_that_are_past, setup),
		cmocka_unit_test_setup(test_aligned_windows_end_at_multiples_of_the_wall_clock,
				       setup),
		cmocka_unit_test_setup(test_aligned_windows_follow_the_wall_clock, setup),
		cmocka_unit_test_setup(test_errors_end_it, setup),
	};

	return cmocka_run_group_tests_name("app/live", tests, NULL, NULL);
}
