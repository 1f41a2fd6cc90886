/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "abi/event.h"
#include "capture/capture_priv.h"
#include "capture/events.h"

/* Where the closed window ends and the next one begins. */
#define CUT_NS 1000

/* A trace between two windows. */
static int set_up(void **state)
{
	static struct capture c;

	c = (struct capture){ .there = 5 };
	cgroup_paths__init(&c.cgroups);
	if (capture_window__init(&c.closed, 0, 0) || capture_window__init(&c.now, 0, 0))
		return -1;
	c.closed.end_ns = c.now.begin_ns = CUT_NS;
	*state = &c;
	return 0;
}

static int tear_down(void **state)
{
	struct capture *c = *state;

	capture_window__done(&c->closed);
	capture_window__done(&c->now);
	cgroup_paths__done(&c->cgroups);
	return 0;
}

static void take_thread(struct capture *c, u64 end_ns, u32 flags)
{
	struct cs_task_event ev = { .kind = CS_EVENT_TASK,
				    .task = { .id = 1, .end_ns = end_ns, .flags = flags } };

	assert_int_equal(capture_take_event(c, &ev, sizeof(ev)), 0);
	assert_int_equal(c->ring_error, 0);
}

static void test_events__are_of_the_window_in_which_they_end(void **state)
{
	struct capture *c = *state;

	take_thread(c, CUT_NS, CS_TASK_EXITED);
	take_thread(c, CUT_NS + 1, CS_TASK_EXITED);
	take_thread(c, CUT_NS + 2, CS_TASK_EXITED);
	assert_int_equal(c->closed.records.len, 1);
	assert_int_equal(c->now.records.len, 2);
	c->closed.end_ns = 0; /* it is drained */
	take_thread(c, CUT_NS, CS_TASK_EXITED);
	assert_int_equal(c->closed.records.len, 1);
	assert_int_equal(c->now.records.len, 2);
}

static void test_events__of_threads_that_are_waited_for_are_counted_with_all(void **state)
{
	struct capture *c = *state;

	c->closed.records_missing = 2;
	take_thread(c, CUT_NS, CS_TASK_CUT);
	take_thread(c, CUT_NS, CS_TASK_EXITED);
	assert_int_equal(c->there, 5);
}

static void test_events__of_threads_that_were_given_up_are_made_up_for(void **state)
{
	struct capture *c = *state;

	c->closed.records_missing = 4;
	c->closed.counted = true;
	take_thread(c, CUT_NS + 1, CS_TASK_CUT); /* of the next window */
	assert_int_equal(c->closed.records_missing, 4);
	take_thread(c, CUT_NS, CS_TASK_CUT);
	assert_int_equal(c->there, 6);
	take_thread(c, CUT_NS, CS_TASK_EXITED);
	take_thread(c, CUT_NS, CS_TASK_EXECED);
	take_thread(c, CUT_NS, CS_TASK_MOVED);
	assert_int_equal(c->there, 6);
	assert_int_equal(c->closed.records_missing, 0);
	take_thread(c, CUT_NS, CS_TASK_CUT); /* none is missing */
	assert_int_equal(c->there, 6);
}

static void test_events__of_cgroups_ask_for_another_look(void **state)
{
	struct cs_cgroup_event ev = { .kind = CS_EVENT_CGROUP };
	struct capture *c = *state;

	assert_int_equal(capture_take_event(c, &ev, sizeof(ev)), 0);
	assert_false(c->rescan);
	ev.kind = CS_EVENT_RESCAN;
	assert_int_equal(capture_take_event(c, &ev, sizeof(ev)), 0);
	assert_true(c->rescan);
}

static void test_events__of_no_kind_end_the_trace(void **state)
{
	struct capture *c = *state;
	struct cs_event ev = { .kind = 0 };

	assert_int_equal(capture_take_event(c, &ev, sizeof(ev)), 0);
	assert_int_equal(c->ring_error, -EPROTO);
	c->ring_error = 0;
	ev.kind = ~0U;
	capture_take_event(c, &ev, sizeof(ev));
	assert_int_equal(c->ring_error, -EPROTO);
	c->ring_error = 0;
	capture_take_event(c, &ev, sizeof(ev) - 1);
	assert_int_equal(c->ring_error, -EPROTO);
}

static void test_events__that_are_too_short_end_the_trace(void **state)
{
	struct capture *c = *state;
	struct cs_task_event ev = { .kind = CS_EVENT_TASK, .task = { .end_ns = CUT_NS } };

	capture_take_event(c, &ev, sizeof(ev) - 1);
	assert_int_equal(c->ring_error, -EPROTO);
	assert_int_equal(c->closed.records.len, 0);
}

static void test_events__keep_the_first_failure(void **state)
{
	struct capture *c = *state;
	struct cs_event ev = { .kind = 0 };

	c->ring_error = -ENOMEM;
	capture_take_event(c, &ev, sizeof(ev));
	assert_int_equal(c->ring_error, -ENOMEM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Probes are attached before the first window begins. */
static void test_marks_before_the_first_window_are_not_lost(void **state)
{
	struct cs_mark m = { .at_ns = 50, .task = 1 };
	struct capture c = { .now = { .begin_ns = 100 }, .first_ns = 100 };

	(void)state;
	assert_int_equal(capture_take_moment(&c, &m, sizeof(m)), 0);
	assert_int_equal(c.now.moments.marks_lost, 0);
	c.first_ns = 10;
	assert_int_equal(capture_take_moment(&c, &m, sizeof(m)), 0);
	assert_int_equal(c.now.moments.marks_lost, 1);
}

/* What a thread publishes comes as bytes, and without a name. */
static void test_marks_may_have_a_trace(void **state)
{
	struct cs_traced_mark t = { .mark = { .at_ns = 50, .task = 1 },
				    .trace = { 0x4b, 0xf9, [15] = 0x0a } };
	struct capture c = { 0 };
	const struct cs_mark *m;
	const struct request_head *head;

	(void)state;
	assert_int_equal(capture_window__init(&c.now, 0, 9), 0);
	assert_int_equal(capture_take_moment(&c, &t, sizeof(t)), 0);
	assert_int_equal(capture_take_moment(&c, &t.mark, sizeof(t.mark)), 0);
	assert_int_equal(c.now.moments.marks.len, 2);
	m = vec__at(&c.now.moments.marks, 0);
	assert_int_equal(m->head, 1);
	head = vec__at(&c.now.moments.heads, 0);
	assert_string_equal(head->trace, "4bf9000000000000000000000000000a");
	assert_int_equal(head->name, 0);
	m = vec__at(&c.now.moments.marks, 1);
	assert_int_equal(m->head, 0);
	assert_int_equal(c.ring_error, 0);
	capture_window__done(&c.now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_marks_before_the_first_window_are_not_lost),
		cmocka_unit_test(test_marks_may_have_a_trace),
		TEST(test_events__are_of_the_window_in_which_they_end),
		TEST(test_events__of_threads_that_are_waited_for_are_counted_with_all),
		TEST(test_events__of_threads_that_were_given_up_are_made_up_for),
		TEST(test_events__of_cgroups_ask_for_another_look),
		TEST(test_events__of_no_kind_end_the_trace),
		TEST(test_events__that_are_too_short_end_the_trace),
		TEST(test_events__keep_the_first_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
