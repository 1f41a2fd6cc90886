/* SPDX-License-Identifier: Apache-2.0 */
/* Chains of futures in memory of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "async/tokio/tk_awaits.h"
#include "base/mem.h"

#define BIAS 0x10000
#define VTABLE 0x2000
#define SUSPENDED 3

/* A table that is built by hand. */
struct fixture {
	struct future_table table;
	struct task_memory mem;
	struct tk_body body;
	struct tk_awaits a;
	u64 words[64]; /* the futures */
};

static struct fixture *setup(void)
{
	struct fixture *f = mem_alloc(sizeof(*f));

	assert_non_null(f);
	future_table__init(&f->table);
	*(struct future_type *)vec__push(&f->table.types) = (struct future_type){ .name = "" };
	f->mem.tgid = (u32)getpid();
	f->body = (struct tk_body){ .mem = &f->mem,
				    .bias = BIAS,
				    .at = (u64)(uintptr_t)f->words,
				    .bytes = (const u8 *)f->words,
				    .sz = sizeof(f->words) };
	return f;
}

static void teardown(struct fixture *f)
{
	future_table__done(&f->table);
	mem_free(f);
}

static u32 add_type(struct fixture *f, enum future_kind kind, const char *name)
{
	struct future_type *t = vec__push(&f->table.types);

	*t = (struct future_type){ .name = name, .kind = kind, .sz = sizeof(f->words) };
	t->first = (u32)f->table.cases.len;
	t->width = kind == FUTURE_ASYNC || kind == FUTURE_CHOICE;
	return (u32)f->table.types.len - 1;
}

/* Of the type added last. */
static struct future_case *add_case(struct fixture *f, u64 value, u32 at, u32 next)
{
	struct future_type *t = vec__at(&f->table.types, f->table.types.len - 1);
	struct future_case *c = vec__push(&f->table.cases);

	*c = (struct future_case){ .value = value, .file = "shop.rs", .at = at, .next = next };
	c->suspended = value >= SUSPENDED;
	t->len++;
	return c;
}

/* An async function whose state is its first word, and what it awaits `at` bytes behind that. */
static u32 add_async(struct fixture *f, const char *name, u32 at, u32 next)
{
	u32 type = add_type(f, FUTURE_ASYNC, name);

	add_case(f, 0, 0, 0);
	add_case(f, 1, 0, 0);
	add_case(f, SUSPENDED, at, next);
	return type;
}

static const char *name_of(const struct fixture *f, u32 i)
{
	return ((const struct future_type *)vec__at(&f->table.types, f->a.types[i]))->name;
}

static void test_read__follows_futures_in_each_other(void **state)
{
	struct fixture *f = setup();
	u32 leaf = add_type(f, FUTURE_LEAF, "tokio::time::sleep::Sleep");
	u32 inner = add_async(f, "shop::nap", 16, leaf);
	u32 outer = add_async(f, "shop::pay", 32, inner);

	(void)state;
	f->words[0] = SUSPENDED;
	f->words[4] = SUSPENDED;
	tk_awaits__read(&f->a, &f->table, outer, &f->body);
	assert_int_equal(f->a.end, TK_END_LEAF);
	assert_int_equal(f->a.len, 2);
	assert_string_equal(name_of(f, 0), "shop::pay");
	assert_string_equal(name_of(f, 1), "shop::nap");
	assert_string_equal(f->a.leaf, "tokio::time::sleep::Sleep");
	assert_int_equal(f->a.leaf_at, f->body.at + 48);
	assert_false(f->a.far);
	assert_int_equal(f->mem.calls, 0);
	teardown(f);
}

static void test_read__reads_what_it_was_not_given(void **state)
{
	struct fixture *f = setup();
	u32 inner = add_async(f, "shop::nap", 16, 0);
	u32 outer = add_async(f, "shop::pay", 32, inner);

	(void)state;
	f->words[0] = SUSPENDED;
	f->words[4] = SUSPENDED;
	f->body.sz = 32;
	tk_awaits__read(&f->a, &f->table, outer, &f->body);
	assert_int_equal(f->a.end, TK_END_LEAF);
	assert_int_equal(f->a.len, 2);
	assert_string_equal(f->a.leaf, "");
	assert_int_equal(f->mem.calls, 1);
	teardown(f);
}

static void test_read__follows_pointers(void **state)
{
	struct fixture *f = setup();
	u32 inner = add_async(f, "shop::nap", 0, 0);
	u32 pointer = add_type(f, FUTURE_POINTER, "");
	u32 outer;
	u64 far[4] = { 0, 0, SUSPENDED };

	(void)state;
	add_case(f, 0, 16, inner);
	outer = add_async(f, "shop::pay", 8, pointer);
	f->words[0] = SUSPENDED;
	f->words[1] = (u64)(uintptr_t)far;
	tk_awaits__read(&f->a, &f->table, outer, &f->body);
	assert_int_equal(f->a.end, TK_END_LEAF);
	assert_int_equal(f->a.len, 2);
	assert_true(f->a.far);
	f->words[1] = 8;
	tk_awaits__read(&f->a, &f->table, outer, &f->body);
	assert_int_equal(f->a.end, TK_END_BAD);
	teardown(f);
}

