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
	leavers__init(&l);
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
	leavers__init(&l);
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
	leavers__init(&l);
	leavers__turn(&l);
	assert_false(drops(&l, 1, CS_TASK_MOVED | CS_TASK_LEFT));
	leavers__turn(&l);
	assert_false(leavers__had(&l, 1));
	leavers__done(&l);
}

static void test_leavers__that_are_targets_again_have_records(void **state)
{
	struct leavers l;

	(void)state;
	leavers__init(&l);
	leavers__turn(&l);
	assert_false(drops(&l, 1, CS_TASK_LEFT));
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
		cmocka_unit_test(test_leavers__that_are_targets_again_have_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
