/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What our programs make CPUs share, on recorded switches and up to 64 CPUs that a model plays. The
 * numbers are counted, not timed: they change when the code or the order of a struct does, and then
 * bench/cores_count shows where.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/types.h"
#include "lib/line_model.h"
#include "lib/switch_world.h"

void __tsan_read8(void *p);
void __tsan_write8(void *p);

/* Transfers of one pass by region, per 1000 switches. */
struct shares {
	u64 control;
	u64 orc_cache;
	u64 buckets;
	u64 sums;
	u64 stacks;
	u64 threads;
	u64 per_cpu;
};

static u64 per_1000(const char *name, u64 switches)
{
	u64 n = line_model__count(name).transfers;

	return (n * 1000 + switches / 2) / switches;
}

static struct shares shares_of(const char *name, u32 cpus, enum world_layout layout)
{
	struct switch_stream stream;
	struct switch_world *w;
	struct shares ret;
	u64 n;
	u32 line;

	assert_int_equal(switch_stream__read(&stream, name, &line), 0);
	w = switch_world__new(&stream, cpus, layout, 0);
	assert_non_null(w);
	line_model__begin();
	switch_world__show_lines(w);
	switch_world__pass(w);
	n = switch_world__switches(w);
	line_model__reset_counts();
	switch_world__pass(w);
	n = switch_world__switches(w) - n;
	assert_in_range(n, (u64)cpus * stream.switches, ~0ULL);
	ret = (struct shares){
		.control = per_1000("control", n),
		.orc_cache = per_1000("orc cache", n),
		.buckets = per_1000("buckets", n) + per_1000("stack buckets", n),
		.sums = per_1000("sums", n),
		.stacks = per_1000("stacks", n),
		.threads = per_1000("threads", n),
		.per_cpu = per_1000("per CPU", n),
	};
	line_model__end();
	switch_world__free(w);
	switch_stream__done(&stream);
	return ret;
}

static void expect_shares(const char *name, u32 cpus, enum world_layout layout,
			  const struct shares *want)
{
	struct shares got = shares_of(name, cpus, layout);

	assert_int_equal(got.orc_cache, want->orc_cache);
	assert_int_equal(got.per_cpu, want->per_cpu);
	assert_in_range(got.control, 0, want->control);
	assert_in_range(got.buckets, 0, want->buckets);
	assert_in_range(got.stacks, 0, want->stacks);
	/* A compiler may load once more or less. */
	assert_in_range(got.sums, want->sums * 9 / 10, want->sums * 11 / 10);
	assert_in_range(got.threads, want->threads * 9 / 10, want->threads * 11 / 10);
}

#define PIPE "bench/switches/pipe"
#define MESSAGING "bench/switches/messaging"

static void test_switches__share_nothing_while_threads_stay(void **state)
{
	static const struct shares want = { .control = 10 };

	(void)state;
	expect_shares(PIPE, 2, WORLD_APART, &want);
	expect_shares(PIPE, 64, WORLD_APART, &want);
	expect_shares(MESSAGING, 16, WORLD_APART, &want);
}

static void test_switches__share_a_thread_with_its_waker(void **state)
{
	static const struct shares pipe = { .control = 10, .threads = 2000 },
				   messaging = { .control = 10, .threads = 2081 };

	(void)state;
	expect_shares(PIPE, 64, WORLD_WOKEN, &pipe);
	expect_shares(MESSAGING, 16, WORLD_WOKEN, &messaging);
}

static void test_switches__take_a_thread_and_its_sums_along(void **state)
{
	static const struct shares want = {
		.control = 10, .buckets = 10, .sums = 833, .threads = 2388
	};

	(void)state;
	expect_shares(MESSAGING, 16, WORLD_MOVING, &want);
}

/* Why a key has its thread: two lines of the sum go from CPU to CPU at each switch. */
static void test_switches__would_share_a_sum_of_many_threads(void **state)
{
	static const struct shares want = { .control = 10, .sums = 1985 };

	(void)state;
	expect_shares(PIPE, 16, WORLD_ONE_KEY, &want);
}

