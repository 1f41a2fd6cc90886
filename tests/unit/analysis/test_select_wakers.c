/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/select/select.h"
#include "lib/lit.h"

static const char text[] = "on_cpu_hz 99\non_cpu_samples 9\n"
			   "task 1/1 writer on=1s\n"
			   "hot on=1s samples=9\n u a\n"
			   "wait D blocked=10s count=3\n u a\n"
			   "wait R runq=4s flags=preempted\n u a\n"
			   "task 1/2 waiter\n"
			   "wait S blocked=90s runq=10s count=10\n u a\n"
			   "woken A running=20s blocked=20s woken=4s count=4\n"
			   "woken B interrupt=30s woken=3s count=3\n"
			   "wait S blocked=5s count=1\n u b\n"
			   "woken A running=5s count=1\n"
			   "waker A 1/1 writer\n"
			   "waker B softirq\nk run_timer_softirq\n";

static struct profile *selected(const struct select_options *opt)
{
	struct profile *p = lit(text), *part = NULL;
	struct err err;

	if (select_profile(p, opt, &part, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(profile__check(part, &err), 0);
	profile__free(p);
	return part;
}

static u64 seconds_of(const struct profile *p)
{
	u64 ns = 0;
	u32 i;

	for (i = 1; i < p->waits_len; i++)
		ns += p->waits[i].blocked_ns + p->waits[i].runq_ns;
	return ns / NSEC_PER_SEC;
}

static u64 by_waker(const char *pattern)
{
	struct profile *p =
		selected(&(struct select_options){ .wakers = { &pattern, 1 }, .words = "w" });
	u64 seconds = seconds_of(p);

	profile__free(p);
	return seconds;
}

static void test_select__by_waker_takes_its_part_of_waits(void **state)
{
	(void)state;
	assert_int_equal(by_waker("writer-1"), 49);
	assert_int_equal(by_waker("writer"), 49);
	assert_int_equal(by_waker("1"), 49);
	assert_int_equal(by_waker("[timer*"), 33);
	assert_int_equal(by_waker("[preempted]"), 4);
	assert_int_equal(by_waker("[unknown]"), 33);
	assert_int_equal(by_waker("*"), 119);
}

static void test_select__by_waker_never_takes_time_on_a_cpu(void **state)
{
	const char *pattern = "*";
	struct profile *p =
		selected(&(struct select_options){ .wakers = { &pattern, 1 }, .words = "w" });

	(void)state;
	assert_int_equal(p->hots_len, 1);
	profile__free(p);
}

static void test_select__by_waker_keeps_its_wakes_only(void **state)
{
	const char *pattern = "[timer*";
	struct profile *p =
		selected(&(struct select_options){ .wakers = { &pattern, 1 }, .words = "w" });
	u32 i;

	(void)state;
	assert_int_equal(p->waits_len, 2);
	assert_int_equal(p->hots_len, 1);
	assert_int_equal(p->waits[1].count, 3);
	assert_int_equal(p->waits[1].runq_ns, 3 * NSEC_PER_SEC);
	assert_int_equal(p->wakes_len, 3);
	for (i = 1; i < p->wakes_len; i++)
		assert_int_equal(p->wakers[p->wakes[i].waker].context, WAKER_SOFTIRQ);
	/* that thread stays, with all of its time, but ended nothing here */
	assert_int_equal(p->tasks_len, 3);
	profile__free(p);
}

static void test_select__by_several_wakers_adds_up_the_parts_of_a_wait(void **state)
{
	const char *patterns[] = { "[timer*", "writer-1" };
	struct profile *p =
		selected(&(struct select_options){ .wakers = { patterns, 2 }, .words = "w" });

	(void)state;
	assert_int_equal(p->waits_len, 3);
	assert_int_equal(p->waits[1].count, 7);
	/* of views only */
	assert_int_equal(p->waits[1].waker, 0);
	assert_int_equal(p->waits[1].samples, 7);
	assert_int_equal(seconds_of(p), 82);
	profile__free(p);
}

/* The moments of waits that two wakers ended in turn. */
static struct profile *with_moments(void)
{
	struct profile *p =
		lit("max_events 9\nwindow 100s\n"
		    "task 1/1 writer\n"
		    "wait D blocked=10s count=1 at=10s:10s:0\n u a\n"
		    "task 1/2 waiter\n"
		    "wait S blocked=60s count=3 at=10s:10s:0,40s:20s:0,80s:30s:0\n u a\n"
		    "woken A running=40s count=2\n"
		    "woken B interrupt=20s count=1\n"
		    "waker A 1/1 writer\n"
		    "waker B softirq\nk run_timer_softirq\n");
	u32 i;

	for (i = 0; i < p->moments_len; i++)
		if (p->waits[p->moments[i].wait].blocked_ns == 60 * NSEC_PER_SEC)
			p->moments[i].waker = p->moments[i].end_ns == 40 * NSEC_PER_SEC ? 2 : 1;
	return p;
}

static void test_select__by_waker_keeps_its_moments_only(void **state)
{
	const char *pattern = "writer";
	struct select_options opt = { .wakers = { &pattern, 1 }, .words = "w" };
	struct profile *p = with_moments(), *part = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(profile__check(p, &err), 0);
	assert_int_equal(select_profile(p, &opt, &part, &err), 0);
	if (profile__check(part, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(part->waits_len, 2);
	assert_int_equal(part->moments_len, 2);
	assert_true(part->moments[0].end_ns == 10 * NSEC_PER_SEC);
	assert_true(part->moments[1].end_ns == 80 * NSEC_PER_SEC);
	assert_int_equal(part->moments[1].wait, 1);
	profile__free(part);
	profile__free(p);
}

static void test_select__by_waker_refuses_a_profile_without_wakers(void **state)
{
	struct profile *p = lit("task 1/1 a\nwait S blocked=1s\n u a\n"), *part;
	const char *pattern = "*";
	struct select_options opt = { .wakers = { &pattern, 1 }, .words = "w" };
	struct err err;

	(void)state;
	assert_int_equal(select_profile(p, &opt, &part, &err), -EINVAL);
	assert_string_equal(err.msg, "--waker: needs wakers; record with record --wakers");
	profile__free(p);
}

static void test_select__by_waker_refuses_what_is_no_expression(void **state)
{
	struct profile *p = lit(text), *part;
	const char *pattern = "(";
	struct select_options opt = { .wakers = { &pattern, 1 }, .regex = true, .words = "w" };
	struct err err;

	(void)state;
	assert_int_equal(select_profile(p, &opt, &part, &err), -EINVAL);
	pattern = "nobody";
	opt.regex = false;
	assert_int_equal(select_profile(p, &opt, &part, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "--waker matches none"));
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_select__by_waker_takes_its_part_of_waits),
		cmocka_unit_test(test_select__by_waker_never_takes_time_on_a_cpu),
		cmocka_unit_test(test_select__by_waker_keeps_its_wakes_only),
		cmocka_unit_test(test_select__by_several_wakers_adds_up_the_parts_of_a_wait),
		cmocka_unit_test(test_select__by_waker_keeps_its_moments_only),
		cmocka_unit_test(test_select__by_waker_refuses_a_profile_without_wakers),
		cmocka_unit_test(test_select__by_waker_refuses_what_is_no_expression),
	};

	return cmocka_run_group_tests_name("select_wakers", tests, NULL, NULL);
}
