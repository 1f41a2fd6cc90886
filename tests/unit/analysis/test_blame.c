/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/model/blame.h"
#include "base/mem.h"
#include "lib/lit.h"

#define MS NSEC_PER_MSEC

static const char text[] =
	"arch x86_64\n"
	"module app elf /srv/app build=ab\n"
	"task 1/1 writer group=app\n"
	"wait D sys=fsync blocked=50ms as=disk\n"
	"object file name=/srv/wal file=vda1 dev=2 ino=12\n"
	"u @app 0x1000 +0x10 flush\nk io_schedule\n"
	"woken D interrupt=50ms count=1\n"
	"wait R runq=5ms flags=preempted\nu @app 0x1000 +0x10 flush\n"
	"wait R runq=3ms flags=new\nu @app 0x1000 +0x10 flush\n"
	"task 1/2 waiter group=app\n"
	"wait S sys=futex blocked=100ms runq=9ms count=4\n"
	"u @app 0x2000 +0x10 take\nk futex_do_wait\n"
	"woken W blocked=40ms:disk running=10ms runq=5ms unborn=4ms woken=6ms count=2\n"
	"woken V running=15ms blocked=3ms woken=2ms count=1\n"
	"woken X unknown=8ms count=0\n"
	"wait S sys=futex blocked=7ms flags=open\nu @app 0x2000 +0x10 take\nk futex_do_wait\n"
	"waker D hardirq\nk blk_mq_complete_request\n"
	"waker W 1/1 writer\nu @app 0x1100 +0x20 unlock\n"
	"waker V 1/1 writer\nu @app 0x1200 +0x20 signal_all\n"
	"waker X 9/9 stranger\n";

static void find(const struct profile *p, struct arena *a, struct blame *ret)
{
	arena__init(a);
	assert_int_equal(blame__build_all(p, NULL, a, ret, NULL), 0);
}

static u64 ns_of(const struct blame *blame, enum blame_kind kind, const char *who)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < blame->len; i++) {
		if (blame->parts[i].kind == kind && strcmp(blame->parts[i].who[0], who) == 0)
			ns += blame->parts[i].ns;
	}
	return ns;
}

static const struct blame_part *the_part(const struct blame *blame, enum blame_kind kind, u64 ns)
{
	u32 i;

	for (i = 0; i < blame->len; i++) {
		if (blame->parts[i].kind == kind && blame->parts[i].ns == ns)
			return &blame->parts[i];
	}
	fail_msg("no part of kind %s has %llu ns", blame_kind_name(kind), ns);
	return NULL;
}

static void test_blame__adds_up_to_the_waits_exactly(void **state)
{
	struct profile *p = lit(text);
	u64 whole_ns = 0, ns = 0;
	struct blame blame;
	struct arena a;
	u32 i;

	(void)state;
	find(p, &a, &blame);
	for (i = 1; i < p->waits_len; i++)
		whole_ns += p->waits[i].blocked_ns + p->waits[i].runq_ns;
	for (i = 0; i < blame.len; i++) {
		ns += blame.parts[i].ns;
		assert_true(!i || blame.parts[i - 1].ns >= blame.parts[i].ns);
	}
	assert_int_equal(ns, whole_ns);
	assert_int_equal(blame.ns, whole_ns);
	assert_int_equal(blame.by_waker_ns, 135 * MS);
	arena__done(&a);
	profile__free(p);
}

static void test_blame__says_who_and_what_that_one_did(void **state)
{
	struct profile *p = lit(text);
	struct blame blame;
	struct arena a;

	(void)state;
	find(p, &a, &blame);
	assert_int_equal(ns_of(&blame, BLAME_INTERRUPT, "[block interrupt]"), 50 * MS);
	assert_int_equal(ns_of(&blame, BLAME_BLOCKED, "writer-1"), 43 * MS);
	assert_int_equal(ns_of(&blame, BLAME_RUNNING, "writer-1"), 25 * MS);
	assert_int_equal(ns_of(&blame, BLAME_RUNQ, "writer-1"), 5 * MS);
	assert_int_equal(ns_of(&blame, BLAME_UNBORN, "writer-1"), 4 * MS);
	assert_int_equal(ns_of(&blame, BLAME_UNKNOWN, "stranger-9"), 8 * MS);
	assert_int_equal(ns_of(&blame, BLAME_WOKEN, ""), 8 * MS);
	assert_int_equal(ns_of(&blame, BLAME_PREEMPTED, ""), 5 * MS);
	assert_int_equal(ns_of(&blame, BLAME_NEW, ""), 3 * MS);
	assert_int_equal(ns_of(&blame, BLAME_OPEN, ""), 7 * MS);
	/* what is left of the wait that has wakers */
	assert_int_equal(ns_of(&blame, BLAME_UNSEEN, ""), 16 * MS);
	arena__done(&a);
	profile__free(p);
}

