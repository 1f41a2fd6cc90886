/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "abi/hist.h"
#include "profile/builder.h"
#include "profile/windows/merge.h"

static const u32 units[] = { 4, 1000, 1024, 1000000 };

static void test_bins__are_those_of_the_kernel_side(void **state)
{
	u32 u, b;

	(void)state;
	assert_int_equal(HIST_BINS, CS_FINE_LEN);
	for (u = 0; u < ARRAY_LEN(units); u++) {
		for (b = 0; b < HIST_BINS; b++) {
			u64 floor_ns = bins_floor_ns(units[u], b);

			assert_int_equal(cs_fine_bucket(floor_ns, units[u]), b);
			if (b + 1 == HIST_BINS)
				break;
			assert_int_equal(cs_fine_bucket(bins_ceil_ns(units[u], b) - 1, units[u]),
					 b);
			assert_int_equal(cs_fine_bucket(bins_ceil_ns(units[u], b), units[u]),
					 b + 1);
		}
		assert_int_equal(cs_fine_bucket(~0ULL, units[u]), HIST_BINS - 1);
		assert_true(bins_ceil_ns(units[u], HIST_BINS - 1) == ~0ULL);
	}
}

static void test_bins__are_four_steps_of_a_power_of_two(void **state)
{
	static const u64 floors[] = {
		0, 1000, 1250, 1500, 1750, 2000, 2500, 3000, 3500, 4000, 5000
	};
	u32 b;

	(void)state;
	for (b = 0; b < ARRAY_LEN(floors); b++)
		assert_int_equal(bins_floor_ns(1000, b), floors[b]);
}

/* A thread that was on a CPU for 4 slices and waited 3 times, of which one was a preemption. */
static struct profile *sample(u32 unit_ns)
{
	static const struct profile_bin bins[] = {
		{ 1, HIST_RUNQ, 0, 3 },	   { 1, HIST_OFF, 1, 1 }, { 1, HIST_OFF, 5, 2 },
		{ 1, HIST_BLOCKED, 5, 2 }, { 1, HIST_ON, 9, 3 },  { 1, HIST_ON, 13, 1 },
	};
	const struct profile_task t = {
		.tid = 7,
		.tgid = 7,
		.flags = TASK_EXITED,
		.begin_ns = 1,
		.start_boottime_ns = 5,
		.wall_ns = 100000,
		.on_ns = 50000,
		.preempted_ns = 1100,
		.runq_ns = 900,
		.blocked_ns = { [1] = 48000 },
		.switches = 3,
		.hist_on_ns = 3 * 4500 + 9000,
		.hist_runq_ns = 2000,
		.hist_blocked_ns = 4100,
	};
	struct builder *b = builder__new();
	struct profile *p = NULL;
	u32 task, i;

	assert_non_null(b);
	builder__header(b)->filtered = 1; /* no list */
	builder__header(b)->hist_unit_ns = unit_ns;
	assert_int_equal(builder__task(b, &t, &task), 0);
	for (i = 0; i < ARRAY_LEN(bins); i++)
		assert_int_equal(builder__bin(b, &bins[i]), 0);
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	builder__free(b);
	return p;
}

static void test_bins__are_in_order_and_found_by_thread(void **state)
{
	struct profile *p = sample(1000);
	struct err err = { 0 };
	u32 first, end, i;

	(void)state;
	assert_int_equal(profile__check(p, &err), 0);
	bins_of_task(p, 1, &first, &end);
	assert_int_equal(first, 1);
	assert_int_equal(end, 7);
	bins_of_task(p, 2, &first, &end);
	assert_int_equal(first, end);
	for (i = 2; i < p->bins_len; i++)
		assert_true(p->bins[i - 1].kind * HIST_BINS + p->bins[i - 1].bucket <
			    p->bins[i].kind * HIST_BINS + p->bins[i].bucket);
	profile__free(p);
}

static void no_unit(struct profile *p)
{
	p->hdr.hist_unit_ns = 0;
}

static void odd_unit(struct profile *p)
{
	p->hdr.hist_unit_ns = 1001;
}

static void no_thread(struct profile *p)
{
	p->bins[6].task = 2;
}

static void empty(struct profile *p)
{
	p->bins[1].count = 0;
}

