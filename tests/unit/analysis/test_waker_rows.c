/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/view/waker_rows.h"
#include "base/mem.h"
#include "lib/lit.h"

#define MS NSEC_PER_MSEC

static const char text[] = "task 1/1 writer\n"
			   "wait D blocked=10ms count=3\n u a\n"
			   "task 1/2 waiter\n"
			   "wait S blocked=90ms runq=10ms count=10 hist=20:3,22:7 max=40ms\n u a\n"
			   "woken A running=20ms blocked=20ms woken=4ms count=4\n"
			   "woken B unknown=30ms woken=3ms count=3\n"
			   "wait S blocked=5ms count=1\n u b\n"
			   "woken A running=5ms count=1\n"
			   "waker A 1/1 writer\n"
			   "waker B softirq\n";

static u64 hist_sum(const struct profile_wait *w)
{
	u64 sum = 0;
	u32 h;

	for (h = 0; h < PROFILE_HIST_LEN; h++)
		sum += w->hist[h];
	return sum;
}

static void assert_row(const struct waker_rows *r, u32 row, u32 waker, u64 ms, u64 count)
{
	const struct profile_wait *w = &r->p->waits[row];

	assert_int_equal(w->waker, waker);
	assert_int_equal(w->blocked_ns + w->runq_ns, ms * MS);
	assert_int_equal(w->count, count);
	assert_int_equal(w->samples, count);
	assert_int_equal(hist_sum(w), count);
}

static void test_rows__are_the_wakers_of_a_wait_and_the_rest(void **state)
{
	struct profile *p = lit(text);
	struct waker_rows r;

	(void)state;
	assert_int_equal(waker_rows__init(&r, p, NULL), 0);
	assert_int_equal(r.p->waits_len, 6);
	assert_row(&r, 1, 0, 10, 3);
	assert_row(&r, 2, 2, 33, 3);
	assert_row(&r, 3, 1, 44, 4);
	assert_row(&r, 4, 0, 23, 3);
	assert_row(&r, 5, 1, 5, 1);
	assert_int_equal(r.p->waits[3].blocked_ns, 40 * MS);
	/* the longest of all of them, unless the row has less time */
	assert_int_equal(r.p->waits[3].max_ns, 40 * MS);
	assert_int_equal(r.p->waits[2].max_ns, 33 * MS);
	assert_int_equal(r.p->waits[4].max_ns, 23 * MS);
	waker_rows__done(&r);
	profile__free(p);
}

static void test_rows__of_a_wait_have_its_histogram_between_them(void **state)
{
	struct profile *p = lit(text);
	struct waker_rows r;
	u32 h;

	(void)state;
	assert_int_equal(waker_rows__init(&r, p, NULL), 0);
	for (h = 0; h < PROFILE_HIST_LEN; h++)
		assert_int_equal(r.p->waits[2].hist[h] + r.p->waits[3].hist[h] +
					 r.p->waits[4].hist[h],
				 p->waits[2].hist[h]);
	waker_rows__done(&r);
	profile__free(p);
}

static void test_rows__say_which_wake_they_have(void **state)
{
	struct profile *p = lit(text);
	struct waker_rows r;
	u32 i;

	(void)state;
	assert_int_equal(waker_rows__init(&r, p, NULL), 0);
	assert_int_equal(r.p->wakes_len, 1);
	for (i = 1; i < p->wakes_len; i++)
		assert_int_equal(r.p->waits[r.row_of_wake[i]].waker, p->wakes[i].waker);
	waker_rows__done(&r);
	profile__free(p);
}

static void test_rows__of_a_profile_without_wakers_are_its_waits(void **state)
{
	struct profile *p = lit("task 1/1 a\nwait S blocked=5ms\n u b\nwait R runq=1ms\n");
	struct waker_rows r;

	(void)state;
	assert_int_equal(waker_rows__init(&r, p, NULL), 0);
	assert_int_equal(r.p->waits_len, p->waits_len);
	assert_row(&r, 1, 0, 5, 1);
	assert_row(&r, 2, 0, 1, 1);
	waker_rows__done(&r);
	profile__free(p);
}

static void test_rows__report_every_allocation_that_fails(void **state)
{
	struct profile *p = lit(text);
	struct waker_rows r;
	u64 nth;
	int result = -1;

	(void)state;
	for (nth = 1; result; nth++) {
		mem_fail_nth(nth);
		result = waker_rows__init(&r, p, NULL);
		mem_fail_nth(0);
		waker_rows__done(&r);
		assert_true(nth < 100);
	}
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows__are_the_wakers_of_a_wait_and_the_rest),
		cmocka_unit_test(test_rows__of_a_wait_have_its_histogram_between_them),
		cmocka_unit_test(test_rows__say_which_wake_they_have),
		cmocka_unit_test(test_rows__of_a_profile_without_wakers_are_its_waits),
		cmocka_unit_test(test_rows__report_every_allocation_that_fails),
	};

	return cmocka_run_group_tests_name("waker_rows", tests, NULL, NULL);
}