static void test_blame__has_the_cause_and_object_of_the_wakers_own_wait(void **state)
{
	struct profile *p = lit(text);
	const struct blame_part *part;
	struct blame blame;
	struct arena a;

	(void)state;
	find(p, &a, &blame);
	part = the_part(&blame, BLAME_BLOCKED, 40 * MS);
	assert_int_equal(part->cause, CAUSE_DISK_SYNC);
	assert_int_equal(part->class, CLASS_WORK);
	assert_string_equal(part->object, "file /srv/wal");
	/* a wait that is not listed */
	part = the_part(&blame, BLAME_BLOCKED, 3 * MS);
	assert_int_equal(part->class, CLASS_NONE);
	assert_string_equal(part->object, "");
	arena__done(&a);
	profile__free(p);
}

static void test_blame__of_a_running_waker_has_its_place(void **state)
{
	struct profile *p = lit(text);
	struct blame blame;
	struct arena a;

	(void)state;
	find(p, &a, &blame);
	assert_string_equal(the_part(&blame, BLAME_RUNNING, 10 * MS)->place, "unlock");
	assert_string_equal(the_part(&blame, BLAME_RUNNING, 15 * MS)->place, "signal_all");
	arena__done(&a);
	profile__free(p);
}

static void test_blame__has_the_place_of_most_samples_instead(void **state)
{
	char sampled[sizeof(text) + 256];
	struct profile *p;
	struct blame blame;
	struct arena a;
	const char *rest = strstr(text, "task 1/2");

	(void)state;
	snprintf(sampled, sizeof(sampled),
		 "on_cpu_hz 99\n%.*s"
		 "hot on=3ms samples=3\nu @app 0x1300 +0x20 rare\n"
		 "hot on=7ms samples=7\nu @app 0x1400 +0x20 often\n%s",
		 (int)(rest - text), text, rest);
	memcpy(strstr(sampled, "group=app\n"), "on=10ms  \n", 10);
	p = lit(sampled);
	find(p, &a, &blame);
	assert_string_equal(the_part(&blame, BLAME_RUNNING, 25 * MS)->place, "often");
	arena__done(&a);
	profile__free(p);
}

/* The words of a part, as far as they are about whom it names. */
static void assert_part(const struct blame *blame, enum blame_kind kind, u64 ns, const char *who,
			const char *behind, const char *place)
{
	const struct blame_part *part = the_part(blame, kind, ns);

	assert_string_equal(part->who[0], who);
	assert_string_equal(part->who[1], behind);
	assert_string_equal(part->place, place);
}

