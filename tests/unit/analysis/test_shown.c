/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/name/label.h"
#include "analysis/view/shown.h"
#include "base/mem.h"
#include "lib/lit.h"
#include "profile/wake_wait.h"

#define MODULES                                                                                    \
	"module py elf /usr/bin/python3.11\n"                                                      \
	"module code code [python] tgid=1\n"                                                       \
	"task 1/1 a\n"
#define EVAL " u @py 0x1 _PyEval_EvalFrameDefault\n"

static const struct shown_options all = { 0 };
static const struct shown_options no_truncated = { .no_truncated = true };

static void assert_user(const struct profile *p, u32 wait, const char *expected)
{
	char text[1024] = "";
	struct labels l;
	u32 at;

	assert_int_equal(labels__init(&l, p, NULL), 0);
	for (at = p->waits[wait].ustack; at; at = p->stacks[at].parent) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s%s", used ? " " : "",
			 labels__frame(&l, p->stacks[at].frame));
	}
	assert_string_equal(text, expected);
	labels__done(&l);
}

static void assert_sound(const struct profile *p)
{
	struct err err = { 0 };

	if (profile__check(p, &err))
		fail_msg("%s", err.msg);
}

static void test_shown__is_the_profile_itself_when_nothing_is_hidden(void **state)
{
	struct profile *native = lit("task 1/1 a\nwait S blocked=1ms\n utrunc depth\n u main\n");
	struct profile *python = lit(MODULES "wait S blocked=1ms\n" EVAL " u @code 1 f\n");
	const struct shown_options interpreter = { .interpreter = true };
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, native, &all, NULL), 0);
	assert_ptr_equal(s.p, native);
	shown__done(&s);
	assert_int_equal(shown__init(&s, python, &interpreter, NULL), 0);
	assert_ptr_equal(s.p, python);
	shown__done(&s);
	profile__free(native);
	profile__free(python);
}

static void test_shown__depends_on_the_frames_towards_the_leaf(void **state)
{
	/* the second stack is the root side of the first: its loop has no interpreted frame */
	struct profile *p = lit(MODULES "wait S blocked=1ms\n u main\n" EVAL " u @code 1 f\n"
					"wait S blocked=2ms\n u main\n" EVAL);
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, p, &all, NULL), 0);
	assert_sound(s.p);
	assert_user(s.p, 1, "f main");
	assert_user(s.p, 2, "_PyEval_EvalFrameDefault main");
	assert_int_equal(s.p->waits[2].ustack, p->waits[2].ustack);
	shown__done(&s);
	/* and the profile is as it was */
	assert_user(p, 1, "f _PyEval_EvalFrameDefault main");
	profile__free(p);
}

static void test_shown__joins_stacks_that_differ_in_hidden_frames(void **state)
{
	struct profile *p = lit(MODULES "wait S blocked=1ms\n" EVAL " u @code 1 f\n"
					"wait S blocked=2ms\n u @py 9 _PyEval_Vector\n" EVAL
					" u @code 1 f\n");
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, p, &all, NULL), 0);
	assert_sound(s.p);
	assert_int_not_equal(p->waits[1].ustack, p->waits[2].ustack);
	assert_int_equal(s.p->waits[1].ustack, s.p->waits[2].ustack);
	assert_user(s.p, 1, "f");
	shown__done(&s);
	profile__free(p);
}

static void test_shown__leaves_kernel_stacks_and_sums(void **state)
{
	struct profile *p = lit(MODULES "wait S blocked=1ms runq=2ms count=3\n" EVAL
					" u @code 1 f\n"
					" k sys\n k schedule\n kcut\n");
	const struct profile_wait *w = &p->waits[1];
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, p, &all, NULL), 0);
	assert_int_equal(s.p->waits[1].kstack, w->kstack);
	assert_int_equal(s.p->stacks[w->kstack].flags, STACK_CUT);
	assert_int_equal(s.p->waits[1].blocked_ns, w->blocked_ns);
	assert_int_equal(s.p->waits[1].runq_ns, w->runq_ns);
	assert_int_equal(s.p->waits[1].count, w->count);
	shown__done(&s);
	profile__free(p);
}

static void test_shown__takes_truncated_frames_away_on_request(void **state)
{
	struct profile *p = lit("task 1/1 a\nwait S blocked=1ms\n utrunc depth\n u f\n u g\n"
				"wait S blocked=2ms\n u f\n u g\n"
				"wait S blocked=3ms\n utrunc fault\n");
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, p, &no_truncated, NULL), 0);
	assert_sound(s.p);
	assert_user(s.p, 1, "g f");
	assert_int_equal(s.p->waits[1].ustack, s.p->waits[2].ustack);
	assert_int_equal(s.p->waits[3].ustack, 0);
	shown__done(&s);
	assert_int_equal(shown__init(&s, p, &all, NULL), 0);
	assert_user(s.p, 1, "g f [truncated: deeper than the limit]");
	shown__done(&s);
	profile__free(p);
}

