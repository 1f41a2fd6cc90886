/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "elf/spans.h"

struct input {
	u64 start;
	u64 end;
	u64 rank;
	const char *name;
};

static void build(struct spans *s, const struct input *in, size_t n)
{
	struct span ranges[16] = { 0 };
	size_t i;

	assert_true(n <= ARRAY_LEN(ranges));
	assert_int_equal(spans__init(s), 0);
	for (i = 0; i < n; i++) {
		ranges[i] = (struct span){ .start = in[i].start, .end = in[i].end };
		ranges[i].rank = in[i].rank;
		assert_int_equal(spans__name(s, in[i].name, strlen(in[i].name), &ranges[i].name),
				 0);
	}
	assert_int_equal(spans__build(s, ranges, n), 0);
}

static void check(const struct spans *s, u64 addr, const char *want, u64 want_start)
{
	const char *name = NULL;
	u64 start = 0;

	if (!want) {
		assert_false(spans__find(s, addr, &name, &start));
		return;
	}
	assert_true(spans__find(s, addr, &name, &start));
	assert_string_equal(name, want);
	assert_true(start == want_start);
}

static void test_spans__find_is_right_at_the_edges(void **state)
{
	const struct input in[] = { { 10, 20, 0, "a" }, { 20, 30, 1, "b" }, { 50, 51, 2, "c" } };
	struct spans s;

	(void)state;
	build(&s, in, ARRAY_LEN(in));
	check(&s, 0, NULL, 0);
	check(&s, 9, NULL, 0);
	check(&s, 10, "a", 10);
	check(&s, 19, "a", 10);
	check(&s, 20, "b", 20);
	check(&s, 30, NULL, 0);
	check(&s, 50, "c", 50);
	check(&s, 51, NULL, 0);
	check(&s, UINT64_MAX, NULL, 0);
	assert_int_equal(spans__len(&s), 3);
	spans__done(&s);
	spans__done(NULL);
}

static void test_spans__build_lets_the_higher_rank_win(void **state)
{
	const struct input in[] = { { 0, 100, 5, "wide" },
				    { 40, 60, 9, "high" },
				    { 70, 80, 1, "low" } };
	struct spans s;

	(void)state;
	build(&s, in, ARRAY_LEN(in));
	check(&s, 39, "wide", 0);
	check(&s, 40, "high", 40);
	check(&s, 59, "high", 40);
	check(&s, 60, "wide", 0);
	check(&s, 75, "wide", 0);
	check(&s, 99, "wide", 0);
	check(&s, 100, NULL, 0);
	spans__done(&s);
}

static void test_spans__build_shows_what_a_shorter_one_leaves(void **state)
{
	const struct input in[] = { { 0, 30, 1, "long" }, { 0, 10, 2, "short" } };
	struct spans s;

	(void)state;
	build(&s, in, ARRAY_LEN(in));
	check(&s, 9, "short", 0);
	check(&s, 10, "long", 0);
	spans__done(&s);
}

static void test_spans__build_leaves_out_empty_ranges(void **state)
{
	const struct input in[] = { { 10, 10, 1, "none" }, { 20, 15, 2, "negative" } };
	struct spans s;

	(void)state;
	build(&s, in, ARRAY_LEN(in));
	assert_int_equal(spans__len(&s), 0);
	check(&s, 10, NULL, 0);
	check(&s, 17, NULL, 0);
	spans__done(&s);
}

static void test_spans__build_cuts_overlong_spans(void **state)
{
	const u64 gib = 1ULL << 30;
	const struct input in[] = { { 0, 20 * gib + 10, 1, "all" }, { 8 * gib, 9 * gib, 2, "in" } };
	struct spans s;

	(void)state;
	build(&s, in, ARRAY_LEN(in));
	check(&s, 10, "all", 0);
	check(&s, UINT32_MAX - 1, "all", 0);
	check(&s, UINT32_MAX, NULL, 0);
	check(&s, 8 * gib, "in", 8 * gib);
	check(&s, 9 * gib, NULL, 0);
	check(&s, UINT64_MAX, NULL, 0);
	spans__done(&s);
}

#define CELLS 200
#define RANGES 16

static int by_start(const void *a, const void *b)
{
	const struct input *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static void test_spans__build_agrees_with_painting_cell_by_cell(void **state)
{
	char names[RANGES][8];
	u32 seed = 7, round, i, cell;

	(void)state;
	for (round = 0; round < 3000; round++) {
		struct input in[RANGES];
		struct spans s;

		for (i = 0; i < RANGES; i++) {
			in[i].start = (u64)(rand_r(&seed) % CELLS);
			in[i].end = in[i].start + (u64)(rand_r(&seed) % 60);
			in[i].rank = (u64)(rand_r(&seed) % 1000) * RANGES + i;
			snprintf(names[i], sizeof(names[i]), "n%u", i);
			in[i].name = names[i];
		}
		qsort(in, RANGES, sizeof(in[0]), by_start);
		build(&s, in, RANGES);
		for (cell = 0; cell < CELLS + 60; cell++) {
			const struct input *best = NULL;

			for (i = 0; i < RANGES; i++) {
				if (cell >= in[i].start && cell < in[i].end &&
				    (!best || in[i].rank > best->rank))
					best = &in[i];
			}
			check(&s, cell, best ? best->name : NULL, best ? best->start : 0);
		}
		assert_true(spans__len(&s) <= 2 * RANGES);
		spans__done(&s);
	}
}

static void test_spans__name_has_a_bound(void **state)
{
	struct spans s;
	u32 off;

	(void)state;
	assert_int_equal(spans__init(&s), 0);
	assert_int_equal(spans__name(&s, "", 256UL << 20, &off), -E2BIG);
	assert_int_equal(spans__name(&s, "", SIZE_MAX, &off), -E2BIG);
	assert_int_equal(spans__name(&s, "abc", 2, &off), 0);
	assert_string_equal(spans__name_at(&s, off), "ab");
	spans__done(&s);
}

static void test_spans__build_survives_every_failed_allocation(void **state)
{
	struct span ranges[300] = { 0 };
	struct spans s;
	u64 nth, i;
	int r;

	(void)state;
	for (i = 0; i < ARRAY_LEN(ranges); i++)
		ranges[i] = (struct span){ .start = i, .end = 1000 - i, .rank = i };
	for (nth = 1;; nth++) {
		mem_fail_nth(nth);
		r = spans__init(&s);
		if (!r)
			r = spans__build(&s, ranges, ARRAY_LEN(ranges));
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
		spans__done(&s);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 4);
	spans__done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spans__find_is_right_at_the_edges),
		cmocka_unit_test(test_spans__build_lets_the_higher_rank_win),
		cmocka_unit_test(test_spans__build_shows_what_a_shorter_one_leaves),
		cmocka_unit_test(test_spans__build_leaves_out_empty_ranges),
		cmocka_unit_test(test_spans__build_cuts_overlong_spans),
		cmocka_unit_test(test_spans__build_agrees_with_painting_cell_by_cell),
		cmocka_unit_test(test_spans__name_has_a_bound),
		cmocka_unit_test(test_spans__build_survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("spans", tests, NULL, NULL);
}