static void test_read__knows_a_type_by_its_vtable(void **state)
{
	struct fixture *f = setup();
	u32 inner = add_async(f, "shop::nap", 0, 0);
	u32 dyn = add_type(f, FUTURE_DYN, "dyn Future");
	u32 outer = add_async(f, "shop::pay", 8, dyn);
	u64 far[1] = { SUSPENDED };

	(void)state;
	assert_int_equal(map64__set(&f->table.vtables, VTABLE, inner), 0);
	f->words[0] = SUSPENDED;
	f->words[1] = (u64)(uintptr_t)far;
	f->words[2] = VTABLE + BIAS;
	tk_awaits__read(&f->a, &f->table, outer, &f->body);
	assert_int_equal(f->a.len, 2);
	assert_string_equal(name_of(f, 1), "shop::nap");
	/* another one: the chain ends with what is known */
	f->words[2] = VTABLE + BIAS + 8;
	tk_awaits__read(&f->a, &f->table, outer, &f->body);
	assert_int_equal(f->a.end, TK_END_LEAF);
	assert_int_equal(f->a.len, 1);
	assert_string_equal(f->a.leaf, "dyn Future");
	teardown(f);
}

static void test_read__believes_no_state_that_cannot_be(void **state)
{
	struct fixture *f = setup();
	u32 inner = add_async(f, "shop::nap", 0, 0);
	u32 outer = add_async(f, "shop::pay", 8, inner);

	(void)state;
	/* nobody has polled it */
	tk_awaits__read(&f->a, &f->table, outer, &f->body);
	assert_int_equal(f->a.end, TK_END_NEW);
	assert_int_equal(f->a.len, 0);
	/* it is over; no such state */
	for (u64 value = 1; value < 3; value++) {
		f->words[0] = value;
		tk_awaits__read(&f->a, &f->table, outer, &f->body);
		assert_int_equal(f->a.end, TK_END_BAD);
	}
	/* what is awaited has begun, and is not over */
	f->words[0] = SUSPENDED;
	for (u64 value = 0; value < SUSPENDED; value++) {
		f->words[1] = value;
		tk_awaits__read(&f->a, &f->table, outer, &f->body);
		assert_int_equal(f->a.end, TK_END_BAD);
	}
	teardown(f);
}

static void test_read__takes_the_case_that_no_other_says(void **state)
{
	struct fixture *f = setup();
	u32 inner = add_async(f, "shop::nap", 0, 0);
	u32 stage = add_type(f, FUTURE_CHOICE, "Stage");
	struct future_case *c = add_case(f, 0, 8, inner);

	(void)state;
	c->rest = c->suspended = true;
	add_case(f, 1, 0, 0);
	f->words[0] = 77;
	f->words[1] = SUSPENDED;
	tk_awaits__read(&f->a, &f->table, stage, &f->body);
	assert_int_equal(f->a.end, TK_END_LEAF);
	assert_int_equal(f->a.len, 1);
	f->words[0] = 1;
	tk_awaits__read(&f->a, &f->table, stage, &f->body);
	assert_int_equal(f->a.end, TK_END_BAD);
	teardown(f);
}

static void test_read__does_not_go_in_circles(void **state)
{
	struct fixture *f = setup();
	u32 pointer = add_type(f, FUTURE_POINTER, "");

	(void)state;
	add_case(f, 0, 0, pointer);
	f->words[0] = f->body.at;
	tk_awaits__read(&f->a, &f->table, pointer, &f->body);
	assert_int_equal(f->a.end, TK_END_BAD);
	teardown(f);
}

static void test_equal__tells_chains_apart(void **state)
{
	struct fixture *f = setup();
	u32 inner = add_async(f, "shop::nap", 0, 0);
	u32 outer = add_async(f, "shop::pay", 8, inner);
	struct tk_awaits before;

	(void)state;
	add_case(f, SUSPENDED + 1, 8, inner);
	f->words[0] = f->words[1] = SUSPENDED;
	tk_awaits__read(&before, &f->table, outer, &f->body);
	tk_awaits__read(&f->a, &f->table, outer, &f->body);
	assert_true(tk_awaits__equal(&before, &f->a));
	f->words[0] = SUSPENDED + 1;
	tk_awaits__read(&f->a, &f->table, outer, &f->body);
	assert_false(tk_awaits__equal(&before, &f->a));
	f->words[0] = SUSPENDED;
	f->words[1] = 1;
	tk_awaits__read(&f->a, &f->table, outer, &f->body);
	assert_false(tk_awaits__equal(&before, &f->a));
	teardown(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read__follows_futures_in_each_other),
		cmocka_unit_test(test_read__reads_what_it_was_not_given),
		cmocka_unit_test(test_read__follows_pointers),
		cmocka_unit_test(test_read__knows_a_type_by_its_vtable),
		cmocka_unit_test(test_read__believes_no_state_that_cannot_be),
		cmocka_unit_test(test_read__takes_the_case_that_no_other_says),
		cmocka_unit_test(test_read__does_not_go_in_circles),
		cmocka_unit_test(test_equal__tells_chains_apart),
	};

	return cmocka_run_group_tests_name("tk_awaits", tests, NULL, NULL);
}
