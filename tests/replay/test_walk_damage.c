/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walker of bpf/unwind.bpf.c on this machine where something is wrong: memory that cannot be
 * read, damaged tables and stacks, no table. It ends, within its turns, and says why.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/hash.h"
#include "lib/walk_world.h"

static void expect_prefix(const struct cs_stack *part, const struct cs_stack *whole)
{
	assert_in_range(part->len, 0, whole->len);
	assert_memory_equal(part->pc, whole->pc, 8UL * part->len);
}

/* Every read once: the walk ends there and says so, and what it has is right. */
static void check_faults(struct walk_world *world, const char *what, bool sleeping)
{
	struct cs_stack whole, st;
	u64 reads, nth;
	u32 faults = 0;

	walk_world__init(world, what);
	/* for a sleeping thread, less of unreadable memory is requested again */
	world->fail_cnt = sleeping ? 2 : 1;
	walk_world__record(world, &whole);
	world->live = sleeping; /* it reads more at once */
	walk_world__walk(world, sleeping, &st);
	world->live = false;
	reads = world->reads;
	assert_in_range(reads, 1, 1000);
	for (nth = 1; nth <= reads; nth++) {
		world->fail_at = nth;
		walk_world__walk(world, sleeping, &st);
		world->fail_at = 0;
		expect_prefix(&st, &whole);
		if (st.len == whole.len && st.end == whole.end)
			continue; /* less was enough */
		assert_int_equal(st.end, CS_END_FAULT);
		assert_true(st.len >= 1);
		faults++;
	}
	assert_in_range(faults, 1, reads);
	walk_world__done(world);
}

static void test_walk_step_ends_with_a_fault_at_any_read(void **state)
{
	static const char *const cases[] = { "recursion", "signal", "altstack", "context" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(cases); i++) {
		check_faults(*state, cases[i], false);
		check_faults(*state, cases[i], true);
	}
}

/* What is damaged, as it was. */
struct backup {
	u8 *table;
	struct cs_unwind_rule *dictionary;
	u8 *memory;
	u64 regs[TRACED_REGS];
	u32 index[WORLD_MODULES_MAX];
	size_t memory_sz;
};

static void back_up(const struct walk_world *world, struct backup *b)
{
	u32 i;

	b->memory_sz = world->memory.len * WORLD_PAGE_SZ;
	b->table = malloc(CS_SEGMENT_SZ);
	b->dictionary = malloc(CS_RULES_MAX * sizeof(*b->dictionary));
	b->memory = malloc(b->memory_sz);
	memcpy(b->table, world->segment[0], CS_SEGMENT_SZ);
	memcpy(b->dictionary, world->dictionary, CS_RULES_MAX * sizeof(*b->dictionary));
	memcpy(b->memory, world->memory.data, b->memory_sz);
	memcpy(b->regs, world->regs, sizeof(b->regs));
	for (i = 0; i < world->modules_len; i++)
		b->index[i] = world->modules[i].place.index;
}

static void restore(struct walk_world *world, const struct backup *b)
{
	u32 i;

	memcpy(world->segment[0], b->table, CS_SEGMENT_SZ);
	memcpy(world->dictionary, b->dictionary, CS_RULES_MAX * sizeof(*b->dictionary));
	memcpy(world->memory.data, b->memory, b->memory_sz);
	memcpy(world->regs, b->regs, sizeof(b->regs));
	for (i = 0; i < world->modules_len; i++)
		world->modules[i].place.index = b->index[i];
}

/* A few bytes somewhere become others. */
static void damage(void *mem, u64 sz, u64 random)
{
	u8 *bytes = mem;
	u32 i;

	for (i = 0; i < 1 + random % 8; i++)
		bytes[hash_u64(random + i) % sz] = (u8)(hash_u64(random - i) >> 7);
}

/* Rows of a page that begin at the end of a segment: what they say of more is beyond it. */
static void damage_page(struct walk_world *world, u64 random)
{
	const struct place *place = &world->modules[1 + random % (world->modules_len - 1)].place;
	struct cs_unwind_page page = {
		.rows = (u32)(CS_SEGMENT_SZ - 4 - (random >> 8) % 64 * 4),
		.len = 4096,
	};
	u64 at = place->index;

	if (place->pages)
		at += sizeof(page) * ((random >> 16) % place->pages);
	memcpy(world->segment[0] + (at & (CS_SEGMENT_SZ - sizeof(page))), &page, sizeof(page));
}

static void damage_something(struct walk_world *world, u64 random, const struct backup *b)
{
	u64 used = world->space.used < CS_SEGMENT_SZ ? world->space.used : CS_SEGMENT_SZ;

	switch (random % 6) {
	case 0:
		damage(world->segment[0], used, random >> 3);
		break;
	case 1:
		damage(world->dictionary, world->rules.len * sizeof(*world->dictionary),
		       random >> 3);
		break;
	case 2:
		damage(world->memory.data, b->memory_sz, random >> 3);
		break;
	case 3:
		world->modules[1 + random / 8 % (world->modules_len - 1)].place.index =
			(u32)(random >> 20);
		break;
	case 4:
		damage_page(world, random >> 3);
		break;
	default:
		damage(world->regs, sizeof(world->regs), random >> 3);
	}
}

/* Whatever tables and stack hold: it ends, within its turns, and nothing is read out of bounds. */
static void test_walk_step_survives_damage(void **state)
{
	struct walk_world *world = *state;
	struct cs_stack st;
	u32 ends[CS_END_CNT] = { 0 };
	struct backup b;
	u64 n;

	walk_world__init(world, "signal");
	walk_world__record(world, &st);
	back_up(world, &b);
	for (n = 0; n < 30000; n++) {
		if (n % 40 == 0)
			restore(world, &b);
		damage_something(world, hash_u64(n), &b);
		assert_in_range(walk_world__walk(world, n % 2, &st), 0, WORLD_TURNS - 1);
		ends[st.end]++;
	}
	restore(world, &b);
	print_message("# ends:");
	for (n = 0; n < CS_END_CNT; n++)
		print_message(" %u", ends[n]);
	print_message("\n");
	/* nearly all ways to end that a rule can have were met */
	assert_true(ends[CS_END_ROOT] && ends[CS_END_FAULT] && ends[CS_END_NO_MAPPING]);
	assert_true(ends[CS_END_UNSUPPORTED] && ends[CS_END_NO_CFI]);
	free(b.table);
	free(b.dictionary);
	free(b.memory);
}

static void test_walk_step_without_a_table_says_so(void **state)
{
	struct walk_world *world = *state;
	struct cs_stack st;
	u32 i;

	walk_world__init(world, "recursion");
	for (i = 1; i < world->modules_len; i++)
		world->modules[i].state = CS_MODULE_WANTED;
	walk_world__record(world, &st);
	assert_int_equal(st.end, CS_END_NO_TABLE);
	assert_int_equal(st.len, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, walk_world_set_up, walk_world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_walk_step_ends_with_a_fault_at_any_read),
		TEST(test_walk_step_survives_damage),
		TEST(test_walk_step_without_a_table_says_so),
	};

	return cmocka_run_group_tests_name("walk_damage", tests, NULL, NULL);
}
