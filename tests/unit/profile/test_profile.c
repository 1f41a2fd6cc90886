/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/profile/sample.h"

static int setup(void **state)
{
	*state = sample_profile(0);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	profile__free(*state);
	return 0;
}

static void test_profile__free_takes_null(void **state)
{
	(void)state;
	profile__free(NULL);
}

static void test_profile__str_is_empty_for_unknown_ids(void **state)
{
	const struct profile *p = *state;

	assert_string_equal(profile__str(p, p->hdr.host), "box");
	assert_string_equal(profile__str(p, 0), "");
	assert_string_equal(profile__str(p, 1000000), "");
}

static void test_profile__name_frame_names(void **state)
{
	struct profile *p = *state;

	assert_int_equal(profile__name_frame(p, 2, "main", 0x10, FRAME_NAMED), 0);
	assert_int_equal(profile__name_frame(p, 3, "main", 0x20, FRAME_NAMED), 0);
	assert_string_equal(profile__str(p, p->frames[2].name), "main");
	assert_int_equal(p->frames[2].name, p->frames[3].name);
	assert_int_equal(p->frames[2].name_off, 0x10);
	assert_int_equal(p->frames[2].reason, FRAME_NAMED);
	assert_int_equal(profile__check(p, NULL), 0);
}

static void test_profile__name_frame_keeps_the_reason_for_none(void **state)
{
	struct profile *p = *state;

	assert_int_equal(profile__name_frame(p, 2, "main", 1, FRAME_NAMED), 0);
	assert_int_equal(profile__name_frame(p, 2, NULL, 99, FRAME_NO_SYMBOL), 0);
	assert_int_equal(p->frames[2].name, 0);
	assert_int_equal(p->frames[2].name_off, 0);
	assert_int_equal(p->frames[2].reason, FRAME_NO_SYMBOL);
	/* an empty name, and no name without a reason, leave a valid profile */
	assert_int_equal(profile__name_frame(p, 2, "", 1, FRAME_NAMED), 0);
	assert_int_equal(p->frames[2].reason, FRAME_NO_SYMBOL);
	assert_int_equal(profile__name_frame(p, 3, NULL, 1, FRAME_NAMED), 0);
	assert_int_equal(p->frames[3].reason, FRAME_NO_SYMBOL);
	assert_int_equal(profile__check(p, NULL), 0);
}

static void test_profile__name_frame_refuses_unknown_frames(void **state)
{
	struct profile *p = *state;

	assert_int_equal(profile__name_frame(p, 0, "x", 0, FRAME_NAMED), -EINVAL);
	assert_int_equal(profile__name_frame(p, p->frames_len, "x", 0, FRAME_NAMED), -EINVAL);
	assert_int_equal(profile__name_frame(p, 1, NULL, 0, FRAME_REASON_CNT), -EINVAL);
	assert_int_equal(profile__check(p, NULL), 0);
}

static void test_profile__count_unnamed_counts_waits_once(void **state)
{
	struct profile *p = *state;
	const struct profile_loss *loss = &p->losses[LOSS_UNNAMED];

	/* every frame is unnamed: all waits but the rest, which has no stack */
	profile__count_unnamed(p);
	assert_int_equal(loss->events, 3 + 1 + 1 + 1);
	assert_int_equal(loss->ns, 500 + 160 + 300 + 9999);
	profile__count_unnamed(p);
	assert_int_equal(loss->events, 6);
	/* the kernel's frame (all waits have it) and the leaf in user space are named */
	assert_int_equal(profile__name_frame(p, 1, "schedule", 0, FRAME_NAMED), 0);
	assert_int_equal(profile__name_frame(p, 3, "poll", 0, FRAME_NAMED), 0);
	profile__count_unnamed(p);
	assert_int_equal(loss->events, 6);
	/* and now the root of all user stacks */
	assert_int_equal(profile__name_frame(p, 2, "main", 0, FRAME_NAMED), 0);
	profile__count_unnamed(p);
	assert_int_equal(loss->events, 0);
	assert_int_equal(loss->ns, 0);
	/* only the two waits that have the leaf */
	assert_int_equal(profile__name_frame(p, 3, NULL, 0, FRAME_FILE_GONE), 0);
	profile__count_unnamed(p);
	assert_int_equal(loss->events, 4);
	assert_int_equal(loss->ns, 660);
}

