/* SPDX-License-Identifier: Apache-2.0 */
/* Threads with what they did in each window and wait for now, and locks with their owners. */
#include "seen.h"

#define LOCK_WAIT                                                                                  \
	"    object futex futex=lock tgid=10 name=table_lock file=/srv/app addr=0x4040\n"          \
	"    u main\n    u pthread_mutex_lock\n    k futex_wait\n"

/* One thread has the lock and waits for a disk, another one waits for the lock. */
static const char held[] = HEAD
	"task 10/11 disk group=app on=200ms\n"
	"  wait D sys=fsync blocked=800ms count=1 max=800ms flags=open\n    u main\n    u flush\n"
	"    k submit_bio_wait\n"
	"task 10/10 main group=app on=100ms\n"
	"  wait S sys=futex blocked=900ms count=1 max=900ms flags=pre,open owner=11 as=lock\n"
	/* clang-format off */
	LOCK_WAIT
	/* clang-format on */
	"task 10/12 spin group=app on=1s\n"
	"task 10/13 idle group=app\n"
	"  wait S sys=epoll_wait blocked=1s count=1 flags=pre,open\n    u main\n    u event_loop\n"
	"    k ep_poll\n"
	"task 10/14 gone group=app flags=exited on=10ms\n";

static void test_what_each_waits_for(void **state)
{
	const char *text;

	(void)state;
	add(held);
	press("4");
	text = picture(120, 24, false);
	assert_has(text, "main-10/10               L >900 ms lock table_lock "
			 "(app)");
	assert_has(text, "disk-10/11               D 800 ms disk-sync");
	assert_has(text, "spin-10/12               # running");
	assert_has(text, "idle-10/13               . >1.00 s poll");
	assert_has(text, "# exited");
	assert_has(picture(200, 24, false),
		   "lock table_lock (app), held by disk/11, itself in disk-sync");
	/* it goes on */
	add(held);
	text = picture(120, 24, false);
	assert_has(text, "main-10/10               LL >1.80 s lock table_lock");
	assert_has(text, "disk-10/11               DD 800 ms disk-sync");
	/* and ends; a wait that began in a window has its beginning */
	add(HEAD "task 10/10 main group=app on=1s\n"
		 "task 10/11 disk group=app on=200ms\n"
		 "  wait D sys=fsync blocked=800ms count=1 flags=pre,open\n    u main\n"
		 "    k submit_bio_wait\n"
		 "task 10/12 spin group=app\n  wait R runq=1s flags=preempted,open\n");
	text = picture(120, 24, false);
	assert_has(text, "main-10/10               LL# running");
	assert_has(text, "disk-10/11               DDD 1.60 s disk-sync");
	assert_has(text, "spin-10/12               ##R 1.00 s preempted");
	assert_lacks(text, "idle-10");
	/* in the sum of all windows there are threads that have gone */
	press("mm");
	assert_has(picture(120, 24, false), "not in the last window");
}

static void test_strips_have_an_end(void **state)
{
	(void)state;
	for (int i = 0; i < STRIP_LEN + 10; i++)
		add(held);
	press("4");
	assert_has(picture(240, 24, false),
		   "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL"
		   "LLLLL >63.0 s");
	assert_has(picture(120, 24, false), " LLLLLLLLLLLLLLLLLLLL >");
	assert_has(picture(80, 24, false), " LLLLLLLLLL >63");
}

static void test_frozen_strips(void **state)
{
	(void)state;
	add(held);
	press("4f");
	add(first);
	add(second);
	assert_has(picture(120, 24, false), "main-10/10               L >900 ms");
	press("f");
	assert_has(picture(120, 24, false), "web-10/10                LLL running");
}

static void test_locks(void **state)
{
	const char *text;

	(void)state;
	add(held);
	press("6");
	text = picture(100, 24, false);
	assert_has(text, "    s/s  waiters    count  longest  lock, and its owner");
	assert_has(text,
		   "   900 ms 100.0%   0.90   1 of 1        1   900 ms  lock table_lock (app)  "
		   "held by disk/11");
	assert_lacks(text, "poll");
	/* nobody waits any longer: who had it for most of the time */
	add(HEAD "task 10/11 disk group=app on=1s\ntask 10/12 spin group=app on=1s\n"
		 "task 10/10 main group=app on=100ms\n"
		 "  wait S sys=futex blocked=600ms count=2 owner=11 as=lock\n" LOCK_WAIT
		 "  wait S sys=futex blocked=300ms count=5 owner=12 as=lock\n" LOCK_WAIT);
	text = picture(140, 24, false);
	assert_has(text, "0 of 1        7   129 ms");
	assert_has(text, "mostly held by disk/11");
	press("g");
	text = picture(100, 24, false);
	assert_order(text, "  disk/11 ", "  spin/12 ");
	press("\r");
	assert_int_equal(v.tab, TAB_THREADS);
	assert_has(picture(100, 24, false), "only disk/11 ");
	assert_has(picture(100, 24, false), "   600 ms 100.0%");
	press("6gd");
	assert_has(picture(100, 24, false), "600 ms in 2 waits");
	add(HEAD "task 20/20 db group=db on=1s\n");
	press_key(KEY_OF_ESC);
	press_key(KEY_OF_ESC);
	assert_has(picture(100, 24, false), "Nothing waited.");
}

/* Where wakers are recorded, it is known who gave the lock away. */
static void test_handoffs(void **state)
{
	(void)state;
	v.opt.wakers = true;
	add(HEAD "task 10/10 main group=app on=400ms\n"
		 "  wait S sys=futex blocked=600ms count=5 as=lock\n"
		 "    object futex futex=lock tgid=10 name=table_lock file=/srv/app addr=0x4040\n"
		 "    u main\n    u pthread_mutex_lock\n    k futex_wait\n"
		 "    woken W running=600ms count=3\n"
		 "task 20/20 db group=db on=1s\nwaker W 20/20 db end=unrecorded\n");
	press("6");
	assert_has(picture(120, 24, false), "handoffs");
	assert_has(picture(120, 24, false), "         3  lock table_lock (app)");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(what_each_waits_for),
		T(strips_have_an_end),
		T(frozen_strips),
		T(locks),
		T(handoffs),
	};

	return cmocka_run_group_tests_name("tui/threads", tests, NULL, NULL);
}
