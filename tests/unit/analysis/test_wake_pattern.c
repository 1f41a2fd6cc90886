/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/model/wake_pattern.h"
#include "base/mem.h"
#include "lib/lit.h"

#define MS NSEC_PER_MSEC
#define APP "module app elf /srv/app build=ab\n"
#define HEAD "window 1s\n" APP
#define LOCK_WAIT                                                                                  \
	"object futex futex=lock tgid=1 name=mutex file=/srv/app addr=0x4040\n"                    \
	"u @app 0x2000 +0x10 enter\nu @app 0x2100 +0x10 __lll_lock_wait\nk futex_do_wait\n"
#define COND_WAIT                                                                                  \
	"object futex futex=cond tgid=1 name=cond file=/srv/app addr=0x5040\n"                     \
	"u @app 0x3000 +0x10 take\nk futex_do_wait\n"

static struct wake_patterns find(const struct profile *p, struct arena *a)
{
	struct wake_patterns ret;

	arena__init(a);
	assert_int_equal(wake_patterns__build(p, NULL, a, &ret, NULL), 0);
	return ret;
}

/* Eight threads, each woken ten times; `woken` has what those wakeups count. */
static struct profile *pool(const char *waker, const char *woken)
{
	char text[8192] = "window 500ms\n" APP "task 1/1 main\n";
	size_t len = strlen(text);
	u32 i;

	for (i = 2; i < 10; i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len,
			"task 1/%u worker\nwait S sys=futex blocked=10ms count=10\n" COND_WAIT
			"woken M running=10ms count=10 %s\n",
			i, woken);
	snprintf(text + len, sizeof(text) - len, "waker M %s\nu @app 0x1100 +0x20 publish\n",
		 waker);
	return lit(text);
}

static void assert_kind(const char *waker, const char *woken, const char *kind)
{
	struct profile *p = pool(waker, woken);
	struct arena a;
	struct wake_patterns found = find(p, &a);

	if (!kind && found.len)
		fail_msg("%s is a %s", woken, wake_pattern_name(found.list[0].kind));
	if (kind && found.len != 1)
		fail_msg("%s is no %s", woken, kind);
	if (kind)
		assert_string_equal(wake_pattern_name(found.list[0].kind), kind);
	arena__done(&a);
	profile__free(p);
}

static void test_wake_patterns__tell_herds_from_storms_and_work(void **state)
{
	(void)state;
	/* together, and in vain */
	assert_kind("1/1 main", "bursts=1 crowd=2 brief=6 again=6 ran=1ms", "herd");
	/* to whatever place they return */
	assert_kind("1/1 main", "bursts=1 crowd=2 brief=6 again=0 ran=1ms", "herd");
	assert_kind("softirq", "bursts=1 crowd=2 brief=6 again=6 ran=1ms", "herd");
	/* one by one, and in vain */
	assert_kind("1/1 main", "bursts=10 brief=6 again=6 ran=1ms", "storm");
	/* one by one, to wait elsewhere: steps of some work */
	assert_kind("1/1 main", "bursts=10 brief=6 again=2 ran=1ms", NULL);
	/* by their timers, which they set */
	assert_kind("hardirq", "bursts=10 brief=10 again=10 ran=1ms", NULL);
	/* they have work to do */
	assert_kind("1/1 main", "bursts=1 crowd=9 brief=3 again=3 ran=1ms", NULL);
	assert_kind("1/1 main", "", NULL);
}

