/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that waits while nothing records, made up: what it lacks in the first window of the
 * recording that goes on, by hooks and by visits. docs/adr/0082.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* A kernel that lacks what the begin of a wait is read from. */
static const char *no_field;
static int has_field(const char *field);
#define host_field_exists(field) has_field(field)

#include "lib/host_one_cpu.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "../../bpf/visit.bpf.c"

/* The recording before ended at 1,000, this one marks threads at 5,000, and begins at 6,000. */
#define ENDED_NS 1000
#define MARKED_NS 5000
#define BEGIN_NS 6000
#define NEXT_NS 20000
/* The clock of run queues is ahead, and that of exec_start lacks the time of interrupts. */
#define AHEAD_NS 700
#define INTERRUPTS_NS 50
#define RAN_NS 8

static struct scratch scr;
static struct cs_stats counted;
static struct task_slot slot;
static struct task_visit visit;
static struct pid pid = { .level = MAX_PIDNS_LEVEL };
static struct rq rq;
static struct cfs_rq cfs_rq = { .rq = &rq };
static struct task_struct traced, other;
static u64 now_ns;

static int has_field(const char *field)
{
	return !no_field || !strstr(field, no_field);
}

static u64 host_now(void)
{
	return now_ns;
}

static struct task_struct *host_current(void)
{
	return &traced;
}

static void *host_slot(struct task_struct *task)
{
	return task == &traced ? &slot : NULL;
}

static void *host_lookup(const void *map, const void *key)
{
	(void)key;
	return map == &scratches ? (void *)&scr : map == &stats ? (void *)&counted : NULL;
}

/* A thread that left its CPU at `left_ns` and still waits at MARKED_NS. */
static int set_up(void **state)
{
	(void)state;
	no_field = NULL;
	memset(&scr, 0, sizeof(scr));
	memset(&counted, 0, sizeof(counted));
	memset(&slot, 0, sizeof(slot));
	memset(&visit, 0, sizeof(visit));
	traced = (struct task_struct){ .pid = 7,
				       .__state = TASK_INTERRUPTIBLE,
				       .se.cfs_rq = &cfs_rq,
				       .group_leader = &traced,
				       .cgroups = &host_css_set,
				       .flags = PF_KTHREAD,
				       .thread_pid = &pid };
	other = (struct task_struct){ .pid = 8, .se.cfs_rq = &cfs_rq };
	now_ns = MARKED_NS;
	rq.clock = MARKED_NS + AHEAD_NS;
	rq.clock_task = rq.clock - INTERRUPTS_NS;
	cfg.split = CS_SPLIT_WAKING;
	cfg.max_ns = ~0ULL;
	cfg.max_tasks = 10;
	cfg.state_any = 1;
	cfg.gap_from_ns = ENDED_NS;
	control.followed_ns = 1;
	control.rq_minus_ktime_ns = AHEAD_NS;
	control.tasks = 0;
	control.begin_ns = ~0ULL;
	control.end_ns = ~0ULL;
	control.last_ns = ~0ULL;
	return 0;
}

/* It got its CPU RAN_NS before, and its CPU has served no interrupt since it left. */
static void left_at(u64 left_ns)
{
	traced.sched_info.last_arrival = left_ns - RAN_NS + AHEAD_NS;
	traced.se.prev_sum_exec_runtime = 400;
	traced.se.sum_exec_runtime = 400 + RAN_NS;
	traced.se.exec_start = left_ns + AHEAD_NS - INTERRUPTS_NS;
}

/* Takes it in, and opens the first window. */
static void mark(void)
{
	assert_non_null(task_mark(&traced, 7, 7, CS_PHASE_UNSEEN, traced.__state));
	traced.bpf_storage = (void *)&slot;
	control.first_ns = BEGIN_NS;
	control.begin_ns = BEGIN_NS;
}

static void ends_at(u64 end_ns)
{
	now_ns = end_ns;
	on_sched_switch(NULL, false, &other, &traced, 0);
}

/* The first switch is after the end of the first window, or there is none: the walk was first. */
static u64 gap_of_copy(void)
{
	struct task_slot copy = slot;
	struct split part;

	close_at_end(&copy, copy.since_ns, NEXT_NS, BEGIN_NS, NEXT_NS, &part);
	assert_int_equal(part.blocked_ns, NEXT_NS - BEGIN_NS);
	return copy.rec.totals.gap_ns;
}

