/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "unwind/space.h"

#define SEGMENTS 4

static u8 memory[SEGMENTS][CS_SEGMENT_SZ];
static u32 asked[SEGMENTS];
static bool refuse;

static u8 *segment(void *arg, u32 segno)
{
	assert_ptr_equal(arg, memory);
	assert_in_range(segno, 0, SEGMENTS - 1);
	if (refuse)
		return NULL;
	asked[segno]++;
	return memory[segno];
}

static void init(struct space *s, u64 budget)
{
	memset(asked, 0, sizeof(asked));
	refuse = false;
	assert_int_equal(space__init(s, budget, segment, memory), 0);
}

static u32 get(struct space *s, u32 sz, bool whole)
{
	u32 addr;

	assert_int_equal(space__alloc(s, sz, whole, &addr), 0);
	return addr;
}

static void test_space__alloc_asks_for_a_segment_once_and_late(void **state)
{
	struct space s;

	(void)state;
	init(&s, 2 * CS_SEGMENT_SZ);
	assert_int_equal(asked[0], 0);
	assert_int_equal(get(&s, 64, true), 0);
	assert_int_equal(get(&s, 64, true), 64);
	assert_int_equal(asked[0], 1);
	assert_int_equal(asked[1], 0);
	assert_true(s.used == 128);
	assert_int_equal(get(&s, CS_SEGMENT_SZ, false), 128);
	assert_int_equal(asked[0], 1);
	assert_int_equal(asked[1], 1);
	assert_int_equal(s.segments_made, 2);
	assert_ptr_equal(space__at(&s, 65), memory[0] + 65);
	assert_ptr_equal(space__at(&s, CS_SEGMENT_SZ + 8), memory[1] + 8);
	space__done(&s);
}

static void test_space__alloc_keeps_whole_pieces_in_a_segment(void **state)
{
	struct space s;
	u32 addr;

	(void)state;
	init(&s, 2 * CS_SEGMENT_SZ);
	get(&s, CS_SEGMENT_SZ - 64, true);
	assert_int_equal(get(&s, 128, true), CS_SEGMENT_SZ);
	/* the hole before the edge is still there for what fits */
	assert_int_equal(get(&s, 64, true), CS_SEGMENT_SZ - 64);
	assert_int_equal(space__alloc(&s, CS_SEGMENT_SZ + 8, true, &addr), -EINVAL);
	assert_int_equal(space__alloc(&s, 12, false, &addr), -EINVAL);
	assert_int_equal(space__alloc(&s, 0, false, &addr), -EINVAL);
	space__done(&s);
}

static void test_space__alloc_holds_to_the_budget(void **state)
{
	struct space s;
	u32 addr;

	(void)state;
	init(&s, CS_SEGMENT_SZ + 100);
	get(&s, CS_SEGMENT_SZ, false);
	get(&s, 96, false);
	assert_int_equal(space__alloc(&s, 8, false, &addr), -ENOSPC);
	assert_true(s.used == CS_SEGMENT_SZ + 96);
	space__done(&s);
	init(&s, 0);
	assert_int_equal(space__alloc(&s, 8, false, &addr), -ENOSPC);
	space__done(&s);
}

static void test_space__free_joins_holes(void **state)
{
	struct space s;
	u32 a, b, c;

	(void)state;
	init(&s, CS_SEGMENT_SZ);
	a = get(&s, 64, true);
	b = get(&s, 64, true);
	c = get(&s, 64, true);
	assert_int_equal(space__free(&s, b, 64), 0);
	assert_int_equal(s.holes.len, 2);
	assert_int_equal(space__free(&s, a, 64), 0);
	assert_int_equal(s.holes.len, 2);
	/* first fit: low addresses again */
	assert_int_equal(get(&s, 128, true), a);
	assert_int_equal(space__free(&s, a, 128), 0);
	assert_int_equal(space__free(&s, c, 64), 0);
	assert_int_equal(s.holes.len, 1);
	assert_true(s.used == 0);
	assert_int_equal(get(&s, CS_SEGMENT_SZ, true), 0);
	space__done(&s);
}

