/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk that `record --proc` makes: over stacks of a stopped child, of which it gets the stack
 * pointer and the instruction only. It gives the stack that libdwfl unwinds with all registers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lib/traced.h"
#include "visit/process.h"

#define FRAMES_MAX 1000
/* DWARF numbers of x86-64 */
#define REG_SP 7
#define REG_IP 16

struct world {
	struct traced child;
	struct code_files files;
	struct process process;
	struct memory_window window;
	struct host_stack stack;
};

static void walk(struct world *w, const char *what)
{
	char program[4096];
	u64 regs[TRACED_REGS];

	snprintf(program, sizeof(program), "%s/tests/replay/stacks", getenv("COLDSPOT_BUILD"));
	if (!traced__start(&w->child, program, what) || !traced__regs(&w->child, regs)) {
		print_error(
			"SKIPPED: no child can be traced, or its registers are not read here\n");
		skip();
	}
	assert_int_equal(code_files__init(&w->files), 0);
	process__init(&w->process, (u32)w->child.pid, &w->files, &w->window);
	assert_int_equal(process__walk(&w->process, regs[REG_IP], regs[REG_SP], CS_STACK_MAX,
				       &w->stack),
			 0);
}

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct world));
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	process__done(&w->process);
	code_files__done(&w->files);
	traced__done(&w->child);
	free(w);
	return 0;
}

static void check_case(struct world *w, const char *what, u32 frames_min, u32 end)
{
	u64 pcs[FRAMES_MAX];
	bool whole;
	size_t len;
	u32 i;

	walk(w, what);
	len = traced__unwind(&w->child, pcs, FRAMES_MAX, &whole);
	for (i = 0; i < w->stack.len && i < len; i++)
		if (w->stack.frame[i].ip != pcs[i])
			fail_msg("%s: frame %u is %llx and not %llx", what, i, w->stack.frame[i].ip,
				 (u64)pcs[i]);
	assert_int_equal(w->stack.end, end);
	assert_int_equal(w->stack.gap, 0);
	assert_true(i == w->stack.len && (i == len || end == CS_END_DEPTH));
	assert_in_range(w->stack.len, frames_min, CS_STACK_MAX);
}

static void test_host_walk_searches_frame_pointers_of_recursion(void **state)
{
	check_case(*state, "recursion", 45, CS_END_ROOT);
}

static void test_host_walk_ends_at_the_limit(void **state)
{
	struct world *w = *state;

	walk(w, "deep");
	/* a stack that is deeper than the limit never gets home, so no guess is believed */
	assert_true(w->stack.end == CS_END_DEPTH || w->stack.end == CS_END_REGISTER);
}

static void test_host_walk_follows_callbacks_of_the_c_library(void **state)
{
	check_case(*state, "callback", 12, CS_END_ROOT);
}

static void test_host_walk_follows_frames_of_signals(void **state)
{
	check_case(*state, "signal", 20, CS_END_ROOT);
}

static void test_host_walk_ends_at_the_start_of_a_thread(void **state)
{
	check_case(*state, "thread", 12, CS_END_ROOT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_host_walk_searches_frame_pointers_of_recursion),
		TEST(test_host_walk_ends_at_the_limit),
		TEST(test_host_walk_follows_callbacks_of_the_c_library),
		TEST(test_host_walk_follows_frames_of_signals),
		TEST(test_host_walk_ends_at_the_start_of_a_thread),
	};

	return cmocka_run_group_tests_name("host_walk", tests, NULL, NULL);
}
