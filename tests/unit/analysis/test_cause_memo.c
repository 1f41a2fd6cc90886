/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/view/shown.h"
#include "base/mem.h"
#include "lib/lit.h"

static const char text[] = "on_cpu_hz 1000\non_cpu_samples 7\n"
			   "task 1/1 main S=9ms on=7ms\n"
			   "wait S sys=futex blocked=5ms\n u main\n"
			   "wait S sys=read blocked=3ms\n u main\n"
			   "wait S sys=clock_nanosleep blocked=1ms\n u main\n"
			   "hot on=3ms samples=3\n u main\n"
			   "hot on=4ms samples=4\n u main\n u work\n";

/* Of each row of the view what the rules say when they are asked about it. */
static void assert_same(struct cause_memo *memo, const struct shown_options *opt)
{
	struct causes recalled, asked;
	struct shown shown;
	u32 i;

	assert_int_equal(shown__init(&shown, memo->p, opt, NULL), 0);
	assert_int_equal(causes__recall(&recalled, shown.p, memo, NULL), 0);
	assert_int_equal(causes__init(&asked, shown.p, NULL, NULL), 0);
	for (i = 0; i <= shown.p->waits_len; i++) {
		assert_int_equal(causes__of(&recalled, i), causes__of(&asked, i));
		assert_int_equal(causes__class(&recalled, i), causes__class(&asked, i));
		assert_int_equal(causes__shown(&recalled, i), causes__shown(&asked, i));
	}
	causes__done(&recalled);
	causes__done(&asked);
	shown__done(&shown);
}

static void assert_views(const struct profile *p)
{
	struct cause_memo memo = { .p = p };
	u32 view;

	for (view = VIEW_OFF; view <= VIEW_WALL; view++)
		assert_same(&memo, &(struct shown_options){ .view = (enum time_view)view });
	cause_memo__done(&memo);
}

static void test_causes__recall_is_what_the_rules_say_of_every_view(void **state)
{
	static const char *const paths[] = { "tests/golden/python/profile.lit",
					     "tests/golden/sampled/profile.lit",
					     "tests/golden/wall/profile.lit" };
	struct profile *p = lit(text);
	struct err err = { 0 };
	size_t i;

	(void)state;
	assert_views(p);
	profile__free(p);
	for (i = 0; i < ARRAY_LEN(paths); i++) {
		p = NULL;
		if (literal_load(paths[i], &p, &err))
			fail_msg("%s", err.msg);
		assert_views(p);
		profile__free(p);
	}
}

static void test_causes__recall_asks_once(void **state)
{
	struct profile *p = lit(text);
	struct cause_memo memo = { .p = p };
	struct causes first, second;

	(void)state;
	assert_false(memo.found);
	assert_int_equal(causes__recall(&first, p, &memo, NULL), 0);
	causes__done(&first);
	assert_int_equal(causes__recall(&first, p, &memo, NULL), 0);
	assert_int_equal(causes__recall(&second, p, &memo, NULL), 0);
	assert_ptr_equal(first.of_wait, second.of_wait);
	assert_ptr_equal(first.rules, second.rules);
	causes__done(&first);
	assert_int_equal(causes__of(&second, 1), CAUSE_FUTEX);
	causes__done(&second);
	cause_memo__done(&memo);
	profile__free(p);
}

static void test_causes__recall_reports_every_allocation_that_fails(void **state)
{
	struct profile *p = lit(text);
	bool fired;
	u64 nth = 1;

	(void)state;
	do {
		struct cause_memo memo = { .p = p };
		struct causes c;
		int r;

		mem_fail_nth(nth++);
		r = causes__recall(&c, p, &memo, NULL);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		assert_int_equal(r, fired ? -ENOMEM : 0);
		causes__done(&c);
		/* what failed is tried again */
		assert_int_equal(causes__recall(&c, p, &memo, NULL), 0);
		assert_int_equal(causes__of(&c, 1), CAUSE_FUTEX);
		causes__done(&c);
		cause_memo__done(&memo);
	} while (fired);
	assert_true(nth > 4);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_causes__recall_is_what_the_rules_say_of_every_view),
		cmocka_unit_test(test_causes__recall_asks_once),
		cmocka_unit_test(test_causes__recall_reports_every_allocation_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
