/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of goroutines, walked by frame pointers in bytes that were copied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "async/go/go_stack.h"
#include "elf/gopclntab.h"

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

/*
 * A table of functions of Go 1.20, each of 0x100 bytes: runtime.goexit, of no frame, then main.a
 * and main.b, whose frames have 0x10 and 0x28 bytes behind their first 4 bytes of code.
 */
#define TEXT 0x401000
#define BIAS 0x7000000
#define GOEXIT (TEXT + BIAS + 1)
#define MAIN_A (TEXT + BIAS + 0x100)
#define MAIN_B (TEXT + BIAS + 0x200)

struct functions {
	u8 bytes[512];
	u32 len;
};

static void put(struct functions *t, u64 value, u32 sz)
{
	while (sz--) {
		t->bytes[t->len++] = (u8)value;
		value >>= 8;
	}
}

/* A record: its start, its name, its program, and what is not needed. */
static void put_func(struct functions *t, u32 start, u32 name, u32 program)
{
	put(t, start, 4);
	put(t, name, 4);
	put(t, 0, 8);
	put(t, program, 4);
	put(t, 0, 24);
}

static struct gopclntab *open_table(struct functions *t)
{
	static const char names[] = "runtime.goexit\0main.a\0main.b";
	static const u8 programs[] = {
		0, 2, 0xff, 1, 0, 2, 4, 32, 0xfc, 1, 0, 2, 4, 80, 0xfc, 1, 0
	};
	static const u32 name_at[] = { 0, 15, 22 }, program_at[] = { 1, 5, 11 };
	const u32 names_off = 72, programs_off = 104, funcs_off = 128;
	struct gopclntab *ret = NULL;

	*t = (struct functions){ 0 };
	put(t, 0xfffffff1, 4);
	put(t, 0x08010000, 4);
	put(t, 3, 8);
	put(t, 0, 8);
	put(t, TEXT, 8);
	put(t, names_off, 8);
	put(t, names_off, 8);
	put(t, names_off, 8);
	put(t, programs_off, 8);
	put(t, funcs_off, 8);
	memcpy(t->bytes + names_off, names, sizeof(names));
	memcpy(t->bytes + programs_off, programs, sizeof(programs));
	t->len = funcs_off;
	for (u32 i = 0; i < 3; i++) {
		put(t, i * 0x100, 4);
		put(t, 28 + i * 44, 4);
	}
	put(t, 0x300, 4);
	for (u32 i = 0; i < 3; i++)
		put_func(t, i * 0x100, name_at[i], program_at[i]);
	assert_int_equal(gopclntab__open_mem(view__of(t->bytes, t->len), 0x500000, 0, &ret, NULL),
			 0);
	return ret;
}

/* Walks from a return address, with the table of these functions. */
static bool walk_sizes(const struct stack *s, u64 pc, u32 limit, struct host_stack *got)
{
	struct functions t;
	struct gopclntab *functions = open_table(&t);
	bool walked = go_stack__walk_sizes(&s->bytes, functions, BIAS,
					   (struct go_leaf){ pc, false }, limit, got);

	gopclntab__free(functions);
	return walked;
}

/* main.b, called by main.a, which began the goroutine. */
static void put_call(struct stack *s)
{
	stack__init(s);
	s->words[5] = MAIN_A + 0x20;
	s->words[8] = GOEXIT;
}

static void check_call(const struct host_stack *got)
{
	assert_int_equal(got->end, CS_END_ROOT);
	assert_int_equal(got->len, 3);
	assert_int_equal(got->frame[0].ip, MAIN_B + 0x10);
	assert_int_equal(got->frame[1].ip, MAIN_A + 0x20);
	assert_int_equal(got->frame[2].ip, GOEXIT);
}

static void test_walk_sizes__goes_to_the_root(void **state)
{
	struct host_stack got;
	struct stack s;

	(void)state;
	put_call(&s);
	assert_true(walk_sizes(&s, MAIN_B + 0x10, CS_STACK_MAX, &got));
	check_call(&got);
	/* before its frame is made, the return address is where the stack begins */
	s.words[0] = MAIN_A + 0x20;
	s.words[3] = GOEXIT;
	assert_true(walk_sizes(&s, MAIN_B + 4, CS_STACK_MAX, &got));
	assert_int_equal(got.end, CS_END_ROOT);
	assert_int_equal(got.len, 3);
}

static void test_walk_sizes__stops_at_the_limit(void **state)
{
	struct host_stack got;
	struct stack s;

	(void)state;
	put_call(&s);
	assert_true(walk_sizes(&s, MAIN_B + 0x10, 2, &got));
	assert_int_equal(got.end, CS_END_DEPTH);
	assert_int_equal(got.len, 2);
}

static void check_leaf(const struct stack *s, u64 pc)
{
	struct host_stack got;

	assert_true(walk_sizes(s, pc, CS_STACK_MAX, &got));
	assert_int_equal(got.end, CS_END_REGISTER);
	assert_int_equal(got.len, 1);
	assert_int_equal(got.frame[0].ip, pc);
}

/* A return address into no function, and a stack that ends before one. */
static void test_walk_sizes__that_leads_nowhere_has_the_leaf(void **state)
{
	struct stack s;

	(void)state;
	put_call(&s);
	check_leaf(&s, TEXT + 0x10);
	s.words[8] = 0x1234;
	check_leaf(&s, MAIN_B + 0x10);
	put_call(&s);
	s.bytes.hi = SP + 8 * 8;
	check_leaf(&s, MAIN_B + 0x10);
}

static void test_walk_sizes__tells_what_was_not_copied(void **state)
{
	struct host_stack got;
	struct stack s;

	(void)state;
	put_call(&s);
	s.bytes.sz = 8 * 8;
	assert_false(walk_sizes(&s, MAIN_B + 0x10, CS_STACK_MAX, &got));
	assert_int_equal(got.end, CS_END_FAULT);
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
		cmocka_unit_test(test_walk_sizes__goes_to_the_root),
		cmocka_unit_test(test_walk_sizes__stops_at_the_limit),
		cmocka_unit_test(test_walk_sizes__that_leads_nowhere_has_the_leaf),
		cmocka_unit_test(test_walk_sizes__tells_what_was_not_copied),
	};

	return cmocka_run_group_tests_name("go_stack", tests, NULL, NULL);
}
