/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walker of bpf/unwind.bpf.c on this machine, over stacks of a stopped child, with its tables
 * whole: both ways to walk give the stack that libdwfl unwinds of the same child.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/hash.h"
#include "lib/walk_world.h"

#define FRAMES_MAX 1000

static void print_stacks(struct walk_world *world, const struct cs_stack *st)
{
	u64 pcs[FRAMES_MAX];
	bool whole;
	size_t len = traced__unwind(&world->child, pcs, FRAMES_MAX, &whole), i;

	print_error("end %d after %d frames\n", st->end, st->len);
	for (i = 0; i < st->len || i < len; i++)
		print_error("%3zu %16llx %16llx\n", i,
			    i < st->len ? walk_world__address(world, st->pc[i]) : 0,
			    i < len ? pcs[i] : 0);
}

/* Is the walk that of libdwfl, frame for frame? */
static bool equals_libdwfl(struct walk_world *world, const struct cs_stack *st)
{
	u64 pcs[FRAMES_MAX];
	bool whole;
	size_t len = traced__unwind(&world->child, pcs, FRAMES_MAX, &whole), i;

	for (i = 0; i < st->len && i < len; i++)
		if (walk_world__address(world, st->pc[i]) != pcs[i])
			return false;
	return i == st->len && (i == len || st->end == CS_END_DEPTH);
}

/* Both ways to walk, and what libdwfl says. */
static void check_case(struct walk_world *world, const char *what, u32 frames_min, u32 end)
{
	struct cs_stack first, again;

	walk_world__init(world, what);
	walk_world__record(world, &first);
	if (!equals_libdwfl(world, &first)) {
		print_stacks(world, &first);
		fail_msg("%s: not as libdwfl", what);
	}
	assert_int_equal(first.end, end);
	assert_in_range(first.len, frames_min, CS_STACK_MAX);
	walk_world__walk(world, false, &again);
	assert_memory_equal(&first, &again, 8 + 8UL * first.len);
	world->live = true;
	assert_in_range(walk_world__walk(world, true, &again), 1, WORLD_TURNS - 1);
	assert_int_equal(again.end, end);
	assert_memory_equal(&first, &again, 8 + 8UL * first.len);
	walk_world__done(world);
}

static void test_walk_step_follows_recursion(void **state)
{
	check_case(*state, "recursion", 45, CS_END_ROOT);
}

static void test_walk_step_ends_at_the_limit(void **state)
{
	check_case(*state, "deep", CS_STACK_MAX, CS_END_DEPTH);
}

static void test_walk_step_follows_callbacks_of_the_c_library(void **state)
{
	check_case(*state, "callback", 12, CS_END_ROOT);
}

static void test_walk_step_follows_frames_of_signals(void **state)
{
	check_case(*state, "signal", 20, CS_END_ROOT);
	check_case(*state, "altstack", 20, CS_END_ROOT);
}

static void test_walk_step_ends_at_the_bottom_of_a_context(void **state)
{
	check_case(*state, "context", 10, CS_END_ROOT);
	check_case(*state, "linked", 10, CS_END_ROOT);
}

static void test_walk_step_follows_vfork(void **state)
{
	check_case(*state, "vfork", 7, CS_END_ROOT);
}

static void test_walk_step_ends_at_the_start_of_a_thread(void **state)
{
	check_case(*state, "thread", 12, CS_END_ROOT);
}

/* The caller of a function that does not return may end with the call. */
static void test_walk_step_asks_for_the_call_not_for_what_follows(void **state)
{
	check_case(*state, "last-call", 10, CS_END_ROOT);
}

/* Where nothing but rbp could lead on, 0 in it is no root: only a known function is one. */
static void test_walk_step_takes_no_zero_for_a_root(void **state)
{
	struct walk_world *world = *state;
	struct cs_stack st;

	walk_world__init(world, "without-fp");
	walk_world__record(world, &st);
	for (u32 i = 0; i < st.len; i++)
		print_message("%u %llx\n", i, st.pc[i]);
	assert_int_equal(st.end, CS_END_NO_CFI);
	/* raise() has one to three frames; then stop(), stop_below(), without_fp() */
	assert_in_range(st.len, 4, 6);
}

