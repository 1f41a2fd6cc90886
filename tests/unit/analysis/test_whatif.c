/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/path/path_thread.h"
#include "analysis/path/whatif.h"
#include "base/mem.h"
#include "lib/literal.h"
#include "lib/random_moments.h"

#define MS 1000000ULL

struct asked {
	struct profile *p;
	struct lanes lanes;
	struct arena a;
	struct whatif w;
};

/* Of thread 1. */
static void ask(struct asked *q, const char *text, u32 cpus)
{
	struct whatif_options opt = { .cpus = cpus };
	struct err err = { 0 };

	if (literal_parse(text, &q->p, &err) || profile__check(q->p, &err))
		fail_msg("%s", err.msg);
	arena__init(&q->a);
	assert_int_equal(lanes__init(&q->lanes, q->p), 0);
	if (path_thread_find(&q->lanes, 1, &opt.range, &err) ||
	    whatif__build(&q->lanes, &opt, NULL, &q->a, &q->w, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(q->w.forced, 0);
}

static void release(struct asked *q)
{
	arena__done(&q->a);
	lanes__done(&q->lanes);
	profile__free(q->p);
}

static void assert_row(const struct asked *q, u32 idx, enum cause cause, u64 path_ms)
{
	assert_true(idx < q->w.len);
	assert_string_equal(cause_name((enum cause)q->w.rows[idx].cause), cause_name(cause));
	assert_int_equal(q->w.rows[idx].path_ns, path_ms * MS);
}

static void assert_times(const struct asked *q, u32 idx, u64 quarter_ms, u64 half_ms, u64 all_ms)
{
	assert_int_equal(q->w.rows[idx].ns[0], quarter_ms * MS);
	assert_int_equal(q->w.rows[idx].ns[1], half_ms * MS);
	assert_int_equal(q->w.rows[idx].ns[2], all_ms * MS);
}

/*
 * The first case of the OSDI '24 paper's kind: a worker whose disk is on the path, and one that
 * waits for a timer beside it, as long as it is not in the way.
 */
static const char *const workers =
	"window 200ms\nncpu 2\nmax_events 100\n"
	"task 1/1 main on=30ms\n"
	"  wait S sys=wait4 blocked=120ms at=130ms:120ms:0:A\n"
	"  wait S sys=wait4 blocked=50ms at=200ms:50ms:0:B\n"
	"task 2/2 disk on=40ms\n"
	"  wait S sys=read blocked=10ms at=10ms:10ms:0:M\n"
	"  wait D sys=fsync blocked=80ms flags=iowait at=110ms:80ms:0:I\n"
	"    object file dev=2049 ino=7 name=/wal\n"
	"    k blk_mq_wait\n"
	"  wait S sys=read blocked=70ms flags=open at=200ms:70ms:0\n"
	"task 3/3 timer on=20ms\n"
	"  wait S sys=nanosleep blocked=180ms count=2 at=100ms:100ms:0:T,200ms:80ms:0:T\n"
	"waker M 1/1 main\nwaker A 2/2 disk\nwaker B 3/3 timer\nwaker I hardirq\n"
	"waker T softirq\n";

static void test_whatif__follows_the_next_path(void **state)
{
	struct asked q;

	(void)state;
	ask(&q, workers, 0);
	assert_int_equal(q.w.measured_ns, 200 * MS);
	assert_int_equal(q.w.replay_ns, 200 * MS);
	assert_int_equal(q.w.len, 2);
	assert_row(&q, 0, CAUSE_DISK_SYNC, 80);
	assert_string_equal(q.w.rows[0].object, "file /wal");
	/* the sleep until 200 ends when it ended: it does not depend on the disk */
	assert_times(&q, 0, 200, 200, 200);
	assert_row(&q, 1, CAUSE_SLEEP, 50);
	/* then main goes on at 130, for 20 */
	assert_times(&q, 1, 155, 150, 150);
	release(&q);
}

/* Two waits in turn: each is worth what it takes. */
static void test_whatif__shortens_what_is_on_the_path(void **state)
{
	struct asked q;

	(void)state;
	ask(&q,
	    "window 100ms\nncpu 1\nmax_events 10\n"
	    "task 1/1 main on=20ms\n  wait S sys=wait4 blocked=80ms at=90ms:80ms:0:W\n"
	    "task 2/2 work on=20ms\n"
	    "  wait S sys=read blocked=10ms at=10ms:10ms:0:M\n"
	    "  wait S sys=nanosleep blocked=60ms at=80ms:60ms:0:T\n"
	    "  wait S sys=read blocked=10ms flags=open at=100ms:10ms:0\n"
	    "waker W 2/2 work\nwaker M 1/1 main\nwaker T softirq\n",
	    0);
	assert_int_equal(q.w.replay_ns, 100 * MS);
	assert_int_equal(q.w.len, 1);
	assert_row(&q, 0, CAUSE_SLEEP, 60);
	assert_times(&q, 0, 85, 70, 40);
	release(&q);
}

/* A second thread computes for 40 ms with a lock, for which the first one waits. */
static const char *const locked = "window 100ms\nncpu %d\nmax_events 10\n"
				  "task 1/1 a on=60ms\n"
				  "  wait S sys=futex blocked=40ms at=40ms:40ms:0:B\n"
				  "    u main\n    u pthread_mutex_lock\n    k futex_wait\n"
				  "task 1/2 b on=100ms\n"
				  "waker B 1/2 b\n";

static void test_whatif__takes_locks_away(void **state)
{
	struct asked q;
	char text[512];

	(void)state;
	snprintf(text, sizeof(text), locked, 2);
	ask(&q, text, 0);
	assert_int_equal(q.w.replay_ns, 100 * MS);
	assert_int_equal(q.w.len, 1);
	/* what b did meanwhile is its share of the path */
	assert_row(&q, 0, CAUSE_LOCK, 40);
	assert_times(&q, 0, 90, 80, 60);
	assert_int_equal(q.w.on_cpu_ns, 100 * MS);
	release(&q);
}

/*
 * While the first thread waits for its first child, the second one waits for a lock of the first,
 * and is late when its turn comes. No instant of that wait is on the path.
 */
static void test_whatif__tries_what_is_beside_the_path(void **state)
{
	struct asked q;

	(void)state;
	ask(&q,
	    "window 210ms\nncpu 4\nmax_events 10\n"
	    "task 1/1 main on=25ms\n"
	    "  wait S sys=wait4 blocked=185ms count=2 at=100ms:90ms:0:A,200ms:95ms:0:B\n"
	    "task 2/2 a on=100ms flags=exited\n"
	    "task 3/3 b on=100ms flags=exited\n"
	    "  wait S sys=futex blocked=100ms at=100ms:100ms:0:A\n"
	    "    u main\n    u pthread_mutex_lock\n    k futex_wait\n"
	    "task 4/4 idle on=10ms\n"
	    "  wait S sys=nanosleep blocked=200ms at=210ms:200ms:0:T\n"
	    "waker A 2/2 a\nwaker B 3/3 b\nwaker T softirq\n",
	    0);
	assert_int_equal(q.w.replay_ns, 210 * MS);
	/* the sleep of the last one gains nothing */
	assert_int_equal(q.w.len, 1);
	assert_row(&q, 0, CAUSE_LOCK, 0);
	assert_times(&q, 0, 185, 160, 115);
	release(&q);
}

/* What other waits for threads are for cannot be left out. */
static void test_whatif__keeps_what_threads_give_each_other(void **state)
{
	struct asked q;

	(void)state;
	ask(&q,
	    "window 100ms\nncpu 2\nmax_events 10\n"
	    "task 1/1 a on=50ms\n  wait S sys=wait4 blocked=50ms at=50ms:50ms:0:B\n"
	    "task 2/2 b on=50ms\n  wait S sys=read blocked=50ms flags=open at=100ms:50ms:0\n"
	    "waker B 2/2 b\n",
	    0);
	assert_int_equal(q.w.replay_ns, 100 * MS);
	assert_int_equal(q.w.len, 0);
	release(&q);
}

/* Two threads of 48 ms each on one CPU, in turn; the first waits for the second. */
static const char *const crowded =
	"window 96ms\nncpu 1\nmax_events 10\n"
	"task 1/1 a on=48ms\n  wait S sys=futex blocked=48ms at=96ms:48ms:0:B\n"
	"task 1/2 b on=48ms\n  wait R runq=48ms at=48ms:0:48ms\n"
	"waker B 1/2 b\n";

static void test_whatif__schedules_cpus_anew(void **state)
{
	struct asked q;

	(void)state;
	ask(&q, crowded, 0);
	assert_int_equal(q.w.replay_ns, 96 * MS);
	assert_int_equal(q.w.cpus_ns, 96 * MS);
	assert_int_equal(q.w.twice_ns, 48 * MS);
	assert_int_equal(q.w.all_ns, 48 * MS);
	release(&q);
	ask(&q, crowded, 2);
	assert_int_equal(q.w.recorded_cpus, 1);
	assert_int_equal(q.w.cpus, 2);
	assert_int_equal(q.w.cpus_ns, 48 * MS);
	release(&q);
}

/* The second one wants the CPU after 10 ms, while the first one has it. */
static void test_whatif__knows_when_cpus_were_busy(void **state)
{
	struct asked q;

	(void)state;
	ask(&q,
	    "window 96ms\nncpu 1\nmax_events 10\n"
	    "task 1/1 a on=48ms\n  wait S sys=futex blocked=48ms at=96ms:48ms:0:B\n"
	    "task 1/2 b on=48ms\n"
	    "  wait S sys=nanosleep blocked=10ms runq=38ms at=48ms:10ms:38ms:T\n"
	    "waker B 1/2 b\nwaker T softirq\n",
	    0);
	assert_int_equal(q.w.replay_ns, 96 * MS);
	assert_int_equal(q.w.twice_ns, 58 * MS);
	assert_int_equal(q.w.all_ns, 58 * MS);
	release(&q);
}

/* A CPU was free, as far as is recorded: somebody else had it, and still does. */
static void test_whatif__keeps_what_others_took(void **state)
{
	struct asked q;

	(void)state;
	ask(&q,
	    "window 100ms\nncpu 2\nmax_events 10\n"
	    "task 1/1 a on=60ms\n  wait R runq=40ms at=70ms:0:40ms\n"
	    "waker T softirq\n",
	    8);
	assert_int_equal(q.w.replay_ns, 100 * MS);
	assert_int_equal(q.w.cpus_ns, 100 * MS);
	assert_int_equal(q.w.all_ns, 60 * MS);
	release(&q);
}

/* A child begins where its parent was when it began: here behind the parent's sleep. */
static void test_whatif__starts_threads_where_they_were_started(void **state)
{
	struct asked q;

	(void)state;
	ask(&q,
	    "window 100ms\nncpu 2\nmax_events 10\n"
	    "task 1/1 sh on=20ms\n"
	    "  wait S sys=nanosleep blocked=40ms at=50ms:40ms:0:T\n"
	    "  wait S sys=wait4 blocked=40ms at=100ms:40ms:0:C\n"
	    "task 2/2 sh on=45ms begin=55ms flags=born,exited\n"
	    "waker T softirq\nwaker C 2/2 sh flags=exiting\n",
	    0);
	assert_int_equal(q.w.replay_ns, 100 * MS);
	assert_row(&q, 0, CAUSE_SLEEP, 40);
	assert_times(&q, 0, 90, 80, 60);
	release(&q);
}

/* Shortened by half, a lock is waited for until its owner lets it go, or half as long as before. */
static void test_whatif__ends_a_shorter_wait_before_its_event(void **state)
{
	struct asked q;

	(void)state;
	ask(&q,
	    "window 100ms\nncpu 3\nmax_events 10\n"
	    "task 1/1 a on=40ms\n"
	    "  wait S sys=futex blocked=60ms count=2 at=40ms:40ms:0:B,80ms:20ms:0:C\n"
	    "    u main\n    u pthread_mutex_lock\n    k futex_wait\n"
	    "task 1/2 b on=100ms\n"
	    "task 1/3 c on=100ms\n"
	    "waker B 1/2 b\nwaker C 1/3 c\n",
	    0);
	assert_int_equal(q.w.replay_ns, 100 * MS);
	assert_row(&q, 0, CAUSE_LOCK, 60);
	assert_times(&q, 0, 85, 70, 40);
	release(&q);
}

/* Nobody did what these threads are said to have done; a replay ends all the same. */
static void test_whatif__of_random_timelines_comes_to_an_end(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 300; seed++) {
		struct profile *p = random_moments(seed, 1 + (u32)(seed % 8));
		struct whatif_options opt = { .cpus = 1 + (u32)(seed % 3) };
		struct whatif w;
		struct lanes lanes;
		struct arena a;
		u32 i;

		arena__init(&a);
		assert_int_equal(lanes__init(&lanes, p), 0);
		assert_int_equal(path_thread_find(&lanes, 1, &opt.range, NULL), 0);
		assert_int_equal(whatif__build(&lanes, &opt, NULL, &a, &w, NULL), 0);
		assert_int_equal(w.measured_ns, 1000);
		for (i = 0; i < w.len; i++)
			assert_true(w.rows[i].path_ns <= 1000);
		lanes__done(&lanes);
		arena__done(&a);
		profile__free(p);
	}
}

static void test_whatif__survives_every_failed_allocation(void **state)
{
	struct whatif_options opt = { .rows = 3 };
	struct asked q;
	u64 nth;

	(void)state;
	ask(&q, workers, 0);
	assert_int_equal(path_thread_find(&q.lanes, 1, &opt.range, NULL), 0);
	for (nth = 1;; nth++) {
		struct whatif w;
		struct arena a;
		bool fired;
		int r;

		arena__init(&a);
		mem_fail_nth(nth);
		r = whatif__build(&q.lanes, &opt, NULL, &a, &w, NULL);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		arena__done(&a);
		assert_int_equal(r, fired ? -ENOMEM : 0);
		if (!fired)
			break;
	}
	assert_true(nth > 50);
	release(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whatif__follows_the_next_path),
		cmocka_unit_test(test_whatif__shortens_what_is_on_the_path),
		cmocka_unit_test(test_whatif__takes_locks_away),
		cmocka_unit_test(test_whatif__tries_what_is_beside_the_path),
		cmocka_unit_test(test_whatif__keeps_what_threads_give_each_other),
		cmocka_unit_test(test_whatif__schedules_cpus_anew),
		cmocka_unit_test(test_whatif__knows_when_cpus_were_busy),
		cmocka_unit_test(test_whatif__keeps_what_others_took),
		cmocka_unit_test(test_whatif__starts_threads_where_they_were_started),
		cmocka_unit_test(test_whatif__ends_a_shorter_wait_before_its_event),
		cmocka_unit_test(test_whatif__of_random_timelines_comes_to_an_end),
		cmocka_unit_test(test_whatif__survives_every_failed_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
