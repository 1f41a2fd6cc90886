/* SPDX-License-Identifier: Apache-2.0 */
/* Names as the compilers of this machine write them today. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/view.h"
#include "lib/workdir.h"
#include "symbol/demangle.h"

static const char cxx[] =
	"#define KEEP __attribute__((noinline, used))\n"
	"namespace app {\n"
	"namespace { KEEP int hidden(int x) { return x + 1; } }\n"
	"template <typename T, int N> struct Pool {\n"
	"	KEEP int wait(const T *v) const { return v ? N : 0; }\n"
	"	KEEP operator bool() const { return true; }\n"
	"	~Pool() {}\n"
	"};\n"
	"inline KEEP int sleep_on(Pool<unsigned long, 7> &p, const char *s) {\n"
	"	auto f = [&](int x) KEEP { return x + p.wait(nullptr) + (bool)p + *s; };\n"
	"	return f(hidden(1));\n"
	"}\n"
	"}\n"
	"int main() { app::Pool<unsigned long, 7> p; return app::sleep_on(p, \"\"); }\n";

static const char rust[] =
	"pub struct Pool<T> { pub items: Vec<T> }\n"
	"pub trait Wait { fn wait(&self) -> usize; }\n"
	"impl<T> Wait for Pool<T> {\n"
	"	#[inline(never)] fn wait(&self) -> usize { self.items.len() }\n"
	"}\n"
	"pub mod deep {\n"
	"	#[inline(never)] pub fn sleep_on(p: &super::Pool<u8>) -> usize {\n"
	"		use super::Wait;\n"
	"		let f = |x: usize| x + p.wait();\n"
	"		f(std::hint::black_box(1))\n"
	"	}\n"
	"}\n"
	"#[no_mangle] pub extern \"C\" fn entry() -> usize {\n"
	"	deep::sleep_on(&Pool { items: vec![1u8] })\n"
	"}\n";

static struct workdir dir;

static int setup(void **state)
{
	const char *home = getenv("HOME"), *path = getenv("PATH");
	char longer[4096];

	(void)state;
	/* where rustup puts it */
	snprintf(longer, sizeof(longer), "%s:%s/.cargo/bin", path ? path : "", home ? home : "");
	setenv("PATH", longer, 1);
	workdir__init(&dir);
	workdir__write(&dir, "a.cc", cxx, sizeof(cxx) - 1);
	workdir__write(&dir, "a.rs", rust, sizeof(rust) - 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

/* Is this what one of the symbols of the file is shown as? */
static bool shows(const char *file, const char *want)
{
	char name[DEMANGLE_SZ], readable[DEMANGLE_SZ], *text;
	struct view all, line, next, word = { 0 };
	bool found = false;
	size_t sz;

	assert_true(workdir__run(&dir, "nm %s >symbols", file));
	text = workdir__read(&dir, "symbols", &sz);
	all = view__of(text, sz);
	while (!found && view__line(&all, &line)) {
		while (view__token(&line, &next))
			word = next;
		found = view__copy(&word, name, sizeof(name)) &&
			demangle_name(name, readable, sizeof(readable)) &&
			strcmp(readable, want) == 0;
	}
	mem_free(text);
	return found;
}

static void check(const char *file, const char *const *wanted, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (!shows(file, wanted[i]))
			fail_msg("no symbol of '%s' is shown as '%s'", file, wanted[i]);
	}
}

static void test_demangle_name_reads_what_cxx_compilers_write(void **state)
{
	static const char *const compilers[] = { "g++", "clang++-16" };
	static const char *const wanted[] = {
		"app::sleep_on",
		"app::(anonymous namespace)::hidden",
		"app::Pool<unsigned long, 7>::wait",
		"app::Pool<unsigned long, 7>::operator bool",
		"app::Pool<unsigned long, 7>::~Pool",
		("app::sleep_on(app::Pool<unsigned long, 7>&, char const*)::{lambda(int)#1}"
		 "::operator()"),
	};
	size_t i, tried = 0;

	(void)state;
	for (i = 0; i < ARRAY_LEN(compilers); i++) {
		if (!workdir_have(compilers[i]) || !workdir_have("nm"))
			continue;
		assert_true(workdir__run(&dir, "%s -O0 -c -o a.o a.cc", compilers[i]));
		check("a.o", wanted, ARRAY_LEN(wanted));
		tried++;
	}
	if (!tried)
		skip();
}

/* False where this compiler cannot mangle so. */
static bool compile_rust(const char *mangling)
{
	if (!workdir_have("rustc nm"))
		return false;
	/* the old form takes an unstable option by now */
	return workdir__run(
		&dir,
		"MAKEFLAGS= RUSTC_BOOTSTRAP=1 rustc -Z unstable-options --crate-name app"
		" --crate-type lib --emit obj -C symbol-mangling-version=%s"
		" -C opt-level=0 -o a.o a.rs",
		mangling);
}

static void test_demangle_name_reads_what_rustc_writes(void **state)
{
	static const char *const wanted[] = {
		"app::deep::sleep_on",
		"app::deep::sleep_on::{{closure}}",
		"<app::Pool<T> as app::Wait>::wait",
	};

	(void)state;
	if (!compile_rust("legacy"))
		skip();
	check("a.o", wanted, ARRAY_LEN(wanted));
}

static void test_demangle_name_reads_what_rustc_writes_in_v0(void **state)
{
	static const char *const wanted[] = {
		"app::deep::sleep_on",
		"app::deep::sleep_on::{closure#0}",
		"<app::Pool<u8> as app::Wait>::wait",
	};

	(void)state;
	if (!compile_rust("v0"))
		skip();
	check("a.o", wanted, ARRAY_LEN(wanted));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_demangle_name_reads_what_cxx_compilers_write),
		cmocka_unit_test(test_demangle_name_reads_what_rustc_writes),
		cmocka_unit_test(test_demangle_name_reads_what_rustc_writes_in_v0),
	};

	return cmocka_run_group_tests_name("demangle_compilers", tests, setup, teardown);
}