static void test_gap__is_lacked_by_a_wait_that_began_before_it(void **state)
{
	(void)state;
	left_at(10);
	mark();
	assert_int_equal(gap_of_copy(), BEGIN_NS - ENDED_NS);
	ends_at(BEGIN_NS + 100);
	assert_int_equal(slot.rec.totals.gap_ns, BEGIN_NS - ENDED_NS);
	assert_int_equal(slot.rec.totals.blocked_ns[CS_STATE_S], 100);
}

/* By the clock of today it left its CPU before the machine was started. */
static void test_gap__is_lacked_by_a_thread_that_ran_when_the_clock_was_ahead(void **state)
{
	(void)state;
	left_at(100 - (u64)AHEAD_NS);
	mark();
	assert_int_equal(slot.mark_left_rq, 100);
	assert_int_equal(gap_of_copy(), BEGIN_NS - ENDED_NS);
}

static void test_gap__is_lacked_from_the_begin_of_a_wait_in_it(void **state)
{
	(void)state;
	left_at(2345);
	mark();
	assert_int_equal(gap_of_copy(), BEGIN_NS - 2345);
	ends_at(BEGIN_NS + 100);
	assert_int_equal(slot.rec.totals.gap_ns, BEGIN_NS - 2345);
}

/* It had ended: what happened in the gap is not known. */
static void test_gap__is_not_lacked_by_a_wait_that_ended_in_it(void **state)
{
	(void)state;
	left_at(10);
	mark();
	ends_at(BEGIN_NS - 100);
	now_ns = BEGIN_NS + 50;
	on_sched_switch(NULL, false, &traced, &other, TASK_INTERRUPTIBLE);
	assert_int_equal(slot.rec.totals.gap_ns, 0);
	assert_int_equal(slot.rec.totals.on_ns, 50);
}

/* Hooks saw its begin, behind the mark. */
static void test_gap__is_lacked_from_a_switch_before_the_window(void **state)
{
	(void)state;
	left_at(10);
	mark();
	ends_at(BEGIN_NS - 100);
	now_ns = BEGIN_NS - 80;
	on_sched_switch(NULL, false, &traced, &other, TASK_INTERRUPTIBLE);
	assert_int_equal(gap_of_copy(), 80);
	ends_at(BEGIN_NS + 100);
	assert_int_equal(slot.rec.totals.gap_ns, 80);
}

static void test_gap__is_not_lacked_by_a_running_thread(void **state)
{
	(void)state;
	left_at(10);
	traced.on_cpu = 1;
	traced.__state = 0;
	mark();
	now_ns = BEGIN_NS + 100;
	on_sched_switch(NULL, false, &traced, &other, TASK_INTERRUPTIBLE);
	assert_int_equal(slot.rec.totals.gap_ns, 0);
	assert_int_equal(slot.rec.totals.on_ns, 100);
}

static void assert_unknown(void)
{
	mark();
	assert_int_equal(slot.mark_left_rq, 0);
	assert_int_equal(gap_of_copy(), CS_GAP_UNKNOWN);
	ends_at(BEGIN_NS + 100);
	assert_int_equal(slot.rec.totals.gap_ns, CS_GAP_UNKNOWN);
}

/* They make exec_start look later. */
static void test_gap__does_not_shrink_by_interrupts_in_it(void **state)
{
	(void)state;
	left_at(2345);
	rq.clock_task -= 900;
	mark();
	assert_int_equal(gap_of_copy(), BEGIN_NS - 2345);
}

static void test_gap__is_lacked_by_a_thread_that_was_queued_on_another_cpu(void **state)
{
	(void)state;
	left_at(2345);
	traced.se.exec_start = 0;
	mark();
	assert_int_equal(gap_of_copy(), BEGIN_NS - 2345);
}

/* What it ran in this slice is not known in the class of real time. */
static void test_gap__of_another_class_is_lacked_from_exec_start(void **state)
{
	(void)state;
	left_at(2345);
	traced.se.prev_sum_exec_runtime = 0;
	mark();
	assert_int_equal(gap_of_copy(), BEGIN_NS - 2345);
}

