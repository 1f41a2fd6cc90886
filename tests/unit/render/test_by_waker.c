/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/view/shown.h"
#include "lib/lit.h"
#include "render/by_waker.h"

static const char text[] = "arch x86_64\n"
			   "task 1/1 writer\n"
			   "wait S sys=nanosleep blocked=10s count=2\n u a\nk do_nanosleep\n"
			   "woken A running=5s count=1\nwoken B interrupt=5s count=1\n"
			   "wait D sys=fsync blocked=7s\n u b\nk io_schedule\n"
			   "woken B interrupt=7s count=1\n"
			   "waker A 9/9 other\n"
			   "waker B softirq\n";

/* Also of a view laid over them. */
static void test_by_waker__keeps_the_causes_of_divided_waits(void **state)
{
	const struct render_options opt = { .root = GROUP_BY_WAKER };
	const struct shown_options shown_opt = { .view = VIEW_OFF };
	struct profile *p = lit(text);
	struct by_waker rows;
	struct shown shown;
	struct causes c;

	(void)state;
	assert_int_equal(by_waker__init(&rows, p, &opt, NULL), 0);
	assert_int_equal(shown__init(&shown, rows.p, &shown_opt, NULL), 0);
	assert_int_equal(causes__recall(&c, shown.p, rows.memo, NULL), 0);
	assert_int_equal(shown.p->waits_len, 4);
	assert_int_equal(causes__of(&c, 1), CAUSE_SLEEP);
	assert_int_equal(causes__of(&c, 2), CAUSE_SLEEP);
	assert_int_equal(causes__of(&c, 3), CAUSE_DISK_SYNC);
	causes__done(&c);
	shown__done(&shown);
	by_waker__done(&rows);
	profile__free(p);
}

static void test_by_waker__reads_the_profile_itself_for_other_groups(void **state)
{
	const struct render_options opt = { .root = GROUP_BY_CAUSE };
	struct profile *p = lit(text);
	struct by_waker rows;

	(void)state;
	assert_int_equal(by_waker__init(&rows, p, &opt, NULL), 0);
	assert_ptr_equal(rows.p, p);
	by_waker__done(&rows);
	profile__free(p);
}

static void test_by_waker__refuses_a_profile_without_wakers(void **state)
{
	const struct render_options opt = { .root = GROUP_BY_WAKER };
	struct profile *p = lit("task 1/1 a\nwait S blocked=1s\n u a\n");
	struct by_waker rows;
	struct err err;

	(void)state;
	assert_int_equal(by_waker__init(&rows, p, &opt, &err), -EINVAL);
	assert_string_equal(err.msg, "--by waker: needs wakers; record with record --wakers");
	by_waker__done(&rows);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_waker__keeps_the_causes_of_divided_waits),
		cmocka_unit_test(test_by_waker__reads_the_profile_itself_for_other_groups),
		cmocka_unit_test(test_by_waker__refuses_a_profile_without_wakers),
	};

	return cmocka_run_group_tests_name("by_waker", tests, NULL, NULL);
}
