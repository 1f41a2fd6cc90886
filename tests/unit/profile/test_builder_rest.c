/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "unit/profile/sample.h"

struct fixture {
	struct builder *b;
	struct profile *p;
};

static int setup(void **state)
{
	static struct fixture fx;

	fx.p = NULL;
	fx.b = builder__new();
	*state = &fx;
	return fx.b ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;

	builder__free(fx->b);
	profile__free(fx->p);
	return 0;
}

static struct profile *freeze(struct fixture *fx)
{
	struct err err = { 0 };

	assert_int_equal(builder__freeze(fx->b, &fx->p, &err), 0);
	assert_string_equal(err.msg, "");
	return fx->p;
}

static u32 task(struct fixture *fx, u64 blocked_s, u64 blocked_d, u64 preempted, u64 runq)
{
	struct profile_task t = { .tid = 1, .tgid = 1 };
	u32 id;

	t.blocked_ns[1] = blocked_s;
	t.blocked_ns[2] = blocked_d;
	t.preempted_ns = preempted;
	t.runq_ns = runq;
	t.wall_ns = blocked_s + blocked_d + preempted + runq;
	assert_int_equal(builder__task(fx->b, &t, &id), 0);
	return id;
}

static const struct profile_wait *find_rest(const struct profile *p, u32 task_id, u32 *ret_cnt)
{
	const struct profile_wait *rest = NULL;
	u32 i;

	*ret_cnt = 0;
	for (i = 1; i < p->waits_len; i++) {
		if (p->waits[i].task != task_id || !(p->waits[i].flags & WAIT_LOST))
			continue;
		rest = &p->waits[i];
		++*ret_cnt;
	}
	return rest;
}

static void test_builder__freeze_adds_the_rest_of_each_thread(void **state)
{
	struct fixture *fx = *state;
	const struct profile_wait *rest;
	struct profile *p;
	u32 cnt, i;

	assert_int_equal(sample_add(fx->b), 0);
	p = freeze(fx);
	rest = find_rest(p, SAMPLE_TASK_POOL, &cnt);
	assert_int_equal(cnt, 1);
	assert_int_equal(rest->blocked_ns, 100);
	assert_int_equal(rest->runq_ns, 30);
	assert_int_equal(rest->state, 2);
	assert_int_equal(rest->sysno, -1);
	assert_int_equal(rest->ustack, 0);
	assert_int_equal(rest->kstack, 0);
	assert_int_equal(rest->flags, WAIT_LOST);
	assert_int_equal(rest->count, 0);
	for (i = 0; i < PROFILE_HIST_LEN; i++)
		assert_int_equal(rest->hist[i], 0);
	assert_null(find_rest(p, SAMPLE_TASK_BEFORE_EXEC, &cnt));
	assert_null(find_rest(p, SAMPLE_TASK_AFTER_EXEC, &cnt));
	assert_null(find_rest(p, 0, &cnt));
	assert_int_equal(profile__check(p, NULL), 0);
}

static void test_builder__freeze_adds_one_rest_when_nothing_is_listed(void **state)
{
	struct fixture *fx = *state;
	u32 blocked = task(fx, 30, 20, 0, 0), runnable = task(fx, 0, 0, 7, 8), cnt;
	const struct profile_wait *rest;
	struct profile *p = freeze(fx);

	rest = find_rest(p, blocked, &cnt);
	assert_int_equal(cnt, 1);
	assert_int_equal(rest->blocked_ns, 50);
	assert_int_equal(rest->state, 1);
	assert_int_equal(rest->runq_ns, 0);
	rest = find_rest(p, runnable, &cnt);
	assert_int_equal(cnt, 1);
	assert_int_equal(rest->blocked_ns, 0);
	assert_int_equal(rest->state, 0);
	assert_int_equal(rest->runq_ns, 15);
	assert_int_equal(profile__check(p, NULL), 0);
}

static void test_builder__freeze_adds_nothing_to_a_filtered_list(void **state)
{
	struct fixture *fx = *state;
	struct profile *p;
	u32 cnt;

	assert_int_equal(sample_add(fx->b), 0);
	builder__header(fx->b)->filtered = 1;
	p = freeze(fx);
	assert_null(find_rest(p, SAMPLE_TASK_POOL, &cnt));
	assert_int_equal(p->waits_len, 5);
	assert_int_equal(profile__check(p, NULL), 0);
}

/* The list puts the time in another state than the totals do: only the sums have to agree. */
static void test_builder__freeze_goes_by_the_sum_of_states(void **state)
{
	struct fixture *fx = *state;
	struct profile_wait w = {
		.state = 2, .blocked_ns = 10, .max_ns = 10, .count = 1, .samples = 1
	};
	const struct profile_wait *rest;
	struct profile_task t = { .wall_ns = 6 };
	struct profile *p;
	u32 cnt, id;

	w.hist[0] = 1;
	w.task = task(fx, 10, 0, 5, 0);
	assert_int_equal(builder__wait(fx->b, &w), 0);
	t.blocked_ns[0] = 6;
	assert_int_equal(builder__task(fx->b, &t, &id), 0);
	p = freeze(fx);
	rest = find_rest(p, w.task, &cnt);
	assert_int_equal(cnt, 1);
	assert_int_equal(rest->blocked_ns, 0);
	assert_int_equal(rest->runq_ns, 5);
	assert_int_equal(rest->state, 0);
	assert_int_equal(find_rest(p, id, &cnt)->blocked_ns, 6);
	assert_int_equal(profile__check(p, NULL), 0);
}

