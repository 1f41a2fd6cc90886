/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single switches of one thread, made up: what is counted where the resume hook does not come, and
 * what a wait is marked with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Of 6.6 to 6.17: not a thread is throttled, but the run queue of its group. */
static int queues_throttle;
#define host_field_exists(field)                                                                   \
	(!queues_throttle || strcmp(field, "struct task_struct, throttled") != 0)

#include "lib/host_one_cpu.h"

#define WAIT_NS 5000
#define PRIO_FAIR 120
#define PRIO_REAL_TIME 50

static struct scratch scr;
static struct cs_stats counted;
static struct task_slot slot;
static struct rq rq = { .clock = 1 };
static struct cfs_rq cfs_rq = { .rq = &rq };
static struct task_struct traced = { .pid = 7, .se.cfs_rq = &cfs_rq };
static struct task_struct other = { .pid = 8, .se.cfs_rq = &cfs_rq };
static struct cs_wait_key listed; /* the wait that was asked for last */
static u64 held_ns; /* how long its run queue is throttled in a wait */
static u64 now_ns;

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
	if (map == &waits)
		listed = *(const struct cs_wait_key *)key;
	return map == &scratches ? (void *)&scr : map == &stats ? (void *)&counted : NULL;
}

static int set_up(void **state)
{
	(void)state;
	memset(&scr, 0, sizeof(scr));
	memset(&counted, 0, sizeof(counted));
	memset(&slot, 0, sizeof(slot));
	memset(&listed, 0, sizeof(listed));
	queues_throttle = 0;
	held_ns = 0;
	cfs_rq.throttle_count = 0;
	traced.prio = PRIO_FAIR;
	traced.throttled = false;
	traced.flags = PF_KTHREAD;
	traced.bpf_storage = (void *)&slot;
	now_ns = 1000;
	slot.rec.id = 1;
	slot.rec.host_tid = 7;
	slot.phase = CS_PHASE_ON;
	slot.since_ns = now_ns;
	cfg.split = CS_SPLIT_WAKING;
	cfg.max_ns = ~0ULL;
	cfg.state_any = 1;
	cfg.objects = 1;
	control.followed_ns = now_ns;
	control.rq_minus_ktime_ns = 0;
	control.begin_ns = 0;
	control.end_ns = ~0ULL;
	return 0;
}

/* A wait of WAIT_NS, whose resume hook does not come; the next switch finds out. */
static void wait_in(u32 raw_state)
{
	on_sched_switch(NULL, false, &traced, &other, raw_state);
	now_ns += WAIT_NS;
	cfs_rq.throttled_clock_self_time += held_ns;
	on_sched_switch(NULL, false, &other, &traced, 0);
	assert_int_equal(counted.resume_missed, 0);
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	assert_int_equal(counted.resume_missed, 1);
	assert_int_equal(counted.resume_missed_ns, WAIT_NS);
}

static void test_missed_resume__of_a_wait_for_a_lock_has_an_unknown_holder(void **state)
{
	(void)state;
	slot.lock = 0x1000;
	wait_in(CS_RAW_UNINTERRUPTIBLE);
	assert_int_equal(counted.holder_unknown, 1);
	assert_int_equal(counted.holder_unknown_ns, WAIT_NS);
}

static void test_missed_resume__of_another_wait_has_no_holder(void **state)
{
	(void)state;
	wait_in(CS_RAW_UNINTERRUPTIBLE);
	assert_int_equal(counted.holder_unknown, 0);
}

/* It lost its CPU on its way to the lock. */
static void test_missed_resume__of_one_that_could_run_has_no_holder(void **state)
{
	(void)state;
	slot.lock = 0x1000;
	wait_in(0);
	assert_int_equal(counted.holder_unknown, 0);
}

/* Its coming back was not reported, but the scheduler noted when it was. */
static void test_missed_in__of_a_wait_for_a_lock_has_an_unknown_holder(void **state)
{
	(void)state;
	slot.lock = 0x1000;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	now_ns += WAIT_NS;
	traced.sched_info.last_arrival = now_ns;
	now_ns += WAIT_NS;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	assert_int_equal(counted.missed_in, 1);
	assert_true(listed.flags & CS_WAIT_NO_RESUME);
	assert_int_equal(counted.holder_unknown, 1);
	assert_int_equal(counted.holder_unknown_ns, WAIT_NS);
}

