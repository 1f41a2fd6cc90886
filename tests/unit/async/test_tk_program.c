/* SPDX-License-Identifier: Apache-2.0 */
/* Types of futures by the names of functions, and versions of Tokio by the paths of its sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "async/tokio/tk_layout.h"

static void assert_type(const char *function, const char *expected)
{
	char type[TK_NAME_SZ];

	assert_true(tk_type_of(function, type));
	assert_string_equal(type, expected);
}

static void test_type__is_the_first_argument(void **state)
{
	(void)state;
	assert_type("core::ptr::drop_in_place<tokio::runtime::task::core::Cell<"
		    "shop::serve::{{closure}},alloc::sync::Arc<Handle>>>",
		    "shop::serve");
	assert_type("core::ptr::drop_in_place<tokio::runtime::task::core::Stage<shop::ask>>",
		    "shop::ask");
	assert_type("core::ptr::drop_in_place<tokio::runtime::task::core::CoreStage<(a,b)>>",
		    "(a,b)");
	assert_type("tokio::runtime::task::raw::poll::<shop::serve::{closure#0}, Arc<Handle>>",
		    "shop::serve");
	assert_type("poll<Map<shop::ask::{async_fn_env#0}, fn(u8) -> u8>, Arc<Handle>>",
		    "Map<shop::ask::{async_fn_env#0}, fn(u8) -> u8>");
	assert_type("drop_in_place<tokio::runtime::task::core::Cell<"
		    "core::future::from_generator::GenFuture<shop::ask::{{closure}}>,Arc<Handle>>>",
		    "shop::ask");
	assert_type("poll<shop::main::{async_block_env#1}, Arc<Handle>>",
		    "shop::main::{async_block_env#1}");
}

static void test_type__that_is_long_is_cut(void **state)
{
	char function[400] = "poll<", type[TK_NAME_SZ];

	(void)state;
	memset(function + 5, 'a', 300);
	strcpy(function + 305, ", b>");
	assert_true(tk_type_of(function, type));
	assert_int_equal(strlen(type), TK_NAME_SZ - 1);
	assert_string_equal(type + TK_NAME_SZ - 4, "...");
}

static void test_type__of_other_functions_is_not_known(void **state)
{
	char type[TK_NAME_SZ];

	(void)state;
	assert_false(tk_type_of("tokio::runtime::task::raw::poll", type));
	assert_false(tk_type_of("drop_in_place<shop::serve>", type));
	assert_false(tk_type_of("poll<never ends", type));
	assert_false(tk_type_of("poll<>", type));
	assert_false(tk_type_of("", type));
}

static void test_version__is_in_paths(void **state)
{
	char version[TK_VERSION_SZ];
	u32 minor;

	(void)state;
	assert_true(tk_version_of(view__of_str("x/tokio-1.24.2/src/a.rsx"), version, &minor));
	assert_string_equal(version, "1.24.2");
	assert_int_equal(minor, 24);
	assert_true(
		tk_version_of(view__of_str("/tokio-1.x /tokio-1.53.1/src/lib"), version, &minor));
	assert_int_equal(minor, 53);
	assert_false(tk_version_of(view__of_str("/tokio-util-0.7.4/src/a"), version, &minor));
	assert_false(tk_version_of(view__of_str("/tokio-1.24.2"), version, &minor));
	assert_false(tk_version_of(view__of_str("/tokio-1."), version, &minor));
	assert_false(tk_version_of(view__of_str(""), version, &minor));
}

static void test_vtable__is_checked(void **state)
{
	const struct map_range code = { .start = 0x1000, .end = 0x2000 };
	const u64 good[10] = {
		0x1000, 0x1010, 0x1020, 0x1030, 0x1040, 0x1050, 0x1fff, 128, 32, 40
	};
	u64 words[10];

	(void)state;
	assert_true(tk_vtable_fits(good, &code));
	for (u32 i = 0; i < 10; i++) {
		memcpy(words, good, sizeof(words));
		words[i] = 0x2000 + 4;
		assert_false(tk_vtable_fits(words, &code));
	}
	memcpy(words, good, sizeof(words));
	words[7] = 40; /* a trailer where the number is */
	assert_false(tk_vtable_fits(words, &code));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_type__is_the_first_argument),
		cmocka_unit_test(test_type__that_is_long_is_cut),
		cmocka_unit_test(test_type__of_other_functions_is_not_known),
		cmocka_unit_test(test_version__is_in_paths),
		cmocka_unit_test(test_vtable__is_checked),
	};

	return cmocka_run_group_tests_name("tk_program", tests, NULL, NULL);
}
