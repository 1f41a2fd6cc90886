/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "proc/kallsyms.h"

#define KERNEL                                                                                     \
	"0000000000000000 A fixed_percpu_data\n"                                                   \
	"ffffffff81000000 T startup_64\n"                                                          \
	"ffffffff81000000 T _text\n"                                                               \
	"ffffffff81000100 t do_one\n"                                                              \
	"ffffffff81000200 W weak_two\n"                                                            \
	"ffffffff81000300 D some_data\n"                                                           \
	"ffffffff81000400 T last_text\n"                                                           \
	"ffffffffc0a01000 t mod_b\t[zram]\n"                                                       \
	"ffffffffc0a00000 t mod_a\t[zram]\n"                                                       \
	"ffffffffc0b00000 t bpf_prog_6deef7357e7b4530_sched\t[bpf]\n"

static struct kallsyms *parse(const char *text)
{
	struct kallsyms *k = NULL;

	assert_int_equal(kallsyms__parse(&k, view__of_str(text), NULL), 0);
	return k;
}

static void check(const struct kallsyms *k, u64 addr, const char *want, const char *want_module,
		  u64 want_off)
{
	const char *name = NULL, *module = NULL;
	u64 off = 0;

	if (!want) {
		assert_false(kallsyms__find(k, addr, &name, &module, &off));
		return;
	}
	assert_true(kallsyms__find(k, addr, &name, &module, &off));
	assert_string_equal(name, want);
	assert_string_equal(module, want_module);
	assert_true(off == want_off);
}

static void test_kallsyms__find_names_text_symbols(void **state)
{
	struct kallsyms *k = parse(KERNEL);

	(void)state;
	assert_false(kallsyms__hidden(k));
	assert_int_equal(kallsyms__len(k), 8);
	check(k, 0xffffffff81000100, "do_one", "", 0);
	check(k, 0xffffffff810001ff, "do_one", "", 0xff);
	check(k, 0xffffffff81000200, "weak_two", "", 0);
	kallsyms__free(k);
	kallsyms__free(NULL);
}

static void test_kallsyms__find_takes_the_first_name_of_an_address(void **state)
{
	struct kallsyms *k = parse(KERNEL);

	(void)state;
	check(k, 0xffffffff81000000, "startup_64", "", 0);
	check(k, 0xffffffff810000ff, "startup_64", "", 0xff);
	kallsyms__free(k);
	/* also when the file has to be sorted */
	k = parse("ffffffff82000000 T b\nffffffff81000000 T y\nffffffff81000000 T x\n");
	check(k, 0xffffffff81000000, "y", "", 0);
	kallsyms__free(k);
}

static void test_kallsyms__find_ends_a_symbol_at_data(void **state)
{
	struct kallsyms *k = parse(KERNEL);

	(void)state;
	check(k, 0xffffffff810002ff, "weak_two", "", 0xff);
	check(k, 0xffffffff81000300, NULL, NULL, 0);
	check(k, 0xffffffff810003ff, NULL, NULL, 0);
	kallsyms__free(k);
}

static void test_kallsyms__find_takes_every_type_of_text(void **state)
{
	struct kallsyms *k = parse("1000 t a\n2000 T b\n3000 w c\n4000 W d\n5000 b e\n");

	(void)state;
	check(k, 0x1000, "a", "", 0);
	check(k, 0x2000, "b", "", 0);
	check(k, 0x3000, "c", "", 0);
	check(k, 0x4000, "d", "", 0);
	check(k, 0x5000, NULL, NULL, 0);
	kallsyms__free(k);
}

static void test_kallsyms__find_prefers_text_to_data_at_one_address(void **state)
{
	struct kallsyms *k = parse("ffffffff81000000 D data\nffffffff81000000 T text\n"
				   "ffffffff81000000 D more\n");

	(void)state;
	check(k, 0xffffffff81000004, "text", "", 4);
	kallsyms__free(k);
}

static void test_kallsyms__find_names_modules_and_bpf(void **state)
{
	struct kallsyms *k = parse(KERNEL);

	(void)state;
	check(k, 0xffffffffc0a00010, "mod_a", "zram", 0x10);
	check(k, 0xffffffffc0a01010, "mod_b", "zram", 0x10);
	check(k, 0xffffffffc0b00020, "bpf_prog_6deef7357e7b4530_sched", "bpf", 0x20);
	kallsyms__free(k);
}

static void test_kallsyms__find_gives_up_far_after_a_symbol(void **state)
{
	struct kallsyms *k = parse(KERNEL);

	(void)state;
	check(k, 0xffffffff81000400 + (1 << 20) - 1, "last_text", "", (1 << 20) - 1);
	check(k, 0xffffffff81000400 + (1 << 20), NULL, NULL, 0);
	check(k, 0xffffffffffffffff, NULL, NULL, 0);
	kallsyms__free(k);
}