static void twice(struct profile *p)
{
	p->bins[2].bucket = p->bins[1].bucket;
}

static void too_much(struct profile *p)
{
	p->tasks[1].hist_on_ns = p->tasks[1].on_ns + 1;
}

/* One that was there when its window began may have begun a slice before that. */
static void test_bins__may_hold_more_than_the_window(void **state)
{
	struct profile *p = sample(1000);
	struct err err = { 0 };

	(void)state;
	p->tasks[1].unaccounted_ns = p->tasks[1].on_ns - 1;
	p->tasks[1].on_ns = 1;
	assert_int_equal(profile__check(p, &err), -EINVAL);
	p->tasks[1].begin_ns = 0;
	assert_int_equal(profile__check(p, &err), 0);
	p->tasks[1].flags |= TASK_BORN;
	assert_int_equal(profile__check(p, &err), -EINVAL);
	profile__free(p);
}

/* Also one whose first record is in a later window, as after an exec between two windows. */
static void test_profile_merge__keeps_slices_that_began_before_a_later_window(void **state)
{
	struct profile *a = sample(1000), *b = sample(1000), *sum = NULL;
	const struct profile *parts[] = { a, b };
	struct err err = { 0 };

	(void)state;
	b->hdr.begin_wall_ns = b->hdr.begin_mono_ns = 1000000;
	b->tasks[1].tid = 8;
	b->tasks[1].begin_ns = 0;
	b->tasks[1].unaccounted_ns = b->tasks[1].on_ns - 1;
	b->tasks[1].on_ns = 1;
	assert_int_equal(profile_merge(parts, 2, &sum, &err), 0);
	assert_int_equal(sum->tasks_len, 3);
	assert_int_equal(profile__check(sum, &err), 0);
	sum->tasks[2].flags |= TASK_BORN;
	assert_int_equal(profile__check(sum, &err), -EINVAL);
	profile__free(sum);
	profile__free(a);
	profile__free(b);
}

/* At a cut, its wakeup may have been put some ns later than at its end. */
static void test_bins__may_split_a_cut_wait_elsewhere(void **state)
{
	struct profile *p = sample(1000);
	struct err err = { 0 };

	(void)state;
	p->tasks[1].runq_ns -= 50;
	p->tasks[1].blocked_ns[1] += 50;
	assert_int_equal(profile__check(p, &err), -EINVAL);
	p->hdr.windows = 2;
	assert_int_equal(profile__check(p, &err), 0);
	p->tasks[1].flags |= TASK_BORN;
	assert_int_equal(profile__check(p, &err), 0);
	p->tasks[1].blocked_ns[1] -= 50000;
	p->tasks[1].unaccounted_ns += 50000;
	assert_int_equal(profile__check(p, &err), -EINVAL);
	profile__free(p);
}

static void one_slice_less(struct profile *p)
{
	p->bins[1].count--;
}

/* [8000, 10000) instead of [4000, 5000) */
static void longer_slices(struct profile *p)
{
	p->bins[1].bucket += 3;
}

static void one_wait_less(struct profile *p)
{
	p->bins[4].count--;
	p->bins[3].bucket += 1;
}

static void a_switch_less(struct profile *p)
{
	p->tasks[1].switches--;
}

static void another_wait(struct profile *p)
{
	p->tasks[1].hist_blocked_ns--;
	p->bins[5].count++;
}

static void test_bins__check_finds_every_fault(void **state)
{
	static const struct {
		void (*break_it)(struct profile *p);
		const char *sentence;
	} faults[] = {
		{ no_unit, "there are histograms of threads without a unit" },
		{ odd_unit, "histograms of threads cannot have a unit of 1001 ns" },
		{ no_thread, "count 6 of the histograms is impossible" },
		{ empty, "count 1 of the histograms is impossible" },
		{ twice, "count 2 of the histograms is out of order" },
		{ too_much, "the histograms of task 1 (tid 7) hold more than its totals" },
		{ one_slice_less,
		  "the histogram 'on' of task 1 (tid 7) cannot have a sum of 22500 ns" },
		{ longer_slices,
		  "the histogram 'on' of task 1 (tid 7) cannot have a sum of 22500 ns" },
		{ one_wait_less,
		  "the histogram 'off' of task 1 (tid 7) cannot have a sum of 6100 ns" },
		{ a_switch_less, "the histograms of task 1 (tid 7) count 4 slices and 3 waits, it "
				 "has 2 switches" },
		{ another_wait, "the histograms of task 1 (tid 7) count 3 waits, 4 for a CPU and 2 "
				"blocked" },
	};
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(faults); i++) {
		struct profile *p = sample(1000);

		faults[i].break_it(p);
		err = (struct err){ 0 };
		assert_int_equal(profile__check(p, &err), -EINVAL);
		assert_string_equal(err.msg, faults[i].sentence);
		profile__free(p);
	}
}

