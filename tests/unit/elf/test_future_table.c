/* SPDX-License-Identifier: Apache-2.0 */
/* What the process that reads debug information sends, and names as readers know them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "elf/future/future_priv.h"

static void put_u32(struct sink *s, u32 n)
{
	sink__put(s, &n, sizeof(n));
}

static void put_u64(struct sink *s, u64 n)
{
	sink__put(s, &n, sizeof(n));
}

/* A type with one case, whose future is of the type `next`. */
static void put_type(struct sink *s, u32 kind, u32 width, u32 next)
{
	static const u32 sz = 64, at = 8, cases = 1, flags = FUTURE_CASE_SUSPENDED, line = 7;

	put_u32(s, FUTURE_TAG_TYPE);
	put_u32(s, kind);
	put_u32(s, sz);
	put_u32(s, at);
	put_u32(s, width);
	put_u32(s, cases);
	sink__put(s, "shop::pay", sizeof("shop::pay"));
	put_u64(s, 3);
	put_u32(s, flags);
	put_u32(s, line);
	put_u32(s, at);
	put_u32(s, next);
	sink__put(s, "shop.rs", sizeof("shop.rs"));
}

static void put_root(struct sink *s, u32 type)
{
	put_u32(s, FUTURE_TAG_ROOT);
	put_u64(s, 0x1000);
	put_u32(s, type);
	put_u32(s, 128);
	put_u32(s, 40);
	put_u32(s, 256);
}

static void put_vtable(struct sink *s, u64 at, u32 type)
{
	put_u32(s, FUTURE_TAG_VTABLE);
	put_u64(s, at);
	put_u32(s, type);
	put_u32(s, 16);
}

/* Parses what was put, or its first `sz` bytes. */
static int parse(struct future_table *t, struct sink *s, size_t cut)
{
	size_t len;
	char *bytes;
	int r;

	sink__finish(s, NULL);
	bytes = sink__steal(s, &len);
	sink__done(s);
	assert_non_null(bytes);
	future_table__init(t);
	r = future_table__parse(t, view__of(bytes, len - cut));
	mem_free(bytes);
	return r;
}

static void test_parse__takes_types_and_what_leads_to_them(void **state)
{
	const struct future_type *type;
	const struct future_case *c;
	const struct future_root *root;
	struct future_table t;
	struct sink s;
	u32 at = 0;

	(void)state;
	sink__init_mem(&s);
	put_root(&s, 1);
	put_type(&s, FUTURE_ASYNC, 1, 2);
	put_type(&s, FUTURE_POINTER, 0, 1);
	put_vtable(&s, 0x2000, 2);
	assert_int_equal(parse(&t, &s, 0), 0);
	assert_int_equal(t.types.len, 3);
	type = vec__at(&t.types, 1);
	assert_string_equal(type->name, "shop::pay");
	assert_int_equal(type->kind, FUTURE_ASYNC);
	c = vec__at(&t.cases, type->first);
	assert_string_equal(c->file, "shop.rs");
	assert_int_equal(c->line, 7);
	assert_int_equal(c->next, 2);
	assert_true(c->suspended && !c->rest);
	root = vec__at(&t.roots, 0);
	assert_int_equal(root->type, 1);
	assert_int_equal(root->trailer, 256);
	assert_int_equal(future_table__behind(&t, 0x2000, &at), 2);
	assert_int_equal(at, 16);
	assert_int_equal(future_table__behind(&t, 0x2008, &at), 0);
	future_table__done(&t);
}

static void test_parse__makes_leaves_of_types_that_never_come(void **state)
{
	struct future_table t;
	struct sink s;
	u32 at = 0;

	(void)state;
	sink__init_mem(&s);
	put_type(&s, FUTURE_ASYNC, 1, 9);
	put_root(&s, 2);
	put_vtable(&s, 0x2000, 2);
	assert_int_equal(parse(&t, &s, 0), 0);
	assert_int_equal(((const struct future_case *)vec__at(&t.cases, 0))->next, 0);
	assert_int_equal(((const struct future_root *)vec__at(&t.roots, 0))->type, 0);
	assert_int_equal(future_table__behind(&t, 0x2000, &at), 0);
	future_table__done(&t);
}