static u32 exact_cnt(const struct cs_stack *st)
{
	u32 i, cnt = 0;

	for (i = 0; i < st->len; i++)
		cnt += st->pc[i] & CS_PC_MODULE && st->pc[i] & CS_PC_EXACT;
	return cnt;
}

/* What a signal interrupted did not call: its address is exact, as the top frame's is. */
static void test_walk_step_marks_what_a_signal_interrupted(void **state)
{
	struct walk_world *world = *state;
	struct cs_stack st;

	walk_world__init(world, "recursion");
	walk_world__record(world, &st);
	assert_int_equal(exact_cnt(&st), 1);
	walk_world__done(world);
	walk_world__init(world, "signal");
	walk_world__record(world, &st);
	assert_int_equal(st.end, CS_END_ROOT);
	assert_true(st.pc[0] & CS_PC_EXACT);
	assert_int_equal(exact_cnt(&st), 3); /* two signals, one within the other */
}

static bool in_vdso(const struct walk_world *world, u64 addr)
{
	const struct map_range *range = maps__find(&world->maps, addr);

	return range && map_range__is_vdso(range);
}

/*
 * Each one once, for the vDSO reads again when the clock ticked meanwhile: at each turn of a loop
 * that is slow enough.
 */
static void test_walk_step_follows_every_instruction_of_the_vdso(void **state)
{
	struct walk_world *world = *state;
	struct cs_stack st;
	struct map64 seen;
	u32 i;
	u64 any;

	walk_world__init(world, "clock");
	map64__init(&seen);
	for (i = 0; i < 20000 && traced__step(&world->child); i++) {
		assert_true(traced__regs(&world->child, world->regs));
		if (!in_vdso(world, world->regs[16])) {
			if (seen.len)
				break;
			continue;
		}
		if (map64__get(&seen, world->regs[16], &any))
			continue;
		map64__set(&seen, world->regs[16], 1);
		walk_world__record(world, &st);
		if (!equals_libdwfl(world, &st) || st.end != CS_END_ROOT)
			fail_msg("not as libdwfl at %#llx", world->regs[16]);
	}
	assert_in_range(seen.len, 5, 2000);
	assert_true(i < 20000);
	map64__done(&seen);
}

/*
 * libdwfl takes rbx for lost below the top, and so ends below the code of ld.so that binds a
 * function. What it has must be right all the same, and we must have come home.
 */
static bool begins_as_libdwfl(struct walk_world *world, const struct cs_stack *st,
			      const struct cs_stack *home)
{
	u64 pcs[FRAMES_MAX];
	bool whole;
	size_t len = traced__unwind(&world->child, pcs, FRAMES_MAX, &whole), i;

	if (st->len < 4 || len > st->len)
		return false;
	for (i = 0; i < len; i++)
		if (walk_world__address(world, st->pc[i]) != pcs[i])
			return false;
	/* main() and what is below it */
	for (i = 1; i <= 4; i++)
		if (st->pc[st->len - i] != home->pc[home->len - i])
			return false;
	return len > 0;
}

/* All frames but the first. */
static bool ends_as_libdwfl(struct walk_world *world, const struct cs_stack *st)
{
	u64 pcs[FRAMES_MAX];
	bool whole;
	size_t len = traced__unwind(&world->child, pcs, FRAMES_MAX, &whole), i;

	for (i = 0; i < len && i + 1 < st->len; i++)
		if (walk_world__address(world, st->pc[i + 1]) != pcs[i])
			return false;
	return len > 0 && len == st->len - 1U;
}