static void test_wake_patterns__of_a_herd_have_its_sums(void **state)
{
	struct profile *p = pool("1/1 main", "bursts=1 crowd=2 brief=6 again=5 ran=600us");
	struct arena a;
	struct wake_patterns found = find(p, &a);
	const struct wake_pattern *herd = found.list;

	(void)state;
	assert_int_equal(found.len, 1);
	assert_int_equal(herd->wakes, 80);
	assert_int_equal(herd->bursts, 8);
	assert_int_equal(herd->brief, 48);
	assert_int_equal(herd->again, 40);
	assert_int_equal(herd->cpu_ns, 4800 * NSEC_PER_USEC);
	assert_int_equal(herd->wait_ns, 80 * MS);
	assert_int_equal(herd->sleepers, 8);
	assert_int_equal(herd->wakers, 1);
	assert_string_equal(herd->who, "main-1");
	assert_string_equal(herd->place, "publish");
	assert_string_equal(herd->object, "condvar cond (app)");
	assert_string_equal(herd->then, "");
	/* 0.96% of a CPU */
	assert_false(herd->matters);
	arena__done(&a);
	profile__free(p);
}

static void test_wake_patterns__matter_from_a_hundredth_of_a_cpu_on(void **state)
{
	struct profile *p = pool("1/1 main", "bursts=1 crowd=2 brief=6 again=5 ran=625us");
	struct arena a;
	struct wake_patterns found = find(p, &a);

	(void)state;
	assert_true(found.list[0].matters);
	arena__done(&a);
	profile__free(p);
}

/* Threads 2, 3 and 4 wait for a lock; each wait is ended by the next one of them. */
static struct profile *lock(const char *did, u32 threads)
{
	char text[8192] = HEAD;
	size_t len = strlen(text);
	u32 i;

	for (i = 2; i < 2 + threads; i++)
		len += (size_t)
			snprintf(text + len, sizeof(text) - len,
				 "task 1/%u worker\n"
				 "wait S sys=futex blocked=100ms count=10 as=lock%u\n" LOCK_WAIT
				 "woken W%u %s count=10\n",
				 i, i, i == 2 ? 1 + threads : i - 1, did);
	for (i = 2; i < 2 + threads; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"waker W%u 1/%u worker\nu @app 0x1100 +0x20 leave\n", i, i);
	return lit(text);
}

static void test_wake_patterns__have_a_convoy_if_wakers_wait_too(void **state)
{
	struct profile *p = lock("blocked=60ms:lock2 running=40ms", 3);
	struct arena a;
	struct wake_patterns found = find(p, &a);

	(void)state;
	assert_int_equal(found.len, 1);
	assert_int_equal(found.list[0].kind, PATTERN_CONVOY);
	assert_true(found.list[0].matters);
	assert_int_equal(found.list[0].sleepers, 3);
	assert_int_equal(found.list[0].wakes, 30);
	assert_int_equal(found.list[0].wait_ns, 300 * MS);
	assert_string_equal(found.list[0].object, "lock mutex (app)");
	arena__done(&a);
	profile__free(p);
}

/* Eight threads that are woken ten times at once, and then hand a lock to each other. */
static struct profile *herd_at_lock(u32 lock_waits)
{
	char text[16384] = "window 500ms\n" APP "task 1/1 main\n";
	size_t len = strlen(text);
	u32 i;

	for (i = 2; i < 10; i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len,
			"task 1/%u worker\nwait S sys=futex blocked=10ms count=10\n" COND_WAIT
			"woken M running=10ms count=10 bursts=1 crowd=2 brief=6 again=6 ran=1ms\n"
			"wait S sys=futex blocked=100ms count=%u as=lock%u\n" LOCK_WAIT
			"woken W%u blocked=60ms:lock2 running=40ms count=%u\n",
			i, lock_waits, i, i == 2 ? 9 : i - 1, lock_waits);
	len += (size_t)snprintf(text + len, sizeof(text) - len,
				"waker M 1/1 main\nu @app 0x1100 +0x20 publish\n");
	for (i = 2; i < 10; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"waker W%u 1/%u worker\nu @app 0x1100 +0x20 leave\n", i, i);
	return lit(text);
}

static void test_wake_patterns__of_a_herd_have_the_lock_that_it_meets_at(void **state)
{
	struct profile *twice = herd_at_lock(20), *often = herd_at_lock(21);
	struct arena a, b;
	struct wake_patterns met = find(twice, &a), other = find(often, &b);

	(void)state;
	assert_int_equal(met.len, 1);
	assert_int_equal(met.list[0].kind, PATTERN_HERD);
	assert_string_equal(met.list[0].then, "lock mutex (app)");
	/* more often than a herd may: a convoy of its own */
	assert_int_equal(other.len, 2);
	arena__done(&a);
	arena__done(&b);
	profile__free(twice);
	profile__free(often);
}

