/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a thread that would run has a CPU, from its counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "async/task/thread_share.h"

#define MS NSEC_PER_MSEC

/* A thread as the kernel would count it. */
struct thread {
	struct thread_shares shares;
	struct tally_reading now;
};

static int setup(void **state)
{
	static struct thread t;

	t = (struct thread){ .now = { .at_ns = 1000 * MS, .on_ns = 50 * MS, .runq_ns = 9 * MS } };
	thread_shares__init(&t.shares, false);
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	thread_shares__done(&((struct thread *)*state)->shares);
	return 0;
}

/* After some ms, of which the kernel has counted these. */
static bool look(struct thread *t, u64 ms, u64 on_ms, u64 runq_ms, u64 random)
{
	bool ret;

	t->now.at_ns += ms * MS;
	t->now.on_ns += on_ms * MS;
	t->now.runq_ns += runq_ms * MS;
	assert_int_equal(thread_shares__look(&t->shares, 7, &t->now, random, &ret), 0);
	return ret;
}

static void test_look__of_a_new_thread_has_a_cpu(void **state)
{
	assert_false(look(*state, 0, 0, 0, 0));
}

static void test_look__that_only_ran_has_a_cpu(void **state)
{
	look(*state, 0, 0, 0, 0);
	assert_false(look(*state, 50, 50, 0, 0));
	assert_false(look(*state, 50, 50, 0, ~0ULL));
}

static void test_look__that_only_waited_has_none(void **state)
{
	look(*state, 0, 0, 0, 0);
	assert_true(look(*state, 50, 0, 50, 0));
	assert_true(look(*state, 50, 0, 50, ~0ULL));
}

/* A quarter of the time on a CPU: three of four looks find that it waits. */
static void test_look__draws_by_the_share_of_both(void **state)
{
	u32 waits = 0;

	look(*state, 0, 0, 0, 0);
	for (u64 i = 0; i < 1000; i++)
		waits += look(*state, 40, 10, 30, i << 54 | i << 44);
	assert_in_range(waits, 730, 770);
}

/* What is not news yet is a wait; when it is counted, it does not count twice. */
static void test_look__without_news_waits(void **state)
{
	look(*state, 0, 0, 0, 0);
	assert_true(look(*state, 20, 0, 0, ~0ULL));
	assert_true(look(*state, 20, 0, 0, ~0ULL));
	/* 40 of these ms are known, so of 20 it waited for 5 and ran for 15 */
	assert_false(look(*state, 20, 15, 45, ~0ULL / 3));
	assert_true(look(*state, 20, 15, 5, ~0ULL / 5));
}

/* In less than a tick there may be no news of a thread that runs. */
static void test_look__too_soon_is_as_before(void **state)
{
	look(*state, 0, 0, 0, 0);
	assert_false(look(*state, 20, 20, 0, 0));
	assert_false(look(*state, 3, 0, 0, 0));
	assert_false(look(*state, 3, 0, 0, 0));
	/* but both together are not */
	assert_true(look(*state, 5, 0, 0, 0));
	assert_true(look(*state, 3, 0, 0, 0));
}

/* Another thread got its number. */
static void test_look__of_counters_that_shrank_begins_again(void **state)
{
	struct thread *t = *state;

	look(t, 0, 0, 0, 0);
	assert_true(look(t, 50, 0, 50, 0));
	t->now.on_ns = t->now.runq_ns = 0;
	assert_false(look(t, 50, 1, 1, 0));
	assert_false(look(t, 50, 50, 0, 0));
}

static void test_look__of_many_threads_stays_small(void **state)
{
	struct thread *t = *state;
	bool waits;

	for (u32 tid = 1; tid < 5000; tid++)
		assert_int_equal(thread_shares__look(&t->shares, tid, &t->now, 0, &waits), 0);
	assert_in_range(t->shares.threads.len, 1, 1024);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_look__of_a_new_thread_has_a_cpu),
		TEST(test_look__that_only_ran_has_a_cpu),
		TEST(test_look__that_only_waited_has_none),
		TEST(test_look__draws_by_the_share_of_both),
		TEST(test_look__without_news_waits),
		TEST(test_look__too_soon_is_as_before),
		TEST(test_look__of_counters_that_shrank_begins_again),
		TEST(test_look__of_many_threads_stays_small),
	};

	return cmocka_run_group_tests_name("thread_share", tests, NULL, NULL);
}
