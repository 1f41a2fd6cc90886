/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a window, step by step: in which order, how long it waits, and what it counts. The
 * programs, the clock and the ring are ours.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define clock_mono_ns fake_mono_ns
#define clock_wall_ns fake_wall_ns
#define clock_cpu_ns fake_cpu_ns
#define clock_sleep_until_mono_ns fake_sleep_until_mono_ns
#define window_set fake_window_set
#define window_settle fake_window_settle
#define window_retire fake_window_retire
#define window_grace fake_window_grace
#define programs__control fake_control
#define programs__walk fake_walk
#define programs__stats fake_stats
#define programs__cost fake_cost
#define programs__wait_key_sz fake_wait_key_sz
#define capture__memory_bytes fake_memory_bytes
#define programs__detach fake_detach
#define ring_buffer__consume fake_ring_consume
#define stacks__read fake_stacks_read
#define ageing__turn fake_ageing_turn
#define errand__start fake_errand_start
#define capture_build_tables fake_build_tables
#include "base/mem.h"
#include "capture/window_end.c"

#define BEGIN_NS 1000000000ULL
#define END_NS 1100000000ULL

static struct cs_control control;
static struct cs_stats counted;
static struct programs_cost cost;
static struct capture *c;
static u64 now_ns;
static u64 oversleeps_ns;
static char steps[256]; /* what was done so far, in this order */
static struct cs_task_record found[4]; /* by the walk over all threads */
static u32 found_len;
static u32 comes_after; /* so many reads of the ring does a last record take; 0: none comes */
static u32 reads;

static void step(const char *what)
{
	size_t len = strlen(steps);

	snprintf(steps + len, sizeof(steps) - len, "%s%s", len ? " " : "", what);
}

u64 clock_mono_ns(void)
{
	return now_ns;
}

u64 clock_wall_ns(void)
{
	return 5000 + now_ns;
}

u64 clock_cpu_ns(void)
{
	return 700;
}

bool clock_sleep_until_mono_ns(u64 instant)
{
	if (now_ns < instant)
		now_ns = instant + oversleeps_ns;
	return true;
}

u64 window_set(struct programs *p, enum cs_window instant, u64 at_ns)
{
	(void)p;
	step(instant == CS_WINDOW_CUT ? "cut" : instant == CS_WINDOW_END ? "end" : "?");
	assert_int_equal(at_ns, END_NS);
	return END_NS;
}

void window_settle(struct programs *p)
{
	(void)p;
	step("settle");
	assert_in_range(now_ns, END_NS + SETTLE_NS, ~0ULL);
	/* hooks give numbers to threads until here, and on */
	control.next_task_id++;
}

void window_retire(struct programs *p)
{
	(void)p;
	step("retire");
}

void window_grace(struct programs *p)
{
	(void)p;
	step("grace");
}

volatile struct cs_control *programs__control(struct programs *p)
{
	(void)p;
	return &control;
}

int programs__walk(struct programs *p, enum programs_walk walk, struct vec *ret_records,
		   struct err *err)
{
	(void)p;
	(void)err;
	step("walk");
	assert_int_equal(walk, PROGRAMS_DRAIN);
	for (u32 i = 0; i < found_len; i++) {
		struct cs_task_record *rec = vec__push(ret_records);

		assert_non_null(rec);
		*rec = found[i];
	}
	return 0;
}

int programs__stats(const struct programs *p, struct cs_stats *ret, struct err *err)
{
	(void)p;
	(void)err;
	*ret = counted;
	return 0;
}

void programs__cost(const struct programs *p, struct programs_cost *ret)
{
	(void)p;
	*ret = cost;
}

size_t programs__wait_key_sz(const struct programs *p)
{
	(void)p;
	return CS_WAIT_KEY_SZ;
}

u64 capture__memory_bytes(const struct capture *cap)
{
	(void)cap;
	return 0;
}

void programs__detach(struct programs *p)
{
	(void)p;
	step("detach");
}

int ring_buffer__consume(struct ring_buffer *rb)
{
	(void)rb;
	if (++reads == comes_after) {
		struct cs_task_record rec = {
			.id = 3, .begin_ns = BEGIN_NS, .end_ns = END_NS, .flags = CS_TASK_EXITED
		};

		assert_int_equal(capture_take_record(c, &c->closed, &rec), 0);
	}
	return 0;
}

int stacks__read(struct stacks *ss, const struct programs *p, struct err *err)
{
	(void)ss;
	(void)p;
	(void)err;
	step("stacks");
	return 0;
}

void ageing__turn(struct ageing *a, struct programs *p)
{
	(void)a;
	(void)p;
	step("turn");
}

/* No second thread: the caller waits itself. */
int errand__start(struct errand *e, void (*work)(void *arg), void *arg)
{
	(void)e;
	(void)work;
	(void)arg;
	return -EAGAIN;
}

int capture_build_tables(struct capture *cap)
{
	(void)cap;
	return 0;
}

static void find(u32 id, u64 begin_ns, u32 flags)
{
	found[found_len++] = (struct cs_task_record){
		.id = id, .begin_ns = begin_ns, .end_ns = END_NS, .flags = flags
	};
}

