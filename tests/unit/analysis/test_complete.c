/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/view/complete.h"
#include "lib/lit.h"

#define MODULES                                                                                    \
	"module foo elf /lib/libfoo.so\n"                                                          \
	"module foo2 elf /opt/libfoo.so build=ab\n"                                                \
	"module bar elf /lib/libbar.so\n"

/* "total whole", then "; ns count words" for each row. */
static void assert_complete(const char *literal, const char *expected)
{
	char text[2048];
	struct complete c;
	struct profile *p;
	struct arena a;
	size_t len;
	u64 rest = 0;
	u32 i;

	snprintf(text, sizeof(text), "%s%s", MODULES, literal);
	p = lit(text);
	arena__init(&a);
	assert_int_equal(complete__build(p, &a, &c, NULL), 0);
	len = (size_t)snprintf(text, sizeof(text), "%llu %llu", c.total_ns, c.whole_ns);
	for (i = 0; i < c.len; i++) {
		len += (size_t)snprintf(text + len, sizeof(text) - len, "; %llu %llu %s",
					c.rows[i].ns, c.rows[i].count, c.rows[i].words);
		rest += c.rows[i].ns;
	}
	assert_string_equal(text, expected);
	assert_int_equal(c.total_ns, c.whole_ns + rest);
	arena__done(&a);
	profile__free(p);
}

static void test_complete__counts_blocked_and_run_queue(void **state)
{
	(void)state;
	assert_complete("task 1/1 a\nwait S blocked=10ns runq=5ns\n u main\n k sys\n"
			"wait R runq=7ns flags=preempted\n u main\n",
			"22 22");
}

static void test_complete__tells_reason_and_file(void **state)
{
	(void)state;
	assert_complete("task 1/1 a\nwait S blocked=10ns\n u main\n"
			"wait S blocked=3ns count=2\n utrunc no_cfi @foo\n u x\n"
			"wait S blocked=4ns\n utrunc no_cfi @bar\n u x\n"
			"wait S blocked=2ns\n utrunc depth @foo\n u x\n"
			"wait S blocked=1ns\n utrunc depth @bar\n u x\n",
			"20 10; 4 1 no CFI in libbar.so; 3 2 deeper than the limit; "
			"3 2 no CFI in libfoo.so");
}

static void test_complete__joins_files_with_the_same_name(void **state)
{
	(void)state;
	assert_complete("task 1/1 a\nwait S blocked=3ns\n utrunc no_cfi @foo\n u x\n"
			"wait S blocked=4ns\n utrunc no_cfi @foo2\n u x\n",
			"7 0; 7 2 no CFI in libfoo.so");
}

static void test_complete__counts_waits_without_a_stack(void **state)
{
	(void)state;
	assert_complete("task 1/1 a S=20ns\nwait S blocked=3ns flags=no_resume\n"
			"wait S blocked=4ns\n k sys\n",
			"20 0; 13 0 lost waits; 7 2 no stack");
}

static void test_complete__leaves_out_who_has_no_user_stack(void **state)
{
	(void)state;
	assert_complete("task 1/1 kworker flags=kthread S=50ns\nwait I blocked=3ns\n k work\n"
			"task 2/2 a\nwait X blocked=5ns\n k do_exit\n"
			"wait D blocked=6ns\n utrunc exec\n k bprm\n"
			"wait S blocked=1ns\n u main\n",
			"1 1");
}

static void test_complete__looks_at_the_root_only_once_there(void **state)
{
	/* 32-bit programs have a sure leaf, and no more */
	assert_complete("task 1/1 a\nwait S blocked=1ns\n utrunc 32bit\n u leaf\n",
			"1 0; 1 1 32-bit program");
	(void)state;
}

static void test_complete__is_nothing_without_the_user_side(void **state)
{
	(void)state;
	assert_complete("sides kernel\ntask 1/1 a\nwait S blocked=10ns\n k sys\n", "0 0");
	assert_complete("", "0 0");
}

static void test_complete__has_stable_names_and_a_module(void **state)
{
	struct profile *p = lit(MODULES "task 1/1 a S=9ns\n"
					"wait S blocked=4ns\n utrunc frame_pointer @bar\n u x\n"
					"wait S blocked=3ns\n");
	struct complete c;
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(complete__build(p, &a, &c, NULL), 0);
	assert_int_equal(c.len, 3);
	assert_string_equal(c.rows[0].reason, "frame_pointer");
	assert_int_equal(c.rows[0].module, 3);
	assert_string_equal(c.rows[1].reason, "no_stack");
	assert_int_equal(c.rows[1].module, 0);
	assert_string_equal(c.rows[2].reason, "lost");
	arena__done(&a);
	profile__free(p);
}

static void test_complete__adds_up_variances(void **state)
{
	struct profile *p = lit("period 1ms\n"
				"task 1/1 main\n"
				"wait S blocked=5ms count=50 samples=5 var=4000000\n u a\n"
				"wait D blocked=3ms count=30 samples=3 var=2000000\n u a\n"
				"wait S blocked=1ms count=10 samples=1 var=900000\n k sys\n");
	struct complete c;
	struct arena a;

	(void)state;
	arena__init(&a);
	assert_int_equal(complete__build(p, &a, &c, NULL), 0);
	assert_int_equal(c.whole_var_us2, 6000000);
	assert_int_equal(c.total_var_us2, 6900000);
	assert_int_equal(c.len, 1);
	assert_int_equal(c.rows[0].var_us2, 900000);
	arena__done(&a);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete__counts_blocked_and_run_queue),
		cmocka_unit_test(test_complete__tells_reason_and_file),
		cmocka_unit_test(test_complete__joins_files_with_the_same_name),
		cmocka_unit_test(test_complete__counts_waits_without_a_stack),
		cmocka_unit_test(test_complete__leaves_out_who_has_no_user_stack),
		cmocka_unit_test(test_complete__looks_at_the_root_only_once_there),
		cmocka_unit_test(test_complete__is_nothing_without_the_user_side),
		cmocka_unit_test(test_complete__has_stable_names_and_a_module),
		cmocka_unit_test(test_complete__adds_up_variances),
	};

	return cmocka_run_group_tests_name("complete", tests, NULL, NULL);
}
