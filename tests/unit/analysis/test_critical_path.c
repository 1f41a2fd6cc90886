/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/path/path_table.h"
#include "analysis/path/path_thread.h"
#include "analysis/path/path_view.h"
#include "base/mem.h"
#include "lib/literal.h"
#include "lib/random_moments.h"

#define MS 1000000ULL

static struct profile *parse(const char *text)
{
	struct profile *p;
	struct err err = { 0 };

	if (literal_parse(text, &p, &err))
		fail_msg("%s", err.msg);
	if (profile__check(p, &err))
		fail_msg("%s", err.msg);
	return p;
}

struct found {
	struct profile *p;
	struct lanes lanes;
	struct critical_path path;
};

static void find(struct found *f, const char *text, u32 tid)
{
	struct path_range range;
	struct err err = { 0 };

	f->p = parse(text);
	assert_int_equal(lanes__init(&f->lanes, f->p), 0);
	if (path_thread_find(&f->lanes, tid, &range, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(critical_path__init(&f->path, &f->lanes, range), 0);
}

static void release(struct found *f)
{
	critical_path__done(&f->path);
	lanes__done(&f->lanes);
	profile__free(f->p);
}

/* The next part of the path, which has to be this. */
static void assert_part(const struct found *f, size_t idx, u32 tid, enum path_kind kind, u64 ms)
{
	const struct path_part *part = vec__at(&f->path.parts, idx);

	if (f->p->tasks[part->task].tid != tid || part->kind != kind || part->ns != ms * MS)
		fail_msg("part %zu: thread %u, %s, %llu ns", idx, f->p->tasks[part->task].tid,
			 path_kind_name((enum path_kind)part->kind), part->ns);
}

/* Each part begins where the one before it ended, and together they are the range. */
static void assert_whole(const struct critical_path *path)
{
	u64 at_ns = path->range.begin_ns;
	size_t i;

	for (i = 0; i < path->parts.len; i++) {
		const struct path_part *part = vec__at(&path->parts, i);

		assert_int_equal(part->begin_ns, at_ns);
		assert_true(part->ns);
		at_ns += part->ns;
	}
	assert_int_equal(at_ns, path->range.end_ns);
}

/* Five threads; each wakes the next one, and the first waits for the last. */
static const char *const relay =
	"window 1s\nmax_events 100\ntarget command relay\n"
	"task 1/1 a on=100ms\n"
	"  wait S blocked=880ms runq=20ms at=900ms:780ms:20ms:E,1s:100ms:0:T\n"
	"task 1/2 b on=100ms\n"
	"  wait S blocked=900ms at=100ms:100ms:0:A,1s:800ms:0\n"
	"task 1/3 c on=150ms\n"
	"  wait S blocked=840ms runq=10ms at=210ms:200ms:10ms:B,1s:640ms:0\n"
	"task 1/4 d on=100ms\n"
	"  wait S blocked=360ms at=360ms:360ms:0:C\n"
	"  wait D sys=fsync blocked=300ms at=760ms:300ms:0:I\n"
	"  wait S sys=read blocked=240ms flags=open at=1s:240ms:0\n"
	"task 1/5 e on=120ms\n"
	"  wait S blocked=760ms at=760ms:760ms:0:D\n"
	"  wait S sys=read blocked=120ms flags=open at=1s:120ms:0\n"
	"waker A 1/1 a\nwaker B 1/2 b\nwaker C 1/3 c\nwaker D 1/4 d\nwaker E 1/5 e\n"
	"waker I hardirq\nwaker T softirq\n";

static void test_path__goes_on_with_who_woke_the_thread(void **state)
{
	struct found f;

	(void)state;
	find(&f, relay, 0);
	assert_whole(&f.path);
	assert_int_equal(f.path.parts.len, 9);
	assert_part(&f, 0, 1, PATH_RUNNING, 100);
	assert_part(&f, 1, 2, PATH_RUNNING, 100);
	assert_part(&f, 2, 3, PATH_RUNQ, 10);
	assert_part(&f, 3, 3, PATH_RUNNING, 150);
	assert_part(&f, 4, 4, PATH_RUNNING, 100);
	assert_part(&f, 5, 4, PATH_INTERRUPT, 300);
	assert_part(&f, 6, 5, PATH_RUNNING, 120);
	assert_part(&f, 7, 1, PATH_RUNQ, 20);
	assert_part(&f, 8, 1, PATH_INTERRUPT, 100);
	release(&f);
}

static void test_path__of_a_range_is_cut_exactly(void **state)
{
	struct path_range range;
	struct found f;

	(void)state;
	find(&f, relay, 1);
	range = f.path.range;
	assert_int_equal(path_thread_cut(&f.lanes, 150 * MS, 470 * MS, &range, NULL), 0);
	assert_int_equal(critical_path__again(&f.path, range), 0);
	assert_whole(&f.path);
	assert_int_equal(f.path.parts.len, 5);
	assert_part(&f, 0, 2, PATH_RUNNING, 50);
	assert_part(&f, 4, 4, PATH_INTERRUPT, 10);
	assert_int_equal(path_thread_cut(&f.lanes, 480 * MS, 490 * MS, &range, NULL), -ENOENT);
	release(&f);
}

static void test_path__alternates_in_a_ping_pong(void **state)
{
	struct found f;

	(void)state;
	find(&f,
	     "window 40ms\nmax_events 100\n"
	     "task 1/1 a on=20ms\n"
	     "  wait S blocked=20ms at=20ms:10ms:0:B,40ms:10ms:0:B\n"
	     "task 1/2 b on=20ms\n"
	     "  wait S blocked=20ms at=10ms:10ms:0:A,30ms:10ms:0:A\n"
	     "waker A 1/1 a\nwaker B 1/2 b\n",
	     1);
	assert_whole(&f.path);
	assert_int_equal(f.path.parts.len, 4);
	assert_part(&f, 0, 1, PATH_RUNNING, 10);
	assert_part(&f, 1, 2, PATH_RUNNING, 10);
	assert_part(&f, 2, 1, PATH_RUNNING, 10);
	assert_part(&f, 3, 2, PATH_RUNNING, 10);
	release(&f);
}

static void test_path__says_what_is_not_known(void **state)
{
	struct found f;

	(void)state;
	find(&f,
	     "window 100ms\nmax_events 100\n"
	     "task 1/1 a on=10ms\n"
	     "  wait S blocked=10ms at=20ms:10ms:0\n"
	     "  wait S sys=read blocked=20ms at=40ms:20ms:0:X\n"
	     "  wait D sys=fsync blocked=10ms flags=iowait at=50ms:10ms:0:X\n"
	     "  wait S sys=poll blocked=10ms at=60ms:10ms:0:A\n"
	     "  wait S sys=futex blocked=20ms at=80ms:20ms:0:B\n"
	     "  wait S sys=wait4 blocked=20ms flags=open at=100ms:20ms:0\n"
	     "task 1/2 b on=5ms begin=70ms\n"
	     "  wait S blocked=25ms flags=open at=100ms:25ms:0\n"
	     "waker X 9/9 x\nwaker A 1/1 a\nwaker B 1/2 b\n",
	     1);
	assert_whole(&f.path);
	assert_part(&f, 0, 1, PATH_RUNNING, 10);
	assert_part(&f, 1, 1, PATH_UNSEEN, 10);
	assert_part(&f, 2, 1, PATH_UNRECORDED, 20);
	assert_part(&f, 3, 1, PATH_IO, 10);
	assert_part(&f, 4, 1, PATH_SELF, 10);
	assert_part(&f, 5, 1, PATH_UNBORN, 10);
	assert_part(&f, 6, 2, PATH_RUNNING, 5);
	assert_part(&f, 7, 2, PATH_OPEN, 5);
	assert_part(&f, 8, 1, PATH_OPEN, 20);
	assert_int_equal(f.path.parts.len, 9);
	release(&f);
}

/* What a thread with a lost instant did between two waits is not known. */
static void test_path__of_a_thread_with_lost_instants(void **state)
{
	struct found f;

	(void)state;
	find(&f,
	     "window 100ms\nmax_events 100\nloss events_lost 1 10ms\n"
	     "task 1/1 a on=80ms\n"
	     "  wait S blocked=20ms count=2 at=50ms:10ms:0:T\n"
	     "waker T softirq\n",
	     1);
	assert_whole(&f.path);
	assert_int_equal(f.path.parts.len, 3);
	assert_part(&f, 0, 1, PATH_LOST, 40);
	assert_part(&f, 1, 1, PATH_INTERRUPT, 10);
	assert_part(&f, 2, 1, PATH_LOST, 50);
	release(&f);
}

/* Wakers that cannot be true: both are blocked, and each is said to have woken the other. */
static void test_path__ends_where_threads_woke_each_other(void **state)
{
	struct found f;

	(void)state;
	find(&f,
	     "window 100ms\nmax_events 100\n"
	     "task 1/1 a\n  wait S blocked=100ms at=100ms:100ms:0:B\n"
	     "task 1/2 b\n  wait S blocked=100ms at=100ms:100ms:0:A\n"
	     "waker A 1/1 a\nwaker B 1/2 b\n",
	     1);
	assert_whole(&f.path);
	assert_int_equal(f.path.parts.len, 1);
	assert_part(&f, 0, 2, PATH_LOOP, 100);
	release(&f);
}

/* The waker's wait began before the window: its part is all that is known of it. */
static void test_path__of_a_waker_that_was_cut_at_the_begin(void **state)
{
	struct found f;

	(void)state;
	find(&f,
	     "window 100ms\nmax_events 100\n"
	     "task 1/1 a on=20ms\n  wait S blocked=80ms at=90ms:80ms:0:B\n"
	     "task 1/2 b on=60ms\n  wait S blocked=40ms flags=pre at=40ms:40ms:0:T\n"
	     "waker B 1/2 b\nwaker T softirq\n",
	     1);
	assert_whole(&f.path);
	assert_int_equal(f.path.parts.len, 4);
	assert_part(&f, 0, 1, PATH_RUNNING, 10);
	assert_part(&f, 1, 2, PATH_INTERRUPT, 30);
	assert_part(&f, 2, 2, PATH_RUNNING, 50);
	assert_part(&f, 3, 1, PATH_RUNNING, 10);
	release(&f);
}

/* The end of a window cuts a wait, and the next window knows who ended it. */
static void test_path__goes_on_over_the_end_of_a_window(void **state)
{
	struct found f;

	(void)state;
	find(&f,
	     "window 100ms\nwindows 2\nmax_events 100\n"
	     "task 1/1 a on=20ms\n"
	     "  wait S blocked=40ms flags=open at=50ms:40ms:0\n"
	     "  wait S blocked=40ms flags=pre at=90ms:40ms:0:B\n"
	     "task 1/2 b on=80ms\n"
	     "  wait S blocked=10ms at=10ms:10ms:0\n"
	     "  wait S blocked=10ms at=100ms:10ms:0\n"
	     "waker B 1/2 b\n",
	     1);
	assert_whole(&f.path);
	assert_part(&f, 0, 1, PATH_RUNNING, 10);
	assert_part(&f, 1, 2, PATH_RUNNING, 40);
	assert_part(&f, 2, 2, PATH_RUNNING, 40);
	assert_part(&f, 3, 1, PATH_RUNNING, 10);
	release(&f);
}

/* An exec begins a new record of a thread, which stays the same. */
static void test_path__goes_on_over_an_exec(void **state)
{
	struct found f;

	(void)state;
	find(&f,
	     "window 100ms\nmax_events 100\ntarget command sh\n"
	     "task 1/1 sh on=40ms flags=execed\n"
	     "task 1/1 cc on=50ms begin=40ms\n  wait S blocked=10ms at=60ms:10ms:0:T\n"
	     "waker T softirq\n",
	     0);
	assert_whole(&f.path);
	assert_int_equal(f.path.parts.len, 4);
	assert_part(&f, 0, 1, PATH_RUNNING, 40);
	assert_part(&f, 1, 1, PATH_RUNNING, 10);
	assert_part(&f, 2, 1, PATH_INTERRUPT, 10);
	assert_part(&f, 3, 1, PATH_RUNNING, 40);
	release(&f);
}

static int thread_of(const char *text, u32 tid, struct err *err)
{
	struct profile *p = parse(text);
	struct path_range range;
	struct lanes lanes;
	int r;

	assert_int_equal(lanes__init(&lanes, p), 0);
	r = path_thread_find(&lanes, tid, &range, err);
	if (!r)
		r = (int)p->tasks[lanes.lanes[range.lane].task].tid;
	lanes__done(&lanes);
	profile__free(p);
	return r;
}

static void test_path_thread__is_the_command_or_must_be_given(void **state)
{
	static const char *const two = "window 1s\nmax_events 1\n"
				       "task 9/9 child on=500ms begin=500ms\ntask 15/15 x on=1s\n"
				       "task 12/12 make on=1s\n"
				       "waker T softirq\n";
	struct err err = { 0 };
	char text[256];

	(void)state;
	snprintf(text, sizeof(text), "target command make -j2\n%s", two);
	assert_int_equal(thread_of(text, 0, NULL), 12);
	assert_int_equal(thread_of(text, 9, NULL), 9);
	assert_int_equal(thread_of(two, 0, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "--tid"));
	assert_int_equal(thread_of(two, 77, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "no thread 77"));
	assert_int_equal(thread_of("window 1s\nmax_events 1\ntask 9/9 a on=1s\nwaker T softirq\n",
				   0, NULL),
			 9);
	assert_int_equal(thread_of("window 1s\nmax_events 1\ntask 9/9 a on=1s\n", 0, &err),
			 -EINVAL);
	assert_non_null(strstr(err.msg, "--events --wakers"));
}

static void test_path_table__adds_up(void **state)
{
	struct path_table table;
	struct err err = { 0 };
	struct arena a;
	struct found f;
	u64 sum_ns = 0;
	u32 i;

	(void)state;
	find(&f, relay, 1);
	arena__init(&a);
	assert_int_equal(path_table__build(&f.path, NULL, &a, &table, &err), 0);
	for (i = 0; i < table.len; i++)
		sum_ns += table.rows[i].ns;
	assert_int_equal(sum_ns, 1000 * MS);
	assert_int_equal(table.ns, sum_ns);
	assert_int_equal(table.known_ns, sum_ns);
	/* the longest one is the disk */
	assert_int_equal(table.rows[0].kind, PATH_INTERRUPT);
	assert_string_equal(table.rows[0].comm, "d");
	assert_int_equal(table.rows[0].ns, 300 * MS);
	assert_int_equal(table.row_of_part[5], 0);
	arena__done(&a);
	release(&f);
}

/* All that is made of a path. 0 or -ENOMEM. */
static int make_all(const struct profile *p)
{
	struct path_range range = { 0, 0, 1000 * MS };
	struct critical_path path = { 0 };
	struct path_table table;
	struct path_view view = { 0 };
	struct lanes lanes;
	struct arena a;
	int r = lanes__init(&lanes, p);

	arena__init(&a);
	if (!r)
		r = critical_path__init(&path, &lanes, range);
	if (!r)
		r = path_table__build(&path, NULL, &a, &table, NULL);
	if (!r)
		r = path_view__init(&view, &path, NULL, NULL);
	path_view__done(&view);
	arena__done(&a);
	critical_path__done(&path);
	lanes__done(&lanes);
	return r;
}

static void test_path__survives_every_failed_allocation(void **state)
{
	struct profile *p = parse(relay);
	u64 nth;

	(void)state;
	for (nth = 1;; nth++) {
		int r;

		mem_fail_nth(nth);
		r = make_all(p);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	}
	mem_fail_nth(0);
	assert_true(nth > 50);
	profile__free(p);
}

static u64 time_under(const struct path_view *v, const char *name)
{
	u64 ns = 0;
	u32 i, at;

	for (i = 1; i < v->copy.waits_len; i++) {
		for (at = v->copy.waits[i].ustack; at; at = v->copy.stacks[at].parent) {
			u32 frame = v->copy.stacks[at].frame;

			if (strcmp(profile__str(&v->copy, v->copy.frames[frame].name), name))
				continue;
			ns += v->copy.waits[i].blocked_ns + v->copy.waits[i].runq_ns;
			break;
		}
	}
	return ns;
}

/* Frames are the threads that the path went through, and what they did. */
static void test_path_view__is_a_profile_of_the_path(void **state)
{
	struct path_view v;
	struct causes causes;
	struct found f;
	u64 ns = 0;
	u32 i;

	(void)state;
	find(&f, relay, 1);
	assert_int_equal(path_view__init(&v, &f.path, NULL, NULL), 0);
	for (i = 1; i < v.copy.waits_len; i++)
		ns += v.copy.waits[i].blocked_ns + v.copy.waits[i].runq_ns;
	assert_int_equal(ns, 1000 * MS);
	assert_int_equal(time_under(&v, "e"), 780 * MS);
	assert_int_equal(time_under(&v, "d"), 660 * MS);
	assert_int_equal(time_under(&v, "b"), 100 * MS);
	assert_int_equal(time_under(&v, PATH_NOTE_ON_CPU), 570 * MS);
	assert_int_equal(time_under(&v, PATH_NOTE_RUNQ), 30 * MS);
	assert_int_equal(causes__recall(&causes, &v.copy, &v.memo, NULL), 0);
	for (i = 1, ns = 0; i < v.copy.waits_len; i++)
		ns += causes__of(&causes, i) == CAUSE_ON_CPU ? v.copy.waits[i].blocked_ns : 0;
	assert_int_equal(ns, 570 * MS);
	causes__done(&causes);
	path_view__done(&v);
	release(&f);
}

/* Whoever woke whom: the parts are all of the time, and nothing twice. */
static void test_path__of_random_timelines_is_all_of_the_time(void **state)
{
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 1000; seed++) {
		struct profile *p = random_moments(seed, 1 + (u32)(seed % 8));
		struct path_range range;
		struct critical_path path;
		struct lanes lanes;

		assert_int_equal(lanes__init(&lanes, p), 0);
		assert_int_equal(path_thread_find(&lanes, 1, &range, NULL), 0);
		assert_int_equal(critical_path__init(&path, &lanes, range), 0);
		assert_whole(&path);
		critical_path__done(&path);
		lanes__done(&lanes);
		profile__free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path__goes_on_with_who_woke_the_thread),
		cmocka_unit_test(test_path__of_a_range_is_cut_exactly),
		cmocka_unit_test(test_path__alternates_in_a_ping_pong),
		cmocka_unit_test(test_path__says_what_is_not_known),
		cmocka_unit_test(test_path__of_a_thread_with_lost_instants),
		cmocka_unit_test(test_path__ends_where_threads_woke_each_other),
		cmocka_unit_test(test_path__of_a_waker_that_was_cut_at_the_begin),
		cmocka_unit_test(test_path__goes_on_over_the_end_of_a_window),
		cmocka_unit_test(test_path__goes_on_over_an_exec),
		cmocka_unit_test(test_path_thread__is_the_command_or_must_be_given),
		cmocka_unit_test(test_path_table__adds_up),
		cmocka_unit_test(test_path__survives_every_failed_allocation),
		cmocka_unit_test(test_path_view__is_a_profile_of_the_path),
		cmocka_unit_test(test_path__of_random_timelines_is_all_of_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
