/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/model/owner_times.h"
#include "base/mem.h"
#include "lib/lit.h"

#define MS NSEC_PER_MSEC

static const char text[] = "arch x86_64\ntask 1/1 writer on=100ms\n"
			   "wait D sys=fsync blocked=30ms runq=1ms\n u a\n"
			   "wait D sys=fsync blocked=20ms\n u b\n"
			   "wait S sys=read blocked=40ms\n u a\n"
			   "task 1/2 other on=7ms\n"
			   "task 1/3 waiter\n"
			   "wait S sys=futex blocked=9ms owner=1\n u a\n"
			   "wait S sys=futex blocked=9ms owner=2\n u b\n"
			   "wait S sys=futex blocked=9ms owner=77\n u c\n";

static void test_owner_times__tell_what_they_waited_for_longest(void **state)
{
	struct profile *p = lit(text);
	struct owner_time owner;
	struct owner_times h;
	struct causes c;

	(void)state;
	assert_int_equal(causes__init(&c, p, NULL, NULL), 0);
	assert_int_equal(owner_times__init(&h, p, &c), 0);
	owner = owner_times__of(&h, 1);
	assert_int_equal(owner.wall_ns, 191 * MS);
	assert_int_equal(owner.on_ns, 100 * MS);
	assert_int_equal(owner.cause, CAUSE_DISK_SYNC);
	assert_int_equal(owner.cause_ns, 51 * MS);
	/* it ran, and waited for nothing */
	owner = owner_times__of(&h, 2);
	assert_int_equal(owner.on_ns, 7 * MS);
	assert_int_equal(owner.cause_ns, 0);
	/* not recorded */
	owner = owner_times__of(&h, 0);
	assert_int_equal(owner.wall_ns + owner.cause_ns, 0);
	owner_times__done(&h);
	causes__done(&c);
	profile__free(p);
}

/* Which thread of a process took a file lock is not known. */
static void test_owner_times_of_a_file_lock_are_of_a_process_with_one_thread(void **state)
{
	struct profile *p =
		lit("arch x86_64\ntask 1/1 many on=100ms\ntask 1/2 other on=7ms\n"
		    "task 3/3 single on=5ms\ntask 4/4 waiter\n"
		    "wait S sys=flock blocked=9ms owner=1\n object file name=/l\n u a\n"
		    "wait S sys=flock blocked=9ms owner=3\n object file name=/l\n u b\n");
	struct owner_times h;
	struct causes c;

	(void)state;
	assert_int_equal(causes__init(&c, p, NULL, NULL), 0);
	assert_int_equal(owner_times__init(&h, p, &c), 0);
	assert_int_equal(owner_times__of(&h, 1).wall_ns, 0);
	assert_int_equal(owner_times__of(&h, 3).on_ns, 5 * MS);
	owner_times__done(&h);
	causes__done(&c);
	profile__free(p);
}

static void test_owner_times__report_every_allocation_that_fails(void **state)
{
	struct profile *p = lit(text);
	struct owner_times h;
	struct causes c;
	u64 nth;
	int r = -1;

	(void)state;
	assert_int_equal(causes__init(&c, p, NULL, NULL), 0);
	for (nth = 1; r; nth++) {
		mem_fail_nth(nth);
		r = owner_times__init(&h, p, &c);
		mem_fail_nth(0);
		owner_times__done(&h);
		assert_true(!r || nth < 10);
	}
	assert_true(nth > 2);
	causes__done(&c);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner_times_of_a_file_lock_are_of_a_process_with_one_thread),
		cmocka_unit_test(test_owner_times__tell_what_they_waited_for_longest),
		cmocka_unit_test(test_owner_times__report_every_allocation_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
