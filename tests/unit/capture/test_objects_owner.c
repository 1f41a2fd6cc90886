/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/objects.h"

/*
 * Two threads that call themselves 7, in PID namespaces of their own: by our numbers they are 107
 * and 207, of the processes 100 and 200.
 */
static void fill(struct objects *o)
{
	const struct cs_task_record a = { .tid = 107, .tgid = 100, .own_tid = 7 };
	const struct cs_task_record b = { .tid = 207, .tgid = 200, .own_tid = 7 };

	objects__init(o, NULL);
	assert_int_equal(objects__add_thread(o, &a, 1), 0);
	assert_int_equal(objects__add_thread(o, &b, 2), 0);
}

static void assert_owner(u32 owner, u32 tgid, u32 task, u32 tid)
{
	struct objects o;
	u32 got_task, got_tid;

	fill(&o);
	objects__owner(&o, owner, tgid, &got_task, &got_tid);
	assert_int_equal(got_task, task);
	assert_int_equal(got_tid, tid);
	objects__done(&o);
}

static void test_owner__of_a_user_lock_is_a_thread_of_the_same_process(void **state)
{
	(void)state;
	assert_owner(7, 100, 1, 107);
	assert_owner(7, 200, 2, 207);
	assert_owner(0, 100, 0, 0);
}

/* The number is ours, whoever waits; and what the kernel says is not doubted. */
static void test_owner__of_a_kernel_lock_is_any_thread_by_our_number(void **state)
{
	(void)state;
	assert_owner(207 | CS_OWNER_SURE, 100, 2, 207);
	assert_owner(107 | CS_OWNER_SURE, 100, 1, 107);
	assert_owner(3999999 | CS_OWNER_SURE, 100, 0, 3999999);
	assert_owner(7 | CS_OWNER_SURE, 100, 0, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner__of_a_user_lock_is_a_thread_of_the_same_process),
		cmocka_unit_test(test_owner__of_a_kernel_lock_is_any_thread_by_our_number),
	};

	return cmocka_run_group_tests_name("objects_owner", tests, NULL, NULL);
}