static void test_blame__adds_up_threads_with_one_name(void **state)
{
	struct profile *p = lit("module app elf /srv/app\n"
				"task 1/1 a\n"
				"wait S sys=futex blocked=30ms count=3\nu @app 0x1000 +0x10 take\n"
				"woken A blocked=10ms:a count=1\n"
				"woken B blocked=8ms:b running=2ms count=1\n"
				"woken C blocked=6ms:c runq=4ms count=1\n"
				"task 2/2 w\nwait S sys=nanosleep blocked=10ms as=a\n"
				"u @app 0x2000 +0x10 retry\n"
				"task 3/3 w\nwait S sys=nanosleep blocked=8ms as=b\n"
				"u @app 0x2000 +0x10 retry\n"
				"task 4/4 v\nwait S sys=nanosleep blocked=6ms as=c\n"
				"u @app 0x2000 +0x10 retry\n"
				"task 4/5 v\n"
				"wait S sys=futex blocked=1ms count=1\nu @app 0x1000 +0x10 take\n"
				"woken E runq=1ms count=1\n"
				"waker A 2/2 w\nwaker B 3/3 w\nwaker C 4/4 v\nwaker E 4/5 v\n");
	struct blame blame;
	struct arena a;

	(void)state;
	find(p, &a, &blame);
	assert_part(&blame, BLAME_BLOCKED, 18 * MS, "w (2 processes)", "", "retry");
	assert_part(&blame, BLAME_RUNNING, 2 * MS, "w-3", "", "");
	assert_part(&blame, BLAME_BLOCKED, 6 * MS, "v-4", "", "retry");
	assert_part(&blame, BLAME_RUNQ, 5 * MS, "v (2 threads)", "", "");
	arena__done(&a);
	profile__free(p);
}

/*
 * A client waits for a server, which waits for threads of another one. `wait`: how the server does;
 * `tgid`: the process of those threads.
 */
static struct profile *servers(const char *wait, u32 tgid)
{
	char lines[1024];

	snprintf(lines, sizeof(lines),
		 "module app elf /srv/app\nmodule nginx elf /usr/sbin/nginx\n"
		 "task 1/1 client\n"
		 "wait S sys=recvfrom blocked=100ms count=1\nu @app 0x1000 +0x10 ask\n"
		 "woken N blocked=97ms:wait running=3ms count=1\n"
		 "task 2/2 nginx\n"
		 "wait S blocked=80ms count=3 as=wait %s\n"
		 "woken U blocked=40ms:nap count=1\n"
		 "woken V runq=10ms running=10ms count=1\n"
		 "woken C running=20ms count=1\n"
		 "task %u/4 up\nwait S sys=nanosleep blocked=40ms as=nap\n"
		 "u @app 0x2000 +0x10 look_up\nk hrtimer_nanosleep\n"
		 "task %u/5 up\n"
		 "waker U %u/4 up\nu @app 0x2100 +0x10 send_it\n"
		 "waker V %u/5 up\nu @app 0x2100 +0x10 send_it\n"
		 "waker C 1/1 client\n"
		 "waker N 2/2 nginx next=V\n",
		 wait, tgid, tgid, tgid, tgid);
	return lit(lines);
}

#define FOR_WORK                                                                                   \
	"sys=epoll_wait\nu @nginx 0x1000 +0x10 ngx_process_events_and_timers\n"                    \
	"u @nginx 0x1100 +0x10 epoll_wait\nk do_epoll_wait"
#define FOR_A_PEER "sys=recvfrom\nu @app 0x3000 +0x10 fetch\nk tcp_recvmsg"

/* The blame of the client's wait alone. */
static void find_of_client(const struct profile *p, struct arena *a, struct blame *ret)
{
	const u32 sets[] = { BLAME_NO_SET, 0, BLAME_NO_SET, BLAME_NO_SET };

	arena__init(a);
	assert_int_equal(p->waits_len, ARRAY_LEN(sets));
	assert_int_equal(blame__build(p, (struct blame_sets){ sets, 1 }, NULL, a, ret, NULL), 0);
	assert_int_equal(ret->ns, 100 * MS);
}

/* In proportion to what all threads of this name did for the server: 40, 10 and 10 of 60 ms. */
static void assert_followed(const struct blame *blame)
{
	const struct blame_part *parts = blame->parts;

	assert_int_equal(blame->len, 4);
	assert_part(blame, BLAME_BLOCKED, parts[0].ns, "nginx-2", "up-4", "look_up");
	assert_in_range(parts[0].ns, 97 * MS * 4 / 6, 97 * MS * 4 / 6 + 2);
	assert_part(blame, BLAME_RUNNING, parts[1].ns, "nginx-2", "up-5", "send_it");
	assert_part(blame, BLAME_RUNQ, parts[2].ns, "nginx-2", "up-5", "");
	assert_int_equal(parts[0].ns + parts[1].ns + parts[2].ns, 97 * MS);
	assert_part(blame, BLAME_RUNNING, 3 * MS, "nginx-2", "", "");
}

