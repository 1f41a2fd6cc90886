/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "capture/program/kernel_names.h"

#define BASE 0xffffffff81000000ULL

/* What `text` says of `addr`, read back the way names are looked up. */
static struct kallsyms *symbols_of(u64 addr, const char *text)
{
	struct kallsyms *k;
	struct vec out;

	vec__init(&out, 1);
	assert_int_equal(kernel_names_add(&out, addr, text), 1);
	assert_int_equal(kallsyms__parse(&k, view__of(out.data, out.len), NULL), 0);
	vec__done(&out);
	return k;
}

static void test_kernel_names_add_finds_the_symbol(void **state)
{
	const char *name, *module;
	struct kallsyms *k;
	u64 off;

	(void)state;
	k = symbols_of(BASE + 0x123, "schedule+0x23/0x80");
	assert_true(kallsyms__find(k, BASE + 0x123, &name, &module, &off));
	assert_string_equal(name, "schedule");
	assert_string_equal(module, "");
	assert_int_equal(off, 0x23);
	kallsyms__free(k);
}

static void test_kernel_names_add_ends_the_symbol(void **state)
{
	u64 start, end, off;
	const char *name, *module;
	struct kallsyms *k;

	(void)state;
	k = symbols_of(BASE + 0x123, "schedule+0x23/0x80");
	assert_false(kallsyms__find(k, BASE + 0x180, &name, &module, &off));
	assert_true(kallsyms__range(k, "schedule", &start, &end));
	assert_int_equal(start, BASE + 0x100);
	assert_int_equal(end, BASE + 0x180);
	kallsyms__free(k);
}

static void test_kernel_names_add_knows_modules(void **state)
{
	const char *name, *module;
	struct kallsyms *k;
	u64 off;

	(void)state;
	k = symbols_of(BASE + 1, "nf_hook.part.0+0x1/0x2 [nf_tables]");
	assert_true(kallsyms__find(k, BASE, &name, &module, &off));
	assert_string_equal(name, "nf_hook.part.0");
	assert_string_equal(module, "nf_tables");
	kallsyms__free(k);
	/* With its build id: CONFIG_STACKTRACE_BUILD_ID. */
	k = symbols_of(BASE + 1, "f+0x1/0x2 [m 0123abcd]");
	assert_true(kallsyms__find(k, BASE, &name, &module, &off));
	assert_string_equal(module, "m");
	kallsyms__free(k);
}

static void test_kernel_names_add_skips_invalid_names(void **state)
{
	static const char *const texts[] = { "0xffffffffc0123456", "", "+0x1/0x2", "f+0x1", "f",
					     "f+0x1 /0x2" };
	struct vec out;

	(void)state;
	vec__init(&out, 1);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_int_equal(kernel_names_add(&out, BASE, texts[i]), 0);
	assert_int_equal(kernel_names_add(&out, 0x10, "f+0x11/0x20"), 0); /* begins below 0 */
	assert_int_equal(out.len, 0);
	vec__done(&out);
}

static void test_kernel_names_add_says_when_memory_ends(void **state)
{
	struct vec out;

	(void)state;
	vec__init(&out, 1);
	mem_fail_nth(1);
	assert_int_equal(kernel_names_add(&out, BASE, "f+0x1/0x2"), -ENOMEM);
	mem_fail_nth(0);
	vec__done(&out);
}

/* An interrupt may hit the first instruction of a function. */
static void test_kernel_names_collect_takes_a_leaf_as_it_is(void **state)
{
	struct cs_stack st = { .len = 2, .flags = CS_STACK_SAMPLE, .pc = { BASE, BASE + 8 } };
	struct map64 seen;
	struct vec addrs;

	(void)state;
	map64__init(&seen);
	vec__init(&addrs, sizeof(u64));
	assert_int_equal(kernel_names_collect(&addrs, &seen, &st), 0);
	assert_int_equal(addrs.len, 2);
	assert_true(*(u64 *)vec__at(&addrs, 0) == BASE);
	assert_true(*(u64 *)vec__at(&addrs, 1) == BASE + 7);
	/* a wait leaves by a call, and what is known is not asked for again */
	st.flags = 0;
	assert_int_equal(kernel_names_collect(&addrs, &seen, &st), 0);
	assert_int_equal(addrs.len, 3);
	assert_true(*(u64 *)vec__at(&addrs, 2) == BASE - 1);
	map64__done(&seen);
	vec__done(&addrs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kernel_names_add_finds_the_symbol),
		cmocka_unit_test(test_kernel_names_add_ends_the_symbol),
		cmocka_unit_test(test_kernel_names_add_knows_modules),
		cmocka_unit_test(test_kernel_names_add_skips_invalid_names),
		cmocka_unit_test(test_kernel_names_add_says_when_memory_ends),
		cmocka_unit_test(test_kernel_names_collect_takes_a_leaf_as_it_is),
	};

	return cmocka_run_group_tests_name("capture/kernel_names", tests, NULL, NULL);
}
