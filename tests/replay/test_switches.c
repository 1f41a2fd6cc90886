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
	control.first_ns = 0;
	control.rq_minus_ktime_ns = 0;
	control.begin_ns = 0;
	control.end_ns = ~0ULL;
	control.last_ns = ~0ULL;
	moved_sleepers.asleep = 0;
	moved_sleepers.told = 0;
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
	assert_int_equal(slot.rec.totals.waits, 1);
}

static void test_missed_resume__of_a_wait_for_a_lock_has_an_unknown_owner(void **state)
{
	(void)state;
	slot.lock = 0x1000;
	wait_in(CS_RAW_UNINTERRUPTIBLE);
	assert_true(listed.flags & CS_WAIT_OWNER_UNKNOWN);
}

static void test_missed_resume__of_another_wait_has_no_owner(void **state)
{
	(void)state;
	wait_in(CS_RAW_UNINTERRUPTIBLE);
	assert_false(listed.flags & CS_WAIT_OWNER_UNKNOWN);
}

/* A thread that calls exec has the leader's number from then on, and a new record only later. */
static void test_resume__is_of_a_thread_whose_number_changed(void **state)
{
	(void)state;
	slot.rec.host_tid = 6;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	now_ns += WAIT_NS;
	on_sched_switch(NULL, false, &other, &traced, 0);
	on_sched_exit(NULL, true);
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	assert_int_equal(counted.resume_missed, 0);
	assert_false(listed.flags & CS_WAIT_NO_RESUME);
	assert_int_equal(listed.task, slot.rec.id);
}

/* It lost its CPU on its way to the lock. */
static void test_missed_resume__of_one_that_could_run_has_no_owner(void **state)
{
	(void)state;
	slot.lock = 0x1000;
	wait_in(0);
	assert_false(listed.flags & CS_WAIT_OWNER_UNKNOWN);
}

/* Its coming back was not reported, but the scheduler noted when it was. */
static void test_missed_in__of_a_wait_for_a_lock_has_an_unknown_owner(void **state)
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
	assert_true(listed.flags & CS_WAIT_OWNER_UNKNOWN);
}

/* The same, but by a clock that is older than the wait. */
static void test_missed_in__needed_a_wakeup(void **state)
{
	(void)state;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	traced.sched_info.last_arrival = now_ns - 1;
	now_ns += WAIT_NS;
	on_sched_switch(NULL, false, &traced, &other, 0);
	assert_int_equal(counted.missed_in, 1);
	assert_int_equal(slot.rec.totals.missed_ns, WAIT_NS);
	assert_int_equal(slot.rec.totals.wakeups, 1);
	traced.sched_info.last_arrival = now_ns + WAIT_NS;
	now_ns += 2 * WAIT_NS;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	traced.sched_info.last_arrival = now_ns + WAIT_NS;
	now_ns += 2 * WAIT_NS;
	on_sched_switch(NULL, false, &traced, &other, 0);
	assert_int_equal(counted.missed_in, 3);
	assert_int_equal(slot.rec.totals.wakeups, 2);
	assert_int_equal(slot.rec.totals.preemptions, 2);
}

/* Its switch is not reported: the hook that runs in it sees that. */
static void come_back(u64 arrival_ns)
{
	now_ns += WAIT_NS;
	traced.sched_info.last_arrival = arrival_ns;
	on_sched_exit(NULL, true);
}

static void test_unreported__ends_the_wait_when_the_scheduler_says(void **state)
{
	(void)state;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	come_back(now_ns + 3000);
	assert_int_equal(counted.unreported, 1);
	assert_int_equal(slot.rec.totals.blocked_ns[CS_STATE_D], 3000);
	assert_int_equal(slot.rec.totals.wakeups, 1);
}

/* The run queue's clock was not brought up to date for this switch. */
static void test_unreported__ends_the_wait_now_if_that_was_before_it(void **state)
{
	(void)state;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	come_back(now_ns - 1);
	assert_int_equal(counted.unreported, 1);
	assert_int_equal(slot.rec.totals.blocked_ns[CS_STATE_D], WAIT_NS);
	assert_int_equal(slot.rec.totals.wakeups, 1);
	now_ns += 10;
	on_sched_switch(NULL, false, &traced, &other, 0);
	assert_int_equal(slot.rec.totals.on_ns, 10);
	assert_int_equal(counted.missed_in, 0);
}

