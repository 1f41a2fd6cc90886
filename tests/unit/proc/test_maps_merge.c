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
#include "proc/maps.h"

static void parse(struct maps *m, const char *text)
{
	assert_int_equal(maps__parse(m, view__of_str(text), NULL), 0);
}

/* Merges two texts and compares what comes out, as "start-end off ino path" lines. */
static void check(const char *old, const char *newer, const char *want)
{
	struct maps into, over;
	char got[1024] = "";
	size_t i, len = 0;

	parse(&into, old);
	parse(&over, newer);
	assert_int_equal(maps__merge(&into, &over), 0);
	maps__done(&over);
	for (i = 0; i < into.len; i++) {
		const struct map_range *r = &into.ranges[i];

		len += (size_t)snprintf(got + len, sizeof(got) - len, "%llx-%llx %llx %llu %s\n",
					r->start, r->end, r->off, r->ino, r->path);
	}
	assert_string_equal(got, want);
	maps__done(&into);
}

static void test_maps__merge_into_nothing_is_a_copy(void **state)
{
	struct maps from, copy;

	(void)state;
	parse(&from, "1000-3000 r-xp 00001000 fe:00 5 /a (deleted)\n");
	assert_int_equal(maps__copy(&copy, &from), 0);
	maps__done(&from);
	assert_int_equal(copy.len, 1);
	assert_string_equal(copy.ranges[0].path, "/a");
	assert_true(copy.ranges[0].deleted);
	assert_true(copy.ranges[0].exec);
	assert_true(copy.ranges[0].dev != 0);
	maps__done(&copy);
}

static void test_maps__merge_keeps_what_is_gone(void **state)
{
	(void)state;
	check("1000-2000 r-xp 0 00:00 1 /a\n", "5000-6000 r-xp 0 00:00 2 /b\n",
	      "1000-2000 0 1 /a\n5000-6000 0 2 /b\n");
	check("5000-6000 r-xp 0 00:00 1 /a\n", "1000-2000 r-xp 0 00:00 2 /b\n",
	      "1000-2000 0 2 /b\n5000-6000 0 1 /a\n");
}

static void test_maps__merge_splits_and_moves_the_offset(void **state)
{
	(void)state;
	check("1000-9000 r-xp 10000 00:00 1 /a\n", "3000-4000 r-xp 00000 00:00 2 /b\n",
	      "1000-3000 10000 1 /a\n3000-4000 0 2 /b\n4000-9000 13000 1 /a\n");
}

static void test_maps__merge_gives_anonymous_memory_no_offset(void **state)
{
	(void)state;
	check("1000-4000 rwxp 00000000 00:00 0 \n", "2000-3000 r-xp 00000000 00:00 2 /b\n",
	      "1000-2000 0 0 \n2000-3000 0 2 /b\n3000-4000 0 0 \n");
}

static void test_maps__merge_covers_several_at_once(void **state)
{
	(void)state;
	check("1000-2000 r-xp 0 00:00 1 /a\n3000-4000 r-xp 0 00:00 2 /b\n"
	      "5000-7000 r-xp 0 00:00 3 /c\n",
	      "1800-6000 r-xp 0 00:00 9 /n\n",
	      "1000-1800 0 1 /a\n1800-6000 0 9 /n\n6000-7000 1000 3 /c\n");
}

static void test_maps__merge_replaces_the_same_range(void **state)
{
	(void)state;
	check("1000-2000 r-xp 0 00:00 1 /a\n", "1000-2000 r-xp 0 00:00 2 /b\n",
	      "1000-2000 0 2 /b\n");
}

#define CELLS 64

/* A random list of ranges over CELLS cells; owner[i] is the inode at cell i, 0 for none. */
static void random_maps(struct maps *m, u32 *seed, u64 first_ino, u64 *owner)
{
	char text[8192] = "";
	size_t len = 0;
	u32 at = 0;

	memset(owner, 0, CELLS * sizeof(*owner));
	while (at < CELLS) {
		u32 gap = rand_r(seed) % 6, n = 1 + rand_r(seed) % 8, i;

		if (at + gap + n > CELLS)
			break;
		at += gap;
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"%x-%x r-xp %x 00:01 %llu /f%llu\n", at, at + n,
					at + (u32)first_ino, first_ino, first_ino);
		for (i = at; i < at + n; i++)
			owner[i] = first_ino;
		at += n;
		first_ino++;
	}
	parse(m, text);
}

static void test_maps__merge_agrees_with_painting_cell_by_cell(void **state)
{
	u64 old[CELLS], newer[CELLS];
	struct maps into, over;
	u32 seed = 1, round, i;

	(void)state;
	for (round = 0; round < 2000; round++) {
		random_maps(&into, &seed, 100, old);
		random_maps(&over, &seed, 200, newer);
		assert_int_equal(maps__merge(&into, &over), 0);
		for (i = 0; i < CELLS; i++) {
			const struct map_range *r = maps__find(&into, i);
			u64 want = newer[i] ? newer[i] : old[i];
			char path[16];

			assert_true((r ? r->ino : 0) == want);
			if (!r)
				continue;
			/* each file's offset at cell x is x + its inode */
			snprintf(path, sizeof(path), "/f%llu", want);
			assert_string_equal(r->path, path);
			assert_true((r->off + (i - r->start) - i) / 100 == want / 100);
		}
		maps__done(&into);
		maps__done(&over);
	}
}

static void test_maps__merge_leaves_the_old_one_when_memory_is_short(void **state)
{
	struct maps into, over;
	u64 nth;
	int r;

	(void)state;
	parse(&over, "1800-2800 r-xp 0 00:00 2 /b\n");
	parse(&into, "1000-3000 r-xp 0 00:00 1 /a\n");
	for (nth = 1;; nth++) {
		mem_fail_nth(nth);
		r = maps__merge(&into, &over);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
		assert_int_equal(into.len, 1);
		assert_string_equal(into.ranges[0].path, "/a");
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_int_equal(into.len, 3);
	assert_true(nth > 2);
	maps__done(&into);
	maps__done(&over);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps__merge_into_nothing_is_a_copy),
		cmocka_unit_test(test_maps__merge_keeps_what_is_gone),
		cmocka_unit_test(test_maps__merge_splits_and_moves_the_offset),
		cmocka_unit_test(test_maps__merge_gives_anonymous_memory_no_offset),
		cmocka_unit_test(test_maps__merge_covers_several_at_once),
		cmocka_unit_test(test_maps__merge_replaces_the_same_range),
		cmocka_unit_test(test_maps__merge_agrees_with_painting_cell_by_cell),
		cmocka_unit_test(test_maps__merge_leaves_the_old_one_when_memory_is_short),
	};

	return cmocka_run_group_tests_name("maps_merge", tests, NULL, NULL);
}