static void test_switches__lose_no_time_wherever_they_are(void **state)
{
	static const char *const names[] = { PIPE, MESSAGING };
	struct switch_stream stream;
	struct switch_world *w;
	u32 line, layout;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(names); i++) {
		assert_int_equal(switch_stream__read(&stream, names[i], &line), 0);
		for (layout = 0; layout < WORLD_LAYOUTS; layout++) {
			w = switch_world__new(&stream, 5, layout, 0);
			assert_non_null(w);
			switch_world__pass(w);
			switch_world__pass(w);
			assert_int_equal(switch_world__lost(w), 0);
			assert_in_range(switch_world__waited_ns(w), stream.span_ns, ~0ULL);
			assert_int_equal(switch_world__listed_ns(w), switch_world__waited_ns(w));
			assert_in_range(switch_world__chosen(w), stream.switches * 10, ~0ULL);
			switch_world__free(w);
		}
		switch_stream__done(&stream);
	}
}

/* With a period, sums stand for what was not listed: a thread is off by less than one of them. */
static void test_switches__are_estimated_with_a_period(void **state)
{
	const u64 period_ns = 100000;
	struct switch_stream stream;
	struct switch_world *w;
	u64 listed, waited, slack;
	u32 line;

	(void)state;
	assert_int_equal(switch_stream__read(&stream, MESSAGING, &line), 0);
	w = switch_world__new(&stream, 4, WORLD_APART, period_ns);
	assert_non_null(w);
	switch_world__pass(w);
	listed = switch_world__listed_ns(w);
	waited = switch_world__waited_ns(w);
	slack = 4 * stream.threads_len * period_ns;
	assert_int_not_equal(listed, waited);
	assert_in_range(listed, waited - slack, waited + slack);
	assert_in_range(switch_world__chosen(w), 1, 4 * stream.switches - 1);
	switch_world__free(w);
	switch_stream__done(&stream);
}

static void test_line_model__counts_what_a_store_takes_away(void **state)
{
	u64 mem[16] __attribute__((aligned(64))) = { 0 };

	(void)state;
	line_model__begin();
	line_model__add("mem", mem, sizeof(mem));
	line_model__run_on(0);
	__tsan_read8(&mem[0]);
	__tsan_write8(&mem[1]);
	assert_int_equal(line_model__count("mem").transfers, 0);
	line_model__run_on(1);
	__tsan_read8(&mem[2]); /* was written by 0 */
	assert_int_equal(line_model__count("mem").transfers, 1);
	__tsan_read8(&mem[3]);
	__tsan_read8(&mem[8]); /* another line, that nobody had */
	assert_int_equal(line_model__count("mem").transfers, 1);
	line_model__run_on(0);
	__tsan_read8(&mem[0]); /* still there */
	assert_int_equal(line_model__count("mem").transfers, 1);
	__tsan_write8(&mem[0]); /* 1 loses it */
	assert_int_equal(line_model__count("mem").transfers, 2);
	__tsan_write8(&mem[0]);
	assert_int_equal(line_model__count("mem").transfers, 2);
	assert_int_equal(line_model__count("mem").lines_written, 0);
	line_model__run_on(1);
	__tsan_write8(&mem[0]);
	assert_int_equal(line_model__count("mem").transfers, 3);
	assert_int_equal(line_model__count("mem").written, 2);
	assert_int_equal(line_model__count("mem").lines_written, 1);
	assert_int_equal(line_model__count("mem").accesses, 9);
	line_model__end();
}

static void test_switch_stream__read_refuses_what_is_not_one(void **state)
{
	struct switch_stream s;
	u32 line;

	(void)state;
	assert_true(switch_stream__read(&s, "bench/switches/none", &line) < 0);
	assert_true(switch_stream__read(&s, "Makefile", &line) < 0);
	assert_in_range(line, 2, 100);
	switch_stream__done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line_model__counts_what_a_store_takes_away),
		cmocka_unit_test(test_switch_stream__read_refuses_what_is_not_one),
		cmocka_unit_test(test_switches__lose_no_time_wherever_they_are),
		cmocka_unit_test(test_switches__are_estimated_with_a_period),
		cmocka_unit_test(test_switches__share_nothing_while_threads_stay),
		cmocka_unit_test(test_switches__share_a_thread_with_its_waker),
		cmocka_unit_test(test_switches__take_a_thread_and_its_sums_along),
		cmocka_unit_test(test_switches__would_share_a_sum_of_many_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