static void test_wake_patterns__have_no_convoy_of_a_lock_that_is_held_long(void **state)
{
	struct profile *two = lock("blocked=60ms:lock2 running=40ms", 2);
	struct profile *held = lock("blocked=40ms:lock2 running=60ms", 3);
	struct arena a, b;

	(void)state;
	assert_int_equal(find(two, &a).len, 0);
	assert_int_equal(find(held, &b).len, 0);
	arena__done(&a);
	arena__done(&b);
	profile__free(two);
	profile__free(held);
}

#define PAIR(A_COUNT, B_COUNT, BRIEF)                                                              \
	HEAD "task 1/1 ping\nwait S sys=read blocked=10ms count=200\nu @app 0x3000 +0x10 get\n"    \
	     "k pipe_read\nwoken B running=10ms count=" A_COUNT " brief=" BRIEF "\n"               \
	     "task 1/2 pong\nwait S sys=read blocked=10ms count=200\nu @app 0x3000 +0x10 get\n"    \
	     "k pipe_read\nwoken A running=10ms count=" B_COUNT " brief=" BRIEF "\n"               \
	     "waker A 1/1 ping\nu @app 0x1100 +0x20 put\n"                                         \
	     "waker B 1/2 pong\nu @app 0x1100 +0x20 put\n"

static u32 ping_pongs(const char *text)
{
	struct profile *p = lit(text);
	struct arena a;
	struct wake_patterns found = find(p, &a);
	u32 i, n = 0;

	for (i = 0; i < found.len; i++)
		n += found.list[i].kind == PATTERN_PING_PONG;
	arena__done(&a);
	profile__free(p);
	return n;
}

static void test_wake_patterns__have_a_ping_pong_if_both_wake_alike_and_briefly(void **state)
{
	(void)state;
	assert_int_equal(ping_pongs(PAIR("100", "90", "80")), 1);
	/* a server that answers one request in three */
	assert_int_equal(ping_pongs(PAIR("30", "90", "30")), 0);
	/* requests with work to do */
	assert_int_equal(ping_pongs(PAIR("100", "90", "20")), 0);
	/* 60 in a second */
	assert_int_equal(ping_pongs(PAIR("30", "30", "30")), 0);
}

static void test_wake_patterns__report_every_allocation_that_fails(void **state)
{
	struct profile *p = lock("blocked=60ms:lock2 running=40ms", 3);
	struct wake_patterns found;
	struct arena a;
	u64 nth;
	int r = -1;

	(void)state;
	for (nth = 1; r; nth++) {
		arena__init(&a);
		mem_fail_nth(nth);
		r = wake_patterns__build(p, NULL, &a, &found, NULL);
		mem_fail_nth(0);
		arena__done(&a);
		assert_true(!r || nth < 1000);
	}
	assert_true(nth > 10);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wake_patterns__tell_herds_from_storms_and_work),
		cmocka_unit_test(test_wake_patterns__of_a_herd_have_its_sums),
		cmocka_unit_test(test_wake_patterns__of_a_herd_have_the_lock_that_it_meets_at),
		cmocka_unit_test(test_wake_patterns__matter_from_a_hundredth_of_a_cpu_on),
		cmocka_unit_test(test_wake_patterns__have_a_convoy_if_wakers_wait_too),
		cmocka_unit_test(test_wake_patterns__have_no_convoy_of_a_lock_that_is_held_long),
		cmocka_unit_test(
			test_wake_patterns__have_a_ping_pong_if_both_wake_alike_and_briefly),
		cmocka_unit_test(test_wake_patterns__report_every_allocation_that_fails),
	};

	return cmocka_run_group_tests_name("wake_pattern", tests, NULL, NULL);
}