static void test_kallsyms__find_knows_nothing_below_the_first(void **state)
{
	struct kallsyms *k = parse(KERNEL);

	(void)state;
	check(k, 0, NULL, NULL, 0);
	check(k, 0x7f0000000000, NULL, NULL, 0);
	check(k, 0xffffffff80ffffff, NULL, NULL, 0);
	kallsyms__free(k);
}

static void test_kallsyms__hidden_when_all_addresses_are_zero(void **state)
{
	struct kallsyms *k = parse("0000000000000000 T schedule\n0000000000000000 t mod\t[m]\n");

	(void)state;
	assert_true(kallsyms__hidden(k));
	assert_int_equal(kallsyms__len(k), 0);
	check(k, 0, NULL, NULL, 0);
	check(k, 0xffffffff81000000, NULL, NULL, 0);
	kallsyms__free(k);
	k = parse("");
	assert_false(kallsyms__hidden(k));
	kallsyms__free(k);
}

static void test_kallsyms__range_ends_at_the_next_address(void **state)
{
	struct kallsyms *k = parse(KERNEL);
	u64 start, end;

	(void)state;
	assert_true(kallsyms__range(k, "startup_64", &start, &end));
	assert_true(start == 0xffffffff81000000 && end == 0xffffffff81000100);
	assert_true(kallsyms__range(k, "_text", &start, &end));
	assert_true(start == 0xffffffff81000000 && end == 0xffffffff81000100);
	assert_true(kallsyms__range(k, "weak_two", &start, &end));
	assert_true(end == 0xffffffff81000300);
	assert_true(kallsyms__range(k, "bpf_prog_6deef7357e7b4530_sched", &start, &end));
	assert_true(end == start + (1 << 20));
	assert_false(kallsyms__range(k, "some_data", &start, &end));
	assert_false(kallsyms__range(k, "", &start, &end));
	assert_false(kallsyms__range(k, "absent", &start, &end));
	kallsyms__free(k);
}

static void test_kallsyms__parse_refuses_what_the_kernel_does_not_write(void **state)
{
	static const char *const lines[] = {
		"x",
		"\n",
		"ffffffff81000000",
		"ffffffff81000000 T",
		"ffffffff81000000 T ",
		"ffffffff81000000T x",
		"11111111111111111 T too_long",
		"ffffffff81000000 T x\tmodule",
		"ffffffff81000000 T x\t[]",
		"ffffffff81000000 T x\t[open",
		"ffffffff81000000 T x\topen]",
	};
	struct err err = { 0 };
	struct kallsyms *k;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(lines); i++)
		assert_int_equal(kallsyms__parse(&k, view__of_str(lines[i]), &err), -EINVAL);
	assert_non_null(strstr(err.msg, "line 1 "));
}

static void test_kallsyms__parse_survives_every_failed_allocation(void **state)
{
	struct kallsyms *k;
	u64 nth;
	int r;

	(void)state;
	for (nth = 1;; nth++) {
		mem_fail_nth(nth);
		r = kallsyms__parse(&k, view__of_str(KERNEL), NULL);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 5);
	kallsyms__free(k);
}

static void test_kallsyms__load_reads_this_kernel(void **state)
{
	struct kallsyms *k;
	u64 start, end;

	(void)state;
	if (kallsyms__load(&k, NULL) == -ENOENT)
		skip();
	if (!kallsyms__hidden(k)) {
		assert_true(kallsyms__len(k) > 1000);
		assert_true(kallsyms__range(k, "schedule", &start, &end));
		check(k, start + 1, "schedule", "", 1);
	} else {
		assert_int_equal(kallsyms__len(k), 0);
	}
	kallsyms__free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kallsyms__find_names_text_symbols),
		cmocka_unit_test(test_kallsyms__find_takes_the_first_name_of_an_address),
		cmocka_unit_test(test_kallsyms__find_ends_a_symbol_at_data),
		cmocka_unit_test(test_kallsyms__find_takes_every_type_of_text),
		cmocka_unit_test(test_kallsyms__find_prefers_text_to_data_at_one_address),
		cmocka_unit_test(test_kallsyms__find_names_modules_and_bpf),
		cmocka_unit_test(test_kallsyms__find_gives_up_far_after_a_symbol),
		cmocka_unit_test(test_kallsyms__find_knows_nothing_below_the_first),
		cmocka_unit_test(test_kallsyms__hidden_when_all_addresses_are_zero),
		cmocka_unit_test(test_kallsyms__range_ends_at_the_next_address),
		cmocka_unit_test(test_kallsyms__parse_refuses_what_the_kernel_does_not_write),
		cmocka_unit_test(test_kallsyms__parse_survives_every_failed_allocation),
		cmocka_unit_test(test_kallsyms__load_reads_this_kernel),
	};

	return cmocka_run_group_tests_name("kallsyms", tests, NULL, NULL);
}