static void test_parse__tells_no_types_apart_that_share_a_vtable(void **state)
{
	struct future_table t;
	struct sink s;
	u32 at = 0;

	(void)state;
	sink__init_mem(&s);
	put_type(&s, FUTURE_ASYNC, 1, 0);
	put_type(&s, FUTURE_ASYNC, 1, 0);
	put_vtable(&s, 0x2000, 1);
	put_vtable(&s, 0x3000, 1);
	put_vtable(&s, 0x3000, 1);
	put_vtable(&s, 0x2000, 2);
	assert_int_equal(parse(&t, &s, 0), 0);
	assert_int_equal(future_table__behind(&t, 0x2000, &at), 0);
	assert_int_equal(future_table__behind(&t, 0x3000, &at), 1);
	future_table__done(&t);
}

static void test_parse__refuses_what_is_malformed(void **state)
{
	struct future_table t;
	struct sink s;

	(void)state;
	for (u32 what = 0; what < 4; what++) {
		sink__init_mem(&s);
		if (what == 0)
			put_type(&s, FUTURE_KINDS, 1, 0);
		else if (what == 1)
			put_type(&s, FUTURE_ASYNC, 3, 0);
		else if (what == 2)
			put_type(&s, FUTURE_ASYNC, 16, 0);
		else
			put_u32(&s, 4);
		assert_int_equal(parse(&t, &s, 0), -EINVAL);
		future_table__done(&t);
	}
	for (size_t cut = 1; cut < 66; cut++) {
		sink__init_mem(&s);
		put_type(&s, FUTURE_ASYNC, 1, 0);
		assert_int_equal(parse(&t, &s, cut), -EINVAL);
		future_table__done(&t);
	}
}

static void test_readable__leaves_out_what_nobody_has_written(void **state)
{
	static const struct {
		const char *path, *name;
	} names[] = {
		{ "shop::pay::{async_fn_env#0}", "shop::pay" },
		{ "shop::{impl#2}::pay::{async_fn_env#0}<shop::Card, i32>", "shop::pay" },
		{ "shop::pay::{async_fn#0}::{async_block_env#1}<(A, B)>",
		  "shop::pay::{async_block#1}" },
		{ "shop::pay::{closure#0}::{async_block_env#0}",
		  "shop::pay::{closure#0}::{async_block#0}" },
		{ "tokio::sync::mutex::{impl#8}::lock::{async_fn_env#0}<i32>",
		  "tokio::sync::mutex::lock" },
		{ "tokio::time::sleep::Sleep", "tokio::time::sleep::Sleep" },
		{ "tokio::future::poll_fn::PollFn<a::b::{closure_env#0}<fn() -> i32>>",
		  "tokio::future::poll_fn::PollFn" },
		{ "tokio::io::util::read::Read<&mut tokio::net::tcp::stream::TcpStream>",
		  "tokio::io::util::read::Read<&mut tokio::net::tcp::stream::TcpStream>" },
		{ "", "" },
		{ "<<<::a", "<<<::a" },
		{ "::", "" },
	};
	char name[FUTURE_NAME_SZ], longest[2 * FUTURE_NAME_SZ];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		future_readable(names[i].path, name);
		assert_string_equal(name, names[i].name);
	}
	memset(longest, 'a', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	future_readable(longest, name);
	assert_int_equal(strlen(name), FUTURE_NAME_SZ - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse__takes_types_and_what_leads_to_them),
		cmocka_unit_test(test_parse__makes_leaves_of_types_that_never_come),
		cmocka_unit_test(test_parse__tells_no_types_apart_that_share_a_vtable),
		cmocka_unit_test(test_parse__refuses_what_is_malformed),
		cmocka_unit_test(test_readable__leaves_out_what_nobody_has_written),
	};

	return cmocka_run_group_tests_name("future_table", tests, NULL, NULL);
}