/*
 * It came before its window did: the wait has its time in the old one, where it was open, and is
 * counted in the new one, like any other that goes on.
 */
static void test_unreported__ends_at_the_start_of_the_window(void **state)
{
	(void)state;
	traced.group_leader = &traced;
	traced.cgroups = &host_css_set;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	control.end_ns = now_ns + 1000;
	come_back(now_ns + 500);
	assert_int_equal(slot.rec.totals.waits, 1);
	assert_int_equal(slot.rec.totals.wakeups, 1);
	assert_int_equal(slot.since_ns, control.end_ns + 1);
}

/* It ran when it was found, and still does: schedule() returned without a switch. */
static void test_unreported__is_not_a_thread_that_never_left(void **state)
{
	(void)state;
	slot.phase = CS_PHASE_UNSEEN;
	come_back(now_ns - 1);
	assert_int_equal(counted.unreported, 0);
	assert_int_equal(slot.phase, CS_PHASE_UNSEEN);
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

/* What a thread does is in its totals to the ns: on a CPU, off it, on it again. */
static void test_totals__have_every_ns_of_a_thread(void **state)
{
	const struct cs_totals *t = &slot.rec.totals;

	(void)state;
	now_ns += 300;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	assert_int_equal(t->on_ns, 300);
	now_ns += WAIT_NS;
	on_sched_switch(NULL, false, &other, &traced, 0);
	assert_int_equal(t->blocked_ns[CS_STATE_D], WAIT_NS);
	now_ns += 70;
	on_sched_switch(NULL, false, &traced, &other, 0);
	now_ns += 11;
	on_sched_switch(NULL, false, &other, &traced, 0);
	assert_int_equal(t->on_ns, 300 + 70);
	assert_int_equal(t->preempted_ns, 11);
	assert_int_equal(t->runq_ns + t->missed_ns, 0);
	assert_int_equal(t->waits, 2);
}

/* The time until the wakeup is blocked, and the rest is run queue latency. */
static void test_totals__divide_a_wait_at_its_wakeup(void **state)
{
	const struct cs_totals *t = &slot.rec.totals;

	(void)state;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	slot.wake_ns = now_ns + 4000;
	now_ns += WAIT_NS;
	on_sched_switch(NULL, false, &other, &traced, 0);
	assert_int_equal(t->blocked_ns[CS_STATE_D], 4000);
	assert_int_equal(t->runq_ns, WAIT_NS - 4000);
	assert_int_equal(t->preempted_ns, 0);
}

/* A wait that began before the first window has only its part there. */
static void test_totals__begin_with_the_window(void **state)
{
	const struct cs_totals *t = &slot.rec.totals;

	(void)state;
	traced.group_leader = &traced;
	traced.cgroups = &host_css_set;
	control.first_ns = control.begin_ns = now_ns + 3000;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_UNINTERRUPTIBLE);
	now_ns += WAIT_NS;
	on_sched_switch(NULL, false, &other, &traced, 0);
	assert_int_equal(t->blocked_ns[CS_STATE_D], WAIT_NS - 3000);
	assert_int_equal(t->on_ns + t->runq_ns + t->preempted_ns + t->missed_ns, 0);
}

/* A sleep of 60 us of a thread that is migrated after 10, and woken after 30 if that is seen. */
static void sleep_and_move(bool is_seen)
{
	cfg.split = CS_SPLIT_SCHED_INFO;
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_INTERRUPTIBLE);
	now_ns += 10000;
	traced.se.sched_delayed = 1;
	on_sched_migrate(NULL, &traced);
	traced.se.sched_delayed = 0;
	assert_int_equal(moved_sleepers.asleep, 1);
	assert_int_equal(moved_sleepers.told, 1);
	now_ns += 20000;
	if (is_seen)
		on_sched_waking(NULL, &traced);
	now_ns += 30000;
	traced.sched_info.run_delay = 50000; /* since it was moved */
	on_sched_switch(NULL, false, &other, &traced, 0);
	traced.sched_info.run_delay = 0;
	assert_int_equal(moved_sleepers.asleep, 0);
}

