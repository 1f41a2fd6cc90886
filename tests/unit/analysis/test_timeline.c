/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/model/timeline.h"
#include "lib/literal.h"

#define MS 1000000ULL

static struct profile *parse(const char *text)
{
	struct profile *p;
	struct err err = { 0 };

	if (literal_parse(text, &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

static const char *const two_threads =
	"window 1s\nmax_events 10\n"
	"task 1/1 a on=500ms\n"
	"  wait S blocked=300ms runq=200ms count=2 at=400ms:200ms:100ms,800ms:100ms:100ms\n"
	"task 1/2 b on=100ms begin=200ms\n"
	"  wait S blocked=700ms count=2 at=600ms:300ms:0\n";

static void assert_step(const struct timeline *t, size_t idx, struct timeline_step want)
{
	const struct timeline_step *s = vec__at(&t->steps, idx);

	assert_int_equal(s->begin_ns, want.begin_ns);
	assert_int_equal(s->ns, want.ns);
	assert_int_equal(s->task, want.task);
	assert_int_equal(s->kind, want.kind);
	if (want.kind == TIMELINE_WAIT)
		assert_int_equal(s->moment, want.moment);
}

static void test_timeline__is_all_time_of_each_thread(void **state)
{
	struct profile *p = parse(two_threads);
	struct timeline t;

	(void)state;
	assert_int_equal(timeline__init(&t, p), 0);
	assert_int_equal(t.steps.len, 8);
	assert_step(&t, 0, (struct timeline_step){ 0, 100 * MS, 1, TIMELINE_ON_CPU, 0 });
	assert_step(&t, 1, (struct timeline_step){ 100 * MS, 300 * MS, 1, TIMELINE_WAIT, 0 });
	/* the other one lacks an instant, so what is between two is not known */
	assert_step(&t, 2, (struct timeline_step){ 200 * MS, 100 * MS, 2, TIMELINE_UNKNOWN, 0 });
	assert_step(&t, 3, (struct timeline_step){ 300 * MS, 300 * MS, 2, TIMELINE_WAIT, 1 });
	assert_step(&t, 4, (struct timeline_step){ 400 * MS, 200 * MS, 1, TIMELINE_ON_CPU, 0 });
	assert_step(&t, 5, (struct timeline_step){ 600 * MS, 200 * MS, 1, TIMELINE_WAIT, 2 });
	assert_step(&t, 6, (struct timeline_step){ 600 * MS, 400 * MS, 2, TIMELINE_UNKNOWN, 0 });
	assert_step(&t, 7, (struct timeline_step){ 800 * MS, 200 * MS, 1, TIMELINE_ON_CPU, 0 });
	timeline__done(&t);
	profile__free(p);
}

static void test_timeline__of_windows_that_follow_each_other_is_all_time(void **state)
{
	struct profile *p = parse(two_threads);
	struct timeline t;

	(void)state;
	p->hdr.windows = 2;
	assert_int_equal(timeline__init(&t, p), 0);
	assert_int_equal(t.steps.len, 8);
	assert_step(&t, 0, (struct timeline_step){ 0, 100 * MS, 1, TIMELINE_ON_CPU, 0 });
	assert_step(&t, 7, (struct timeline_step){ 800 * MS, 200 * MS, 1, TIMELINE_ON_CPU, 0 });
	timeline__done(&t);
	profile__free(p);
}

/* What is before or between two waits may have been between two windows. */
static void test_timeline__does_not_take_a_gap_for_time_on_a_cpu(void **state)
{
	struct profile *p = parse(two_threads);
	struct timeline t;

	(void)state;
	p->hdr.windows = 2;
	p->hdr.gap_ns = 50 * MS;
	p->tasks[1].on_ns = 200 * MS;
	assert_int_equal(timeline__init(&t, p), 0);
	assert_int_equal(t.steps.len, 4);
	assert_step(&t, 0, (struct timeline_step){ 100 * MS, 300 * MS, 1, TIMELINE_WAIT, 0 });
	assert_step(&t, 2, (struct timeline_step){ 400 * MS, 200 * MS, 1, TIMELINE_ON_CPU, 0 });
	timeline__done(&t);
	p->tasks[1].on_ns = 150 * MS;
	assert_int_equal(timeline__init(&t, p), 0);
	assert_step(&t, 2, (struct timeline_step){ 400 * MS, 200 * MS, 1, TIMELINE_UNKNOWN, 0 });
	timeline__done(&t);
	profile__free(p);
}

static void assert_bounds(const struct timeline_bounds *b, u64 begin_ms, u64 end_ms, bool all)
{
	assert_int_equal(b->begin_ns, begin_ms * MS);
	assert_int_equal(b->end_ns, end_ms * MS);
	assert_int_equal(b->is_all, all);
}

static void test_timeline_bounds__are_where_a_thread_is_known(void **state)
{
	struct profile *p = parse(two_threads);
	struct timeline_bounds b[3] = { 0 };

	(void)state;
	assert_int_equal(timeline_bounds(p, b), 0);
	assert_bounds(&b[1], 0, 1000, true);
	assert_bounds(&b[2], 200, 1000, true);
	assert_true(b[1].is_whole && !b[2].is_whole);
	/* a capture took over */
	p->hdr.windows = 2;
	p->hdr.gap_ns = 7;
	assert_int_equal(timeline_bounds(p, b), 0);
	assert_bounds(&b[1], 0, 1000, true);
	/* not in all windows: its time is shorter than from its first wait to its last */
	p->tasks[1].wall_ns = 790 * MS;
	assert_int_equal(timeline_bounds(p, b), 0);
	assert_bounds(&b[1], 100, 800, false);
	p->tasks[1].wall_ns = 1000 * MS;
	p->hdr.overlap_ns = 1;
	assert_int_equal(timeline_bounds(p, b), 0);
	assert_bounds(&b[1], 100, 800, false);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timeline__is_all_time_of_each_thread),
		cmocka_unit_test(test_timeline__of_windows_that_follow_each_other_is_all_time),
		cmocka_unit_test(test_timeline__does_not_take_a_gap_for_time_on_a_cpu),
		cmocka_unit_test(test_timeline_bounds__are_where_a_thread_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
