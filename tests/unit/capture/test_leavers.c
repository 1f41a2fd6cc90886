/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "capture/leavers.h"

/* Is the record of thread `id` dropped from the window at hand? */
static bool drops(struct leavers *l, u32 id, u32 flags)
{
	struct cs_task_record rec = { .id = id, .flags = flags };
	bool drop = !(flags & CS_TASK_LEFT);

	assert_int_equal(leavers__see(l, &rec, &drop), 0);
	return drop;
}

static void test_leavers__have_a_record_in_the_window_in_which_they_leave(void **state)
{
	struct leavers l;

	(void)state;
	leavers__init(&l, true);
	leavers__remove(&l);
	leavers__turn(&l);
	assert_false(drops(&l, 1, CS_TASK_LEFT));
	assert_false(leavers__had(&l, 1));
	for (int window = 0; window < 3; window++) {
		leavers__turn(&l);
		assert_true(leavers__had(&l, 1));
		assert_true(drops(&l, 1, CS_TASK_LEFT));
		assert_false(drops(&l, 2, CS_TASK_CUT));
	}
	leavers__done(&l);
}

static void test_leavers__are_forgotten_when_they_wake(void **state)
{
	struct leavers l;

	(void)state;
	leavers__init(&l, true);
	leavers__remove(&l);
	leavers__turn(&l);
	assert_false(drops(&l, 1, CS_TASK_LEFT));
	leavers__turn(&l);
	assert_true(drops(&l, 1, CS_TASK_MOVED | CS_TASK_LEFT));
	leavers__turn(&l);
	assert_false(leavers__had(&l, 1));
	leavers__done(&l);
}

static void test_leavers__that_were_awake_are_never_had(void **state)
{
	struct leavers l;

	(void)state;
	leavers__init(&l, true);
	leavers__remove(&l);
	leavers__turn(&l);
	assert_false(drops(&l, 1, CS_TASK_MOVED | CS_TASK_LEFT));
	leavers__turn(&l);
	assert_false(leavers__had(&l, 1));
	leavers__done(&l);
}

/* It wakes between the end of a window and its drain, and reports that window itself. */
static void test_leavers__that_report_a_window_themselves_are_dropped(void **state)
{
	struct leavers l;

	(void)state;
	leavers__init(&l, true);
	leavers__remove(&l);
	leavers__turn(&l);
	assert_false(drops(&l, 1, CS_TASK_LEFT));
	leavers__turn(&l);
	assert_true(drops(&l, 1, 0));
	leavers__turn(&l);
	assert_true(drops(&l, 1, CS_TASK_MOVED | CS_TASK_LEFT));
	leavers__turn(&l);
	assert_false(leavers__had(&l, 1));
	leavers__done(&l);
}

/* It slept through the end of the window in which it was removed, and reported it itself. */
static void test_leavers__that_end_their_record_late_are_dropped(void **state)
{
	struct leavers l;

	(void)state;
	leavers__init(&l, true);
	leavers__remove(&l);
	leavers__turn(&l);
	assert_false(drops(&l, 1, 0));
	leavers__turn(&l);
	assert_true(drops(&l, 1, CS_TASK_MOVED | CS_TASK_LEFT));
	assert_true(leavers__had(&l, 1));
	leavers__done(&l);
}

/* Threads of a cgroup or of a program come back by themselves. */
static void test_leavers__of_a_cgroup_may_come_back(void **state)
{
	struct leavers l;

	(void)state;
	leavers__init(&l, false);
	leavers__turn(&l);
	assert_false(drops(&l, 1, CS_TASK_LEFT));
	leavers__turn(&l);
	assert_false(drops(&l, 1, 0));
	leavers__done(&l);
}

static void test_leavers__that_are_targets_again_have_records(void **state)
{
	struct leavers l;

	(void)state;
	leavers__init(&l, true);
	leavers__remove(&l);
	leavers__turn(&l);
	assert_false(drops(&l, 1, CS_TASK_LEFT));
	leavers__add(&l);
	leavers__turn(&l);
	assert_false(drops(&l, 1, 0));
	leavers__turn(&l);
	assert_false(leavers__had(&l, 1));
	leavers__done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leavers__have_a_record_in_the_window_in_which_they_leave),
		cmocka_unit_test(test_leavers__are_forgotten_when_they_wake),
		cmocka_unit_test(test_leavers__that_were_awake_are_never_had),
		cmocka_unit_test(test_leavers__that_report_a_window_themselves_are_dropped),
		cmocka_unit_test(test_leavers__that_end_their_record_late_are_dropped),
		cmocka_unit_test(test_leavers__of_a_cgroup_may_come_back),
		cmocka_unit_test(test_leavers__that_are_targets_again_have_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
