/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/types.h"
#include "symbol/demangle.h"

static void check(const char *name, const char *want)
{
	char buf[DEMANGLE_SZ] = "";

	if (!want) {
		assert_false(demangle_name(name, buf, sizeof(buf)));
		return;
	}
	assert_true(demangle_name(name, buf, sizeof(buf)));
	assert_string_equal(buf, want);
}

static void test_demangle_name_reads_cxx(void **state)
{
	(void)state;
	check("_Z3foov", "foo");
	check("_ZN3Foo3barEiPKc", "Foo::bar");
	check("_ZNK3Foo3getEv", "Foo::get");
	check("_ZN3FooD0Ev", "Foo::~Foo");
	check("_Znwm", "operator new");
	check("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()");
	check("_ZNSt6vectorIiSaIiEE9push_backERKi",
	      "std::vector<int, std::allocator<int> >::push_back");
}

static void test_demangle_name_leaves_out_what_the_compiler_added(void **state)
{
	(void)state;
	check("_ZN12_GLOBAL__N_13barEv.isra.0", "(anonymous namespace)::bar");
	check("_Z3foov.cold", "foo");
}

static void test_demangle_name_reads_legacy_rust(void **state)
{
	(void)state;
	check("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	check("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
	      "17h930b740aa94f1d3aE",
	      "<Test + 'static as foo::Bar<Test>>::bar");
}

static void test_demangle_name_reads_rust_v0(void **state)
{
	(void)state;
	check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	check("_RNvMNtNtNtNtCsbDqzhixxAtS_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended",
	      "<std::sys::sync::mutex::futex::Mutex>::lock_contended");
	check("_RNvNtCs1234_7mycrate3foo3bar.llvm.1234567", "mycrate::foo::bar");
	/* a package without a name */
	check("_RNvC03foo", "::foo");
}

static void test_demangle_name_leaves_other_names_alone(void **state)
{
	static const char *const names[] = { "",     "_",	 "_Z",		"_R",
					     "_RNv", "_Zxxxx",	 "__libc_read", "Zfoo",
					     "main", "_ZN3fooX", "schedule" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(names); i++)
		check(names[i], NULL);
}

static void test_demangle_name_cuts_long_names(void **state)
{
	char buf[12];

	(void)state;
	/* exactly full, and one too many */
	assert_true(demangle_name("_Z11abcdefghijkv", buf, sizeof(buf)));
	assert_string_equal(buf, "abcdefghijk");
	assert_true(demangle_name("_Z12abcdefghijklv", buf, sizeof(buf)));
	assert_string_equal(buf, "abcdefgh...");
}

/* A number as Rust v0 writes it in base 62. */
static size_t base62(char *to, u32 n)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t len = 0;

	if (n) {
		if (n - 1 >= 62)
			to[len++] = digits[(n - 1) / 62];
		to[len++] = digits[(n - 1) % 62];
	}
	to[len++] = '_';
	return len;
}

static void test_demangle_name_stops_names_that_double(void **state)
{
	/* each tuple holds the one before it twice: 2^60 numbers */
	char name[1024] = "_RINvC1a1fTllE", buf[DEMANGLE_SZ];
	size_t len = strlen(name);
	u32 i, here, prev = (u32)strlen("INvC1a1f");

	(void)state;
	for (i = 0; i < 60; i++) {
		here = (u32)len - 2;
		name[len++] = 'T';
		name[len++] = 'B';
		len += base62(name + len, prev);
		name[len++] = 'B';
		len += base62(name + len, prev);
		name[len++] = 'E';
		prev = here;
	}
	name[len++] = 'E';
	name[len] = '\0';
	assert_true(demangle_name(name, buf, sizeof(buf)));
	assert_int_equal(strlen(buf), sizeof(buf) - 1);
	assert_string_equal(buf + sizeof(buf) - 4, "...");
}

static void test_demangle_name_takes_names_of_any_length(void **state)
{
	static char name[100000];
	char buf[DEMANGLE_SZ];
	size_t len;

	(void)state;
	for (len = 10; len < sizeof(name); len = len * 3 / 2) {
		memset(name, 'P', len);
		memcpy(name, "_Z1fI", 5);
		memcpy(name + len - 5, "iEvv", 5);
		demangle_name(name, buf, sizeof(buf));
		memset(name, 'I', len);
		memcpy(name, "_R", 2);
		demangle_name(name, buf, sizeof(buf));
	}
	/* 2,000 bytes are more than libiberty's own limit */
	len = (size_t)snprintf(name, sizeof(name), "_ZN2000");
	memset(name + len, 'a', 2000);
	memcpy(name + len + 2000, "1bEv", 5);
	assert_true(demangle_name(name, buf, sizeof(buf)));
	assert_int_equal(strlen(buf), 2003);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangle_name_reads_cxx),
		cmocka_unit_test(test_demangle_name_leaves_out_what_the_compiler_added),
		cmocka_unit_test(test_demangle_name_reads_legacy_rust),
		cmocka_unit_test(test_demangle_name_reads_rust_v0),
		cmocka_unit_test(test_demangle_name_leaves_other_names_alone),
		cmocka_unit_test(test_demangle_name_cuts_long_names),
		cmocka_unit_test(test_demangle_name_stops_names_that_double),
		cmocka_unit_test(test_demangle_name_takes_names_of_any_length),
	};

	return cmocka_run_group_tests_name("demangle", tests, NULL, NULL);
}