/*
 * gcc leaves the rule of rbp as it was in the last two instructions of a function that aligned its
 * stack, "lea -8(%r10), %rsp; ret", where rbp is the caller's already. Tables correct it for the
 * second one; libdwfl skips frames at both.
 */
static bool in_wrong_epilogue(const struct walk_world *world, u64 ip)
{
	static const u8 code[] = { 0x49, 0x8d, 0x62, 0xf8, 0xc3 };
	u8 here[sizeof(code)], before[sizeof(code)];

	return (!traced__read(&world->child, here, sizeof(here), ip) &&
		memcmp(here, code, sizeof(code)) == 0) ||
	       (!traced__read(&world->child, before, sizeof(before), ip - 4) &&
		memcmp(before, code, sizeof(code)) == 0);
}

/*
 * Prologues, epilogues, lazy binding, signals coming and going. Each instruction of the first ones,
 * then now and then.
 */
static void test_walk_step_follows_every_instruction(void **state)
{
	struct walk_world *world = *state;
	struct cs_stack st, home;
	u32 compared = 0, equal = 0, further = 0, i;

	walk_world__init(world, "steps");
	walk_world__record(world, &home);
	for (i = 0; i < 20000 && traced__step(&world->child); i++) {
		if (i > 1500 && hash_u64(i) % 8)
			continue;
		walk_world__record(world, &st);
		if (in_wrong_epilogue(world, world->regs[16]))
			continue;
		compared++;
		if (st.end != CS_END_ROOT)
			fail_msg("end %d at %#llx", st.end, world->regs[16]);
		if (equals_libdwfl(world, &st))
			equal++;
		else if (begins_as_libdwfl(world, &st, &home))
			further++;
		else
			fail_msg("not as libdwfl at %#llx", world->regs[16]);
	}
	print_message("# %u compared, %u equal, %u where libdwfl ends early\n", compared, equal,
		      further);
	assert_in_range(compared, 2000, 20000);
	assert_in_range(equal, 500, compared);
}

static void test_walk_step_is_right_at_the_return_of_an_aligned_function(void **state)
{
	struct walk_world *world = *state;
	struct cs_stack st;
	u32 met = 0, i;

	walk_world__init(world, "steps");
	for (i = 0; i < 20000 && met < 20 && traced__step(&world->child); i++) {
		static const u8 ret = 0xc3;
		u8 here;

		assert_true(traced__regs(&world->child, world->regs));
		if (traced__read(&world->child, &here, 1, world->regs[16]) || here != ret ||
		    !in_wrong_epilogue(world, world->regs[16]))
			continue;
		walk_world__record(world, &st);
		/* after the return libdwfl is right again: the same except the first frame */
		assert_true(traced__step(&world->child));
		assert_true(traced__regs(&world->child, world->regs));
		if (!ends_as_libdwfl(world, &st))
			fail_msg("not as libdwfl before %#llx", world->regs[16]);
		met++;
	}
	if (!met) {
		print_error("SKIPPED: the compiler aligns stacks in another way\n");
		skip();
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, walk_world_set_up, walk_world_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_walk_step_follows_recursion),
		TEST(test_walk_step_ends_at_the_limit),
		TEST(test_walk_step_follows_callbacks_of_the_c_library),
		TEST(test_walk_step_follows_frames_of_signals),
		TEST(test_walk_step_ends_at_the_bottom_of_a_context),
		TEST(test_walk_step_follows_vfork),
		TEST(test_walk_step_ends_at_the_start_of_a_thread),
		TEST(test_walk_step_asks_for_the_call_not_for_what_follows),
		TEST(test_walk_step_takes_no_zero_for_a_root),
		TEST(test_walk_step_marks_what_a_signal_interrupted),
		TEST(test_walk_step_follows_every_instruction_of_the_vdso),
		TEST(test_walk_step_follows_every_instruction),
		TEST(test_walk_step_is_right_at_the_return_of_an_aligned_function),
	};

	return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