static void test_builder__bin_refuses_what_does_not_exist(void **state)
{
	static const struct profile_bin bad[] = {
		{ 0, HIST_ON, 0, 1 },	      { 2, HIST_ON, 0, 1 }, { 1, HIST_KINDS, 0, 1 },
		{ 1, HIST_ON, HIST_BINS, 1 }, { 1, HIST_ON, 0, 0 },
	};
	const struct profile_bin most = { 1, HIST_ON, 0, ~0ULL };
	const struct profile_task t = { .tid = 1 };
	struct builder *b;
	u32 task;
	size_t i;

	(void)state;
	for (i = 0; i <= ARRAY_LEN(bad); i++) {
		b = builder__new();
		assert_int_equal(builder__task(b, &t, &task), 0);
		assert_int_equal(builder__bin(b, &most), 0);
		assert_int_equal(builder__bin(b, i < ARRAY_LEN(bad) ? &bad[i] : &most), -EINVAL);
		builder__free(b);
	}
}

static void test_profile_merge__adds_histograms_up(void **state)
{
	struct profile *a = sample(1000), *b = sample(1000), *c = sample(1024),
		       *none = sample(1000);
	const struct profile *parts[] = { a, b }, *apart[] = { a, c }, *some[] = { none, a };
	struct profile *sum = NULL;
	struct err err = { 0 };

	(void)state;
	/* the thread goes on in the second window */
	a->tasks[1].flags = 0;
	a->tasks[1].switches++;
	b->hdr.begin_wall_ns = b->hdr.begin_mono_ns = 1000000;
	assert_int_equal(profile_merge(parts, 2, &sum, &err), 0);
	assert_int_equal(profile__check(sum, &err), 0);
	assert_int_equal(sum->tasks_len, 2);
	assert_int_equal(sum->hdr.hist_unit_ns, 1000);
	assert_int_equal(sum->bins_len, 7);
	assert_int_equal(sum->bins[1].count, 6);
	assert_int_equal(sum->tasks[1].hist_on_ns, 2 * a->tasks[1].hist_on_ns);
	profile__free(sum);
	none->hdr.hist_unit_ns = 0;
	none->bins_len = 1;
	none->tasks[1].hist_on_ns = none->tasks[1].hist_runq_ns = 0;
	none->tasks[1].hist_blocked_ns = 0;
	assert_int_equal(profile_merge(some, 2, &sum, &err), 0);
	assert_int_equal(profile__check(sum, &err), 0);
	assert_int_equal(sum->hdr.hist_unit_ns, 1000);
	profile__free(sum);
	assert_int_equal(profile_merge(apart, 2, &sum, &err), -EINVAL);
	assert_string_equal(err.msg,
			    "histograms with steps of 1000 ns and of 1024 ns cannot be merged");
	profile__free(a);
	profile__free(b);
	profile__free(c);
	profile__free(none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins__are_those_of_the_kernel_side),
		cmocka_unit_test(test_bins__are_four_steps_of_a_power_of_two),
		cmocka_unit_test(test_bins__are_in_order_and_found_by_thread),
		cmocka_unit_test(test_bins__may_hold_more_than_the_window),
		cmocka_unit_test(test_profile_merge__keeps_slices_that_began_before_a_later_window),
		cmocka_unit_test(test_bins__may_split_a_cut_wait_elsewhere),
		cmocka_unit_test(test_bins__check_finds_every_fault),
		cmocka_unit_test(test_builder__bin_refuses_what_does_not_exist),
		cmocka_unit_test(test_profile_merge__adds_histograms_up),
	};

	return cmocka_run_group_tests_name("profile/bins", tests, NULL, NULL);
}
