/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of goroutines, walked by frame pointers in bytes that were copied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "async/go_stack.h"

#define SP 0xc000010000ULL
#define WORDS 64

struct stack {
	u64 words[WORDS];
	struct go_stack_bytes bytes;
};

static void stack__init(struct stack *s)
{
	memset(s, 0, sizeof(*s));
	s->bytes = (struct go_stack_bytes){ .sp = SP,
					    .hi = SP + sizeof(s->words),
					    .sz = sizeof(s->words),
					    .bytes = (const u8 *)s->words };
}

/* A frame at a word: where its caller's is, or 0, and the return address. */
static void frame(struct stack *s, u32 at, u32 caller, u64 ip)
{
	s->words[at] = caller ? SP + caller * 8ULL : 0;
	s->words[at + 1] = ip;
}

static void test_walk__follows_frame_pointers_to_the_root(void **state)
{
	struct host_stack got;
	struct stack s;

	(void)state;
	stack__init(&s);
	frame(&s, 2, 10, 0x402000);
	frame(&s, 10, 30, 0x403000);
	frame(&s, 30, 0, 0x404000);
	assert_true(go_stack__walk(&s.bytes, 0x401000, SP + 16, CS_STACK_MAX, &got));
	assert_int_equal(got.end, CS_END_ROOT);
	assert_int_equal(got.len, 4);
	for (u32 i = 0; i < 4; i++)
		assert_int_equal(got.frame[i].ip, 0x401000 + i * 0x1000);
	assert_false(got.frame[0].exact);
}

static void test_walk__without_a_frame_pointer_has_the_leaf(void **state)
{
	struct host_stack got;
	struct stack s;

	(void)state;
	stack__init(&s);
	assert_true(go_stack__walk(&s.bytes, 0x401000, 0, CS_STACK_MAX, &got));
	assert_int_equal(got.len, 1);
}

/* What leads back would never end. */
static void test_walk__ends_at_a_frame_that_is_not_further_out(void **state)
{
	struct host_stack got;
	struct stack s;

	(void)state;
	stack__init(&s);
	frame(&s, 10, 4, 0x402000);
	frame(&s, 4, 10, 0x403000);
	assert_true(go_stack__walk(&s.bytes, 0x401000, SP + 80, CS_STACK_MAX, &got));
	assert_int_equal(got.end, CS_END_FP);
	assert_int_equal(got.len, 2);
}

static void test_walk__stops_at_the_limit(void **state)
{
	struct host_stack got;
	struct stack s;

	(void)state;
	stack__init(&s);
	for (u32 i = 2; i < 40; i += 2)
		frame(&s, i, i + 2, 0x402000 + i);
	assert_true(go_stack__walk(&s.bytes, 0x401000, SP + 16, 5, &got));
	assert_int_equal(got.end, CS_END_DEPTH);
	assert_int_equal(got.len, 5);
}

/* A frame beyond the bytes, on the stack: more must be read. Beyond the stack it is no frame. */
static void test_walk__tells_what_was_not_copied_from_what_is_no_frame(void **state)
{
	struct host_stack got;
	struct stack s;

	(void)state;
	stack__init(&s);
	frame(&s, 2, WORDS + 4, 0x402000);
	s.bytes.hi = SP + 4096;
	assert_false(go_stack__walk(&s.bytes, 0x401000, SP + 16, CS_STACK_MAX, &got));
	s.bytes.hi = SP + sizeof(s.words);
	assert_true(go_stack__walk(&s.bytes, 0x401000, SP + 16, CS_STACK_MAX, &got));
	assert_int_equal(got.end, CS_END_FP);
	assert_int_equal(got.len, 2);
}

static void test_walk__refuses_an_odd_address(void **state)
{
	struct host_stack got;
	struct stack s;

	(void)state;
	stack__init(&s);
	s.words[2] = SP + 81;
	s.words[3] = 0x402000;
	frame(&s, 10, 0, 0x403000);
	go_stack__walk(&s.bytes, 0x401000, SP + 16, CS_STACK_MAX, &got);
	assert_int_equal(got.end, CS_END_FP);
	assert_int_equal(got.len, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk__follows_frame_pointers_to_the_root),
		cmocka_unit_test(test_walk__without_a_frame_pointer_has_the_leaf),
		cmocka_unit_test(test_walk__ends_at_a_frame_that_is_not_further_out),
		cmocka_unit_test(test_walk__stops_at_the_limit),
		cmocka_unit_test(test_walk__tells_what_was_not_copied_from_what_is_no_frame),
		cmocka_unit_test(test_walk__refuses_an_odd_address),
	};

	return cmocka_run_group_tests_name("go_stack", tests, NULL, NULL);
}