static void test_gap__is_unknown_for_a_thread_that_never_ran(void **state)
{
	(void)state;
	assert_unknown();
}

static void test_gap__is_unknown_on_a_kernel_without_sched_info(void **state)
{
	(void)state;
	left_at(10);
	no_field = "last_queued";
	assert_unknown();
}

static void test_gap__is_not_lacked_if_nothing_was_recorded_before(void **state)
{
	(void)state;
	left_at(10);
	cfg.gap_from_ns = 0;
	mark();
	assert_int_equal(slot.mark_left_rq, 0);
	assert_int_equal(gap_of_copy(), 0);
	ends_at(BEGIN_NS + 100);
	assert_int_equal(slot.rec.totals.gap_ns, 0);
}

/* The walk told it at the end of the first window; the thread slept on. */
static void test_gap__is_of_the_first_window_only(void **state)
{
	(void)state;
	left_at(10);
	mark();
	control.begin_ns = NEXT_NS;
	ends_at(NEXT_NS + 100);
	assert_int_equal(slot.rec.totals.gap_ns, 0);
	assert_int_equal(slot.rec.totals.blocked_ns[CS_STATE_S], 100);
}

/* The first visit that accounts for it, after `switches`. */
static u64 gap_of_visit(u32 switches)
{
	mark();
	visit.was.raw_state = TASK_INTERRUPTIBLE;
	visit.now = visit.was;
	visit.now.voluntary += switches;
	visit_account(&slot, &visit, BEGIN_NS + 300);
	return slot.rec.totals.gap_ns;
}

static void test_visit_gap__is_lacked_by_a_wait_that_goes_on(void **state)
{
	(void)state;
	left_at(2345);
	assert_int_equal(gap_of_visit(0), BEGIN_NS - 2345);
	visit_account(&slot, &visit, BEGIN_NS + 400);
	assert_int_equal(slot.rec.totals.gap_ns, BEGIN_NS - 2345);
}

/* Only until the mark it is known to have waited. */
static void test_visit_gap__is_lacked_until_the_mark_by_another_wait(void **state)
{
	(void)state;
	left_at(2345);
	assert_int_equal(gap_of_visit(1), MARKED_NS - 2345);
}

static void test_visit_gap__is_not_lacked_by_a_running_thread(void **state)
{
	(void)state;
	left_at(2345);
	visit.was.on_cpu = 1;
	assert_int_equal(gap_of_visit(0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_gap__is_lacked_by_a_wait_that_began_before_it, set_up),
		cmocka_unit_test_setup(
			test_gap__is_lacked_by_a_thread_that_ran_when_the_clock_was_ahead, set_up),
		cmocka_unit_test_setup(test_gap__is_lacked_from_the_begin_of_a_wait_in_it, set_up),
		cmocka_unit_test_setup(test_gap__is_not_lacked_by_a_wait_that_ended_in_it, set_up),
		cmocka_unit_test_setup(test_gap__is_lacked_from_a_switch_before_the_window, set_up),
		cmocka_unit_test_setup(test_gap__is_not_lacked_by_a_running_thread, set_up),
		cmocka_unit_test_setup(test_gap__does_not_shrink_by_interrupts_in_it, set_up),
		cmocka_unit_test_setup(
			test_gap__is_lacked_by_a_thread_that_was_queued_on_another_cpu, set_up),
		cmocka_unit_test_setup(test_gap__of_another_class_is_lacked_from_exec_start,
				       set_up),
		cmocka_unit_test_setup(test_gap__is_unknown_for_a_thread_that_never_ran, set_up),
		cmocka_unit_test_setup(test_gap__is_unknown_on_a_kernel_without_sched_info, set_up),
		cmocka_unit_test_setup(test_gap__is_not_lacked_if_nothing_was_recorded_before,
				       set_up),
		cmocka_unit_test_setup(test_gap__is_of_the_first_window_only, set_up),
		cmocka_unit_test_setup(test_visit_gap__is_lacked_by_a_wait_that_goes_on, set_up),
		cmocka_unit_test_setup(test_visit_gap__is_lacked_until_the_mark_by_another_wait,
				       set_up),
		cmocka_unit_test_setup(test_visit_gap__is_not_lacked_by_a_running_thread, set_up),
	};

	return cmocka_run_group_tests_name("gap", tests, NULL, NULL);
}