static void test_space__alloc_without_a_segment_changes_nothing(void **state)
{
	struct space s;
	u32 addr;

	(void)state;
	init(&s, CS_SEGMENT_SZ);
	refuse = true;
	assert_int_equal(space__alloc(&s, 64, true, &addr), -ENOMEM);
	assert_true(s.used == 0);
	refuse = false;
	assert_int_equal(get(&s, 64, true), 0);
	space__done(&s);
}

static void test_space__init_cuts_the_budget_to_what_addresses_reach(void **state)
{
	struct space s;

	(void)state;
	init(&s, UINT64_MAX);
	assert_true(s.budget == (u64)CS_SEGMENTS_MAX * CS_SEGMENT_SZ);
	assert_int_equal(s.segments_len, CS_SEGMENTS_MAX);
	space__done(&s);
}

/* Pieces of all sizes come and go; none may ever overlap another. */
static void test_space__alloc_never_gives_a_byte_twice(void **state)
{
	struct {
		u32 addr;
		u32 sz;
	} held[64] = { 0 };
	struct space s;
	u64 n;

	(void)state;
	init(&s, 3 * CS_SEGMENT_SZ);
	memset(memory, 0, sizeof(memory));
	for (n = 1; n < 20000; n++) {
		u64 random = hash_u64(n);
		u32 i = random % ARRAY_LEN(held), sz = (u32)(random >> 8 & 0x1fff) * 8 + 8, k;
		bool whole = random >> 40 & 1;

		if (held[i].sz) {
			for (k = 0; k < held[i].sz; k += 8)
				assert_int_equal(*space__at(&s, held[i].addr + k), i + 1);
			for (k = 0; k < held[i].sz; k += 8)
				*space__at(&s, held[i].addr + k) = 0;
			assert_int_equal(space__free(&s, held[i].addr, held[i].sz), 0);
			held[i].sz = 0;
			continue;
		}
		if (space__alloc(&s, sz, whole, &held[i].addr))
			continue;
		held[i].sz = sz;
		for (k = 0; k < sz; k += 8) {
			assert_int_equal(*space__at(&s, held[i].addr + k), 0);
			*space__at(&s, held[i].addr + k) = (u8)(i + 1);
		}
		if (whole)
			assert_int_equal(held[i].addr >> CS_SEGMENT_BITS,
					 (held[i].addr + sz - 1) >> CS_SEGMENT_BITS);
	}
	for (n = 0; n < ARRAY_LEN(held); n++)
		if (held[n].sz)
			space__free(&s, held[n].addr, held[n].sz);
	assert_true(s.used == 0);
	assert_int_equal(s.holes.len, 1);
	space__done(&s);
}

static void test_space__init_returns_no_memory(void **state)
{
	struct space s;
	u64 nth;

	(void)state;
	for (nth = 1; nth <= 2; nth++) {
		mem_fail_nth(nth);
		assert_int_equal(space__init(&s, CS_SEGMENT_SZ, segment, memory), -ENOMEM);
		mem_fail_nth(0);
	}
	space__done(&s);
	space__done(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_space__alloc_asks_for_a_segment_once_and_late),
		cmocka_unit_test(test_space__alloc_keeps_whole_pieces_in_a_segment),
		cmocka_unit_test(test_space__alloc_holds_to_the_budget),
		cmocka_unit_test(test_space__free_joins_holes),
		cmocka_unit_test(test_space__alloc_without_a_segment_changes_nothing),
		cmocka_unit_test(test_space__init_cuts_the_budget_to_what_addresses_reach),
		cmocka_unit_test(test_space__alloc_never_gives_a_byte_twice),
		cmocka_unit_test(test_space__init_returns_no_memory),
	};

	return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