/* Three threads got a number, two of them are found. */
static int set_up(void **state)
{
	(void)state;
	c = mem_array(1, sizeof(*c));
	if (!c || capture_window__init(&c->now, 0, 0))
		return -1;
	c->now.begin_ns = BEGIN_NS;
	cgroup_paths__init(&c->cgroups);
	postponed__init(&c->postponed);
	map64__init(&c->young);
	control = (struct cs_control){ .next_task_id = 3, .last_task_id = ~0U };
	memset(&counted, 0, sizeof(counted));
	memset(&cost, 0, sizeof(cost));
	now_ns = END_NS - 1000000;
	oversleeps_ns = 0;
	steps[0] = '\0';
	found_len = comes_after = reads = 0;
	find(1, BEGIN_NS, 0);
	find(2, BEGIN_NS, 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	capture_window__done(&c->now);
	capture_window__done(&c->closed);
	cgroup_paths__done(&c->cgroups);
	postponed__done(&c->postponed);
	map64__done(&c->young);
	mem_free(c);
	return 0;
}

static void cut(void)
{
	struct err err;

	if (capture__cut(c, END_NS, &err))
		fail_msg("%s", err.msg);
}

/* Nobody reads a table before those that write to it are done. */
static void test_cut__goes_on_in_the_next_window(void **state)
{
	(void)state;
	comes_after = 1;
	cut();
	assert_string_equal(steps, "cut settle walk retire turn grace stacks");
	assert_int_equal(c->closed.begin_ns, BEGIN_NS);
	assert_int_equal(c->closed.end_ns, END_NS);
	assert_int_equal(c->now.begin_ns, END_NS);
	assert_int_equal(c->now.begin_wall_ns, 5000 + END_NS);
	assert_false(c->ended);
}

/* A busy machine wakes us late; the window began at its instant all the same. */
static void test_cut__begins_at_the_instant_by_both_clocks(void **state)
{
	(void)state;
	oversleeps_ns = 40 * NSEC_PER_MSEC;
	comes_after = 1;
	cut();
	assert_int_equal(c->now.begin_ns, END_NS);
	assert_int_equal(c->now.begin_wall_ns, 5000 + END_NS);
}

static void test_stop__takes_the_hooks_off(void **state)
{
	struct err err;

	(void)state;
	comes_after = 1;
	assert_int_equal(capture__stop(c, END_NS, &err), 0);
	assert_string_equal(steps, "end settle walk detach stacks");
	assert_true(c->ended);
}

static void test_cut__takes_a_record_that_is_still_to_come(void **state)
{
	(void)state;
	comes_after = 20;
	cut();
	assert_int_equal(c->closed.records.len, 3);
	assert_int_equal(c->closed.records_missing, 0);
	assert_in_range(now_ns, END_NS + 19 * NSEC_PER_MSEC, END_NS + LAST_NS);
}

static void test_cut__counts_a_record_that_never_comes(void **state)
{
	(void)state;
	cut();
	assert_int_equal(c->closed.records.len, 2);
	assert_int_equal(c->closed.records_missing, 1);
	assert_in_range(now_ns, END_NS + LAST_NS, END_NS + LAST_NS + 2 * NSEC_PER_MSEC);
}

/* What the ring had no room for is known, and not waited for. */
static void test_cut__does_not_wait_for_a_record_that_is_lost(void **state)
{
	(void)state;
	counted.task_record_lost = 1;
	cut();
	assert_int_equal(c->closed.records_missing, 0);
	assert_in_range(now_ns, 0, END_NS + SETTLE_NS);
}

/* A thread that began after the end belongs to the next window, which expects its record. */
static void test_cut__leaves_a_younger_thread_to_the_next_window(void **state)
{
	(void)state;
	find(3, END_NS + 1, 0);
	cut();
	assert_int_equal(c->closed.records.len, 2);
	assert_int_equal(c->closed.records_missing, 0);
	assert_int_equal(c->there, 3);
	assert_int_equal(c->last_id, 3);
}

static void test_cut__does_not_expect_a_thread_that_has_ended(void **state)
{
	(void)state;
	comes_after = 1; /* it exited */
	cut();
	assert_int_equal(c->there, 2);
}

/* Numbers are given out while the end is settled; later ones are not asked for. */
static void test_cut__asks_for_the_threads_that_have_a_number_by_then(void **state)
{
	(void)state;
	cut();
	assert_int_equal(c->last_id, 3);
	assert_int_equal(control.next_task_id, 4);
	assert_int_equal(control.last_task_id, ~0U);
}

static void test_cut__counters_are_of_the_window(void **state)
{
	(void)state;
	comes_after = 1;
	c->stats.switches = 100;
	c->cost.runs = 40;
	c->cpu_ns = 300;
	counted.switches = 130;
	cost.runs = 45;
	cut();
	assert_int_equal(c->closed.stats.switches, 30);
	assert_int_equal(c->closed.cost.runs, 5);
	assert_int_equal(c->closed.self_cpu_ns, 400);
	assert_int_equal(c->stats.switches, 130);
	assert_int_equal(c->cpu_ns, 700);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_cut__goes_on_in_the_next_window),
		T(test_cut__begins_at_the_instant_by_both_clocks),
		T(test_stop__takes_the_hooks_off),
		T(test_cut__takes_a_record_that_is_still_to_come),
		T(test_cut__counts_a_record_that_never_comes),
		T(test_cut__does_not_wait_for_a_record_that_is_lost),
		T(test_cut__leaves_a_younger_thread_to_the_next_window),
		T(test_cut__does_not_expect_a_thread_that_has_ended),
		T(test_cut__asks_for_the_threads_that_have_a_number_by_then),
		T(test_cut__counters_are_of_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