static void test_throttled__is_a_mark_of_those_that_could_run(void **state)
{
	(void)state;
	traced.throttled = true;
	wait_in(0);
	assert_int_equal(listed.state, CS_STATE_R);
	assert_true(listed.flags & CS_WAIT_THROTTLED);
	assert_int_equal(slot.rec.totals.preempted_ns, WAIT_NS);
}

static void test_throttled__is_no_mark_of_the_next_wait(void **state)
{
	(void)state;
	traced.throttled = true;
	wait_in(0);
	traced.throttled = false;
	now_ns += WAIT_NS;
	on_sched_switch(NULL, false, &other, &traced, 0);
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	assert_int_equal(listed.state, CS_STATE_D);
	assert_false(listed.flags & CS_WAIT_THROTTLED);
}

/* Found so at the begin. */
static void test_throttled__before_the_first_switch(void **state)
{
	(void)state;
	slot.phase = CS_PHASE_UNSEEN;
	slot.mark_flags = CS_WAIT_THROTTLED;
	slot.flags = CS_WAIT_PRE;
	now_ns += WAIT_NS;
	on_sched_switch(NULL, false, &other, &traced, 0);
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	assert_int_equal(listed.flags & (CS_WAIT_THROTTLED | CS_WAIT_PRE),
			 CS_WAIT_THROTTLED | CS_WAIT_PRE);
}

static void test_throttled_queue__is_a_mark_of_who_leaves_it(void **state)
{
	(void)state;
	queues_throttle = 1;
	cfs_rq.throttle_count = 1;
	wait_in(0);
	assert_true(listed.flags & CS_WAIT_THROTTLED);
}

static void test_throttled_queue__is_a_mark_of_who_lies_there_for_most_of_a_wait(void **state)
{
	(void)state;
	queues_throttle = 1;
	held_ns = WAIT_NS / 2 + 1;
	wait_in(0);
	assert_true(listed.flags & CS_WAIT_THROTTLED);
}

static void test_throttled_queue__is_no_mark_of_less(void **state)
{
	(void)state;
	queues_throttle = 1;
	held_ns = WAIT_NS / 2;
	wait_in(0);
	assert_false(listed.flags & CS_WAIT_THROTTLED);
}

/* A quota is for threads of the fair class: it was another one of real time that took the CPU. */
static void test_throttled_queue__is_no_mark_of_a_thread_of_real_time(void **state)
{
	(void)state;
	queues_throttle = 1;
	traced.prio = PRIO_REAL_TIME;
	cfs_rq.throttle_count = 1;
	held_ns = WAIT_NS;
	wait_in(0);
	assert_int_equal(listed.state, CS_STATE_R);
	assert_false(listed.flags & CS_WAIT_THROTTLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			test_missed_resume__of_a_wait_for_a_lock_has_an_unknown_holder, set_up),
		cmocka_unit_test_setup(test_missed_resume__of_another_wait_has_no_holder, set_up),
		cmocka_unit_test_setup(test_missed_resume__of_one_that_could_run_has_no_holder,
				       set_up),
		cmocka_unit_test_setup(test_missed_in__of_a_wait_for_a_lock_has_an_unknown_holder,
				       set_up),
		cmocka_unit_test_setup(test_throttled__is_a_mark_of_those_that_could_run, set_up),
		cmocka_unit_test_setup(test_throttled__is_no_mark_of_the_next_wait, set_up),
		cmocka_unit_test_setup(test_throttled__before_the_first_switch, set_up),
		cmocka_unit_test_setup(test_throttled_queue__is_a_mark_of_who_leaves_it, set_up),
		cmocka_unit_test_setup(
			test_throttled_queue__is_a_mark_of_who_lies_there_for_most_of_a_wait,
			set_up),
		cmocka_unit_test_setup(test_throttled_queue__is_no_mark_of_less, set_up),
		cmocka_unit_test_setup(test_throttled_queue__is_no_mark_of_a_thread_of_real_time,
				       set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