static void test_profile__budget_sums_all_tasks(void **state)
{
	struct profile *p = *state;
	struct profile_budget b;

	/* not blocked and yet in a wait: nobody should, but nothing may be left out of the sum */
	p->tasks[3].blocked_ns[0] = 40;
	p->tasks[3].on_ns -= 40;
	assert_int_equal(profile__budget(p, &b), 0);
	assert_int_equal(b.wall_ns, 1800);
	assert_int_equal(b.on_ns, 660);
	assert_int_equal(b.preempted_ns, 50);
	assert_int_equal(b.runq_ns, 100);
	assert_int_equal(b.blocked_ns, 980);
	assert_int_equal(b.blocked_by_state_ns[1], 740);
	assert_int_equal(b.blocked_by_state_ns[2], 200);
	assert_int_equal(b.blocked_by_state_ns[0], 40);
	assert_int_equal(b.unaccounted_ns, 10);
	assert_int_equal(b.wall_ns,
			 b.on_ns + b.preempted_ns + b.runq_ns + b.blocked_ns + b.unaccounted_ns);
	/* the orphan is listed too */
	assert_int_equal(b.listed_blocked_ns, 940 + 9999);
	assert_int_equal(b.listed_runq_ns, 150);
	assert_int_equal(b.switches, 9);
	assert_int_equal(b.preemptions, 2);
	assert_int_equal(b.wakeups, 5);
	assert_int_equal(b.migrations, 1);
}

static void test_profile__budget_counts_a_thread_once(void **state)
{
	struct profile *p = *state;
	struct profile_budget b;

	assert_int_equal(profile__budget(p, &b), 0);
	assert_int_equal(b.threads, 2);
	assert_int_equal(b.processes, 2);
	/* the same tid, born later: another thread of the same process */
	p->tasks[3].start_boottime_ns++;
	assert_int_equal(profile__budget(p, &b), 0);
	assert_int_equal(b.threads, 3);
	assert_int_equal(b.processes, 2);
}

static void test_profile__budget_of_nothing_is_zero(void **state)
{
	struct builder *b = builder__new();
	struct profile *p = NULL;
	struct profile_budget budget, zero;

	(void)state;
	memset(&zero, 0, sizeof(zero));
	memset(&budget, 0xff, sizeof(budget));
	assert_int_equal(builder__freeze(b, &p, NULL), 0);
	assert_int_equal(profile__budget(p, &budget), 0);
	assert_memory_equal(&budget, &zero, sizeof(zero));
	builder__free(b);
	profile__free(p);
}

static void test_frame_reason_sentence_has_one_for_each(void **state)
{
	u32 i, k;

	(void)state;
	for (i = 0; i < FRAME_REASON_CNT; i++) {
		assert_non_null(frame_reason_sentence(i));
		for (k = 0; k < i; k++)
			assert_string_not_equal(frame_reason_sentence(i), frame_reason_sentence(k));
	}
	assert_string_equal(frame_reason_sentence(FRAME_REASON_CNT), "unknown reason");
	assert_string_equal(frame_reason_sentence((enum frame_reason) - 1), "unknown reason");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_profile__free_takes_null),
		TEST(test_profile__str_is_empty_for_unknown_ids),
		TEST(test_profile__name_frame_names),
		TEST(test_profile__name_frame_keeps_the_reason_for_none),
		TEST(test_profile__name_frame_refuses_unknown_frames),
		TEST(test_profile__count_unnamed_counts_waits_once),
		TEST(test_profile__budget_sums_all_tasks),
		TEST(test_profile__budget_counts_a_thread_once),
		TEST(test_profile__budget_of_nothing_is_zero),
		TEST(test_frame_reason_sentence_has_one_for_each),
	};

	return cmocka_run_group_tests_name("profile/profile", tests, NULL, NULL);
}