static void test_shown__keeps_truncated_frames_where_it_hides_others(void **state)
{
	struct profile *p =
		lit(MODULES "wait S blocked=1ms\n utrunc depth\n" EVAL " u @code 1 f\n");
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, p, &all, NULL), 0);
	assert_user(s.p, 1, "f [truncated: deeper than the limit]");
	shown__done(&s);
	assert_int_equal(shown__init(&s, p, &no_truncated, NULL), 0);
	assert_user(s.p, 1, "f");
	shown__done(&s);
	profile__free(p);
}

static void test_shown__takes_a_very_deep_stack(void **state)
{
	struct profile *p = lit(MODULES "wait S blocked=1ms\n utrunc depth\n u *20000 f%\n" EVAL
					" u @code 1 f\n");
	struct shown s;

	(void)state;
	assert_int_equal(shown__init(&s, p, &no_truncated, NULL), 0);
	assert_int_equal(s.p->stacks[s.p->waits[1].ustack].depth, 20001);
	shown__done(&s);
	profile__free(p);
}

static void test_shown__survives_every_failed_allocation(void **state)
{
	struct profile *p =
		lit(MODULES "wait S blocked=1ms\n utrunc depth\n u main\n" EVAL " u @code 1 f\n");
	struct shown s;
	u64 nth = 0;
	bool fired;

	(void)state;
	do {
		struct err err = { 0 };
		int r;

		mem_fail_nth(++nth);
		r = shown__init(&s, p, &no_truncated, &err);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		assert_int_equal(r, fired ? -ENOMEM : 0);
		assert_int_equal(fired, err.msg[0] != '\0');
		shown__done(&s);
	} while (fired);
	assert_true(nth > 5);
	profile__free(p);
}

/* Waits that become equal keep their ids, so each wake is still of one of them. */
static void test_shown__hides_frames_of_wakers_too(void **state)
{
	struct profile *p = lit(MODULES "wait S blocked=1ms as=w\n u main\n" EVAL " u @code 1 f\n"
					" woken A running=1ms\n"
					"wait S blocked=2ms\n u main\n u @code 1 f\n"
					" woken A blocked=2ms:w\n"
					"waker A 1/1 a\n u main\n" EVAL " u @code 1 f\n");
	struct viewed on = { 0 };
	struct shown s;
	u32 *waits = NULL;

	(void)state;
	assert_sound(p);
	assert_int_equal(shown__init(&s, p, &all, NULL), 0);
	assert_ptr_not_equal(s.p, p);
	assert_int_equal(s.p->waits[1].ustack, s.p->waits[2].ustack);
	assert_int_equal(wake_waits(p, &waits), 0);
	assert_int_equal(waits[1], 1);
	assert_int_equal(waits[3], 2);
	assert_int_equal(s.p->wakes[1].ustack, s.p->waits[1].ustack);
	assert_int_equal(s.p->wakes[3].did_ustack, s.p->waits[1].ustack);
	assert_int_equal(s.p->wakers[1].ustack, s.p->waits[1].ustack);
	assert_int_equal(p->wakers[1].ustack, p->waits[1].ustack);
	mem_free(waits);
	shown__done(&s);
	/* without waits there are no wakes */
	assert_int_equal(viewed__init(&on, p, VIEW_ON, NULL), 0);
	assert_int_equal(on.p->wakes_len, 1);
	viewed__done(&on);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shown__is_the_profile_itself_when_nothing_is_hidden),
		cmocka_unit_test(test_shown__depends_on_the_frames_towards_the_leaf),
		cmocka_unit_test(test_shown__joins_stacks_that_differ_in_hidden_frames),
		cmocka_unit_test(test_shown__leaves_kernel_stacks_and_sums),
		cmocka_unit_test(test_shown__takes_truncated_frames_away_on_request),
		cmocka_unit_test(test_shown__keeps_truncated_frames_where_it_hides_others),
		cmocka_unit_test(test_shown__takes_a_very_deep_stack),
		cmocka_unit_test(test_shown__survives_every_failed_allocation),
		cmocka_unit_test(test_shown__hides_frames_of_wakers_too),
	};

	return cmocka_run_group_tests_name("shown", tests, NULL, NULL);
}