static void test_moved_sleeper__is_split_by_its_wakeup(void **state)
{
	(void)state;
	sleep_and_move(true);
	assert_int_equal(slot.rec.totals.blocked_ns[CS_STATE_S], 30000);
	assert_int_equal(slot.rec.totals.runq_ns, 30000);
	assert_int_equal(counted.split_missing, 0);
}

static void test_moved_sleeper__is_blocked_if_its_wakeup_was_not_seen(void **state)
{
	(void)state;
	sleep_and_move(false);
	assert_int_equal(slot.rec.totals.blocked_ns[CS_STATE_S], 60000);
	assert_int_equal(slot.rec.totals.runq_ns, 0);
	assert_int_equal(counted.split_missing, 1);
	assert_int_equal(counted.split_missing_ns, 50000);
}

static void test_moved_sleeper__splits_its_next_wait_by_sched_info(void **state)
{
	(void)state;
	sleep_and_move(true);
	on_sched_switch(NULL, false, &traced, &other, CS_RAW_INTERRUPTIBLE);
	now_ns += WAIT_NS;
	traced.sched_info.run_delay = 2000;
	on_sched_switch(NULL, false, &other, &traced, 0);
	traced.sched_info.run_delay = 0;
	assert_int_equal(slot.rec.totals.blocked_ns[CS_STATE_S], 30000 + WAIT_NS - 2000);
	assert_int_equal(counted.split_missing, 0);
}

#define T(name) cmocka_unit_test_setup(name, set_up)

/* On a CPU, the program of a switch and that of what resumes after it take turns. */
static void test_measure__takes_programs_alike(void **state)
{
	u32 measured_runs[2] = { 0 };
	u32 each = 10000;

	(void)state;
	now_ns = 1;
	for (u32 i = 0; i < 2 * each * MEASURE_EVERY; i++)
		measured_runs[i & 1] += measure(&scr) != 0;
	/* Six standard errors are 350. */
	assert_in_range(measured_runs[0], each - 500, each + 500);
	assert_in_range(measured_runs[1], each - 500, each + 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_missed_resume__of_a_wait_for_a_lock_has_an_unknown_owner),
		T(test_missed_resume__of_another_wait_has_no_owner),
		T(test_missed_resume__of_one_that_could_run_has_no_owner),
		T(test_resume__is_of_a_thread_whose_number_changed),
		T(test_missed_in__needed_a_wakeup),
		T(test_unreported__ends_the_wait_when_the_scheduler_says),
		T(test_unreported__ends_the_wait_now_if_that_was_before_it),
		T(test_unreported__ends_at_the_start_of_the_window),
		T(test_unreported__is_not_a_thread_that_never_left),
		T(test_missed_in__of_a_wait_for_a_lock_has_an_unknown_owner),
		T(test_totals__have_every_ns_of_a_thread),
		T(test_totals__divide_a_wait_at_its_wakeup),
		T(test_totals__begin_with_the_window),
		T(test_throttled__is_a_mark_of_those_that_could_run),
		T(test_throttled__is_no_mark_of_the_next_wait),
		T(test_throttled__before_the_first_switch),
		T(test_throttled_queue__is_a_mark_of_who_leaves_it),
		T(test_throttled_queue__is_a_mark_of_who_lies_there_for_most_of_a_wait),
		T(test_throttled_queue__is_no_mark_of_less),
		T(test_throttled_queue__is_no_mark_of_a_thread_of_real_time),
		T(test_measure__takes_programs_alike),
		T(test_moved_sleeper__is_split_by_its_wakeup),
		T(test_moved_sleeper__is_blocked_if_its_wakeup_was_not_seen),
		T(test_moved_sleeper__splits_its_next_wait_by_sched_info),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