static void test_blame__follows_a_wait_through_a_server(void **state)
{
	static const struct {
		const char *wait;
		u32 tgid;
	} cases[] = { { FOR_A_PEER, 3 }, { FOR_WORK, 3 }, { FOR_WORK, 2 } };
	struct blame blame;
	struct arena a;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct profile *p = servers(cases[i].wait, cases[i].tgid);

		find_of_client(p, &a, &blame);
		assert_followed(&blame);
		arena__done(&a);
		profile__free(p);
	}
}

static void test_blame__does_not_follow_inside_a_process(void **state)
{
	struct profile *p = servers(FOR_A_PEER, 2);
	struct blame blame;
	struct arena a;

	(void)state;
	find_of_client(p, &a, &blame);
	assert_part(&blame, BLAME_BLOCKED, 97 * MS, "nginx-2", "", "fetch");
	arena__done(&a);
	profile__free(p);
}

static void test_blame__of_sets_leaves_out_what_is_in_none(void **state)
{
	struct profile *p = lit(text);
	const u32 sets[] = { 0, 1, BLAME_NO_SET, BLAME_NO_SET, 0, 0 };
	struct blame blame[2];
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(p->waits_len, ARRAY_LEN(sets));
	assert_int_equal(blame__build(p, (struct blame_sets){ sets, 2 }, NULL, &a, blame, NULL), 0);
	assert_int_equal(blame[1].ns, 50 * MS);
	assert_int_equal(blame[1].len, 1);
	assert_int_equal(blame[0].ns, 116 * MS);
	arena__done(&a);
	profile__free(p);
}

static void test_blame__leaves_out_waits_for_work(void **state)
{
	struct profile *p = lit("task 2/14 ksoftirqd/0 flags=kthread\n"
				"wait S blocked=5s\nk kthread\nk smpboot_thread_fn\nk schedule\n"
				"woken A running=5s count=1\n"
				"task 1/1 a\n"
				"wait D sys=fsync blocked=1s\nu main\nk io_schedule\n"
				"woken A running=1s count=1\n"
				"waker A 9/9 b\n");
	struct blame blame;
	struct arena a;

	(void)state;
	find(p, &a, &blame);
	assert_int_equal(blame.ns, 1000 * MS);
	arena__done(&a);
	profile__free(p);
}

static void test_blame__reports_every_allocation_that_fails(void **state)
{
	struct profile *p = lit("task 2/14 ksoftirqd/0 flags=kthread\n"
				"wait I blocked=5s\nk kthread\nk smpboot_thread_fn\nk schedule\n"
				"woken A running=5s count=1\n"
				"task 1/1 a\n"
				"wait D sys=fsync blocked=1s\nu main\nk io_schedule\n"
				"woken A running=1s count=1\n"
				"waker A 9/9 b\n");
	struct blame blame;
	struct arena a;
	u64 nth;
	int r = -1;

	(void)state;
	for (nth = 1; r; nth++) {
		arena__init(&a);
		mem_fail_nth(nth);
		r = blame__build_all(p, NULL, &a, &blame, NULL);
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
		cmocka_unit_test(test_blame__adds_up_to_the_waits_exactly),
		cmocka_unit_test(test_blame__says_who_and_what_that_one_did),
		cmocka_unit_test(test_blame__has_the_cause_and_object_of_the_wakers_own_wait),
		cmocka_unit_test(test_blame__of_a_running_waker_has_its_place),
		cmocka_unit_test(test_blame__has_the_place_of_most_samples_instead),
		cmocka_unit_test(test_blame__adds_up_threads_with_one_name),
		cmocka_unit_test(test_blame__follows_a_wait_through_a_server),
		cmocka_unit_test(test_blame__does_not_follow_inside_a_process),
		cmocka_unit_test(test_blame__of_sets_leaves_out_what_is_in_none),
		cmocka_unit_test(test_blame__leaves_out_waits_for_work),
		cmocka_unit_test(test_blame__reports_every_allocation_that_fails),
	};

	return cmocka_run_group_tests_name("blame", tests, NULL, NULL);
}