/* As when a recording is read back: the rest is listed already. */
static void test_builder__freeze_keeps_a_rest_that_is_listed(void **state)
{
	struct fixture *fx = *state;
	struct profile_wait w = { .sysno = -1, .state = 2, .flags = WAIT_LOST };
	struct profile *p;
	u32 cnt;

	w.task = task(fx, 0, 90, 10, 0);
	w.blocked_ns = 60;
	w.runq_ns = 10;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	p = freeze(fx);
	find_rest(p, w.task, &cnt);
	assert_int_equal(cnt, 1);
	assert_int_equal(p->waits[1].blocked_ns, 90);
	assert_int_equal(p->waits[1].runq_ns, 10);
	assert_int_equal(profile__check(p, NULL), 0);
}

/* As many as the thread had and the list has not. */
static void test_builder__freeze_counts_the_waits_of_a_rest(void **state)
{
	struct fixture *fx = *state;
	struct profile_wait w = {
		.state = 1, .blocked_ns = 10, .max_ns = 10, .count = 4, .samples = 4
	};
	u32 cnt, some = task(fx, 30, 0, 0, 0), all = task(fx, 10, 0, 0, 0),
		 none = task(fx, 30, 0, 0, 0), unknown = task(fx, 30, 0, 0, 0);
	struct profile *p;

	w.hist[0] = 4;
	w.task = some;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	w.task = all;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	assert_int_equal(builder__task_waits(fx->b, none, 7), 0);
	assert_int_equal(builder__task_waits(fx->b, some, 9), 0);
	assert_int_equal(builder__task_waits(fx->b, all, 4), 0);
	p = freeze(fx);
	assert_int_equal(find_rest(p, some, &cnt)->count, 5);
	assert_null(find_rest(p, all, &cnt));
	assert_int_equal(find_rest(p, none, &cnt)->count, 7);
	assert_int_equal(find_rest(p, unknown, &cnt)->count, 0);
	assert_int_equal(find_rest(p, some, &cnt)->samples, 0);
	assert_int_equal(profile__check(p, NULL), 0);
}

static void test_builder__task_waits_is_of_a_thread_that_is_in(void **state)
{
	struct fixture *fx = *state;

	assert_int_equal(builder__task_waits(fx->b, 1, 7), -EINVAL);
}

/* More is listed than the totals have: no rest below zero, and the check says so. */
static void test_builder__freeze_hides_no_excess(void **state)
{
	struct fixture *fx = *state;
	struct profile_wait w = {
		.state = 1, .blocked_ns = 31, .max_ns = 31, .count = 1, .samples = 1
	};
	struct err err = { 0 };
	struct profile *p;
	u32 cnt;

	w.task = task(fx, 30, 0, 5, 0);
	w.hist[0] = 1;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	p = freeze(fx);
	assert_int_equal(find_rest(p, w.task, &cnt)->blocked_ns, 0);
	assert_int_equal(profile__check(p, &err), -EINVAL);
	assert_string_equal(err.msg, "the waits of task 1 (tid 1) list 31 ns blocked, its totals "
				     "have 30 ns");
}

/* A list that is off by chance is no loss; one that lacks more is, by all of what it lacks. */
static void test_builder__freeze_forgives_a_sampled_list(void **state)
{
	struct fixture *fx = *state;
	struct profile_wait w = { .state = 1, .count = 1, .samples = 1 };
	struct profile_header *h = builder__header(fx->b);
	u32 near = task(fx, 1000, 0, 0, 50), more = task(fx, 1000, 0, 0, 50);
	u32 lost = task(fx, 1000, 400, 0, 50), split = task(fx, 500, 0, 0, 900);
	const struct profile_wait *rest;
	struct profile *p;
	u32 cnt;

	h->period_min_ns = h->period_ns = h->period_max_ns = 40;
	h->period_sum_ns = 100;
	w.hist[0] = 1;
	w.task = near;
	w.blocked_ns = 950;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	w.task = more;
	w.blocked_ns = 1150;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	w.task = lost;
	w.blocked_ns = 990;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	w.task = split;
	w.blocked_ns = 800;
	w.runq_ns = 300;
	assert_int_equal(builder__wait(fx->b, &w), 0);
	p = freeze(fx);
	find_rest(p, near, &cnt);
	assert_int_equal(cnt, 0);
	find_rest(p, more, &cnt);
	assert_int_equal(cnt, 0);
	rest = find_rest(p, lost, &cnt);
	assert_int_equal(cnt, 1);
	assert_int_equal(rest->blocked_ns, 410);
	assert_int_equal(rest->runq_ns, 50);
	/* the sum is what is right, also where the split is not */
	rest = find_rest(p, split, &cnt);
	assert_int_equal(cnt, 1);
	assert_int_equal(rest->blocked_ns, 0);
	assert_int_equal(rest->runq_ns, 300);
	assert_int_equal(profile__check(p, NULL), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_builder__freeze_adds_the_rest_of_each_thread),
		TEST(test_builder__freeze_adds_one_rest_when_nothing_is_listed),
		TEST(test_builder__freeze_adds_nothing_to_a_filtered_list),
		TEST(test_builder__freeze_goes_by_the_sum_of_states),
		TEST(test_builder__freeze_keeps_a_rest_that_is_listed),
		TEST(test_builder__freeze_counts_the_waits_of_a_rest),
		TEST(test_builder__task_waits_is_of_a_thread_that_is_in),
		TEST(test_builder__freeze_hides_no_excess),
		TEST(test_builder__freeze_forgives_a_sampled_list),
	};

	return cmocka_run_group_tests_name("profile/builder_rest", tests, NULL, NULL);
}
