/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of windows, and what of them counts as longer than before. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/regress/regress.h"
#include "analysis/regress/student.h"
#include "lib/lit.h"

struct fixture {
	struct regress_rows rows;
	struct arena arena;
	struct regress found;
};

static void begin(struct fixture *f)
{
	arena__init(&f->arena);
	assert_int_equal(regress_rows__init(&f->rows, NULL), 0);
}

static void end(struct fixture *f)
{
	regress_rows__done(&f->rows);
	arena__done(&f->arena);
}

/* A window in which `commit` of db waited for `commit_ms`, and another for 100 ms a second. */
static void add(struct fixture *f, u32 day, bool is_sum, u32 seconds, u32 commit_ms)
{
	char text[640];
	struct profile *p;

	snprintf(text, sizeof(text),
		 "host a\nkernel 6.18\nboot 1\nncpu 1\nwindow %us\nmodule db elf /usr/bin/db\n"
		 "task 4/4 db start=7\n"
		 "wait D sys=74 blocked=%ums count=1 max=1ms\n u @db 1 main\n u @db 2 commit\n"
		 "wait D sys=17 blocked=%ums count=1 max=1ms\n u @db 1 main\n u @db 3 load\n"
		 "task 9/9 kworker/0:1 flags=kthread start=9\n"
		 "wait D blocked=%ums count=1 max=1ms\n k io_schedule\n",
		 seconds, commit_ms ? commit_ms : 1, 100 * seconds, 50 * seconds);
	p = lit(text);
	assert_int_equal(regress_rows__add(&f->rows, p, NULL, day, is_sum, NULL), 0);
	profile__free(p);
}

static const struct regress_item *find(struct fixture *f, const char *function)
{
	assert_int_equal(regress__find(&f->rows, &f->arena, &f->found, NULL), 0);
	for (u32 i = 0; i < f->found.len; i++) {
		const struct regress_item *it = &f->found.items[i];

		if (it->kind == REGRESS_FUNCTION && !strcmp(it->function, function))
			return it;
	}
	return NULL;
}

static void assert_near(double x, double y, double part)
{
	if (!(fabs(x - y) <= part * fabs(y)))
		fail_msg("%.12g is not %.12g", x, y);
}

/* Values of R: pt(t, df, lower.tail = FALSE) */
static void test_student_above_is_that_of_tables(void **state)
{
	(void)state;
	assert_near(student_above(0, 5), 0.5, 1e-12);
	assert_near(student_above(1, 1), 0.25, 1e-10);
	assert_near(student_above(2.0150483726691575, 5), 0.05, 1e-8);
	assert_near(student_above(3.1426684032909810, 6), 0.01, 1e-8);
	assert_near(student_above(-3.1426684032909810, 6), 0.99, 1e-8);
	assert_near(student_above(1.6448536269514722, 1e9), 0.05, 1e-5);
	/* of one degree of freedom it is Cauchy's: atan(1/t) / pi */
	assert_near(student_above(1e6, 1), atan(1e-6) / M_PI, 1e-9);
	assert_true(student_above(INFINITY, 6) < 1e-200);
}

static void test_regress_is_more_than_days_vary(void **state)
{
	struct fixture f = { 0 };
	const struct regress_item *it;

	(void)state;
	begin(&f);
	for (u32 day = 7; day > 0; day--) {
		for (u32 w = 0; w < 12; w++)
			add(&f, day, false, 60, 6000 + day % 3 * 300 + w % 4 * 200);
	}
	for (u32 w = 0; w < 12; w++)
		add(&f, 0, false, 60, 9000 + w % 4 * 200);
	it = find(&f, "commit");
	assert_non_null(it);
	assert_string_equal(it->process, "db");
	assert_string_equal(it->module, "db");
	assert_near(it->rate[1], 155e6, 0.001);
	assert_near(it->rate[0], 110e6, 0.02);
	assert_true(it->error > 1e6 && it->error < 20e6);
	assert_int_equal(f.found.days, 7);
	assert_true(f.found.by_days && f.found.by_windows);
	assert_null(find(&f, "load"));
	end(&f);
}

/* As much as in one of the days before: windows alone would find it. */
static void test_regress_is_not_what_days_differ_by(void **state)
{
	struct fixture f = { 0 };

	(void)state;
	begin(&f);
	for (u32 day = 7; day > 0; day--) {
		for (u32 w = 0; w < 12; w++)
			add(&f, day, false, 60, (day == 3 ? 9000 : 6000) + w % 4 * 200);
	}
	for (u32 w = 0; w < 12; w++)
		add(&f, 0, false, 60, 9000 + w % 4 * 200);
	assert_null(find(&f, "commit"));
	end(&f);
}

/* All of it in one window of twelve: days alone would find it. */
static void test_regress_is_not_a_single_window(void **state)
{
	struct fixture f = { 0 };

	(void)state;
	begin(&f);
	for (u32 day = 7; day > 0; day--) {
		for (u32 w = 0; w < 12; w++)
			add(&f, day, false, 60, 6000);
	}
	for (u32 w = 0; w < 12; w++)
		add(&f, 0, false, 60, w == 5 ? 60000 : 6000);
	assert_null(find(&f, "commit"));
	end(&f);
}

/* With one day before, only windows can tell. */
static void test_regress_is_more_than_windows_vary(void **state)
{
	for (u32 more = 0; more < 2; more++) {
		struct fixture f = { 0 };

		(void)state;
		begin(&f);
		for (u32 w = 0; w < 24; w++)
			add(&f, 1, false, 60, 6000 + w * 7 % 24 * 200);
		for (u32 w = 0; w < 24; w++)
			add(&f, 0, false, 60, 6500 + more * 5000 + w * 7 % 24 * 200);
		assert_int_equal(find(&f, "commit") != NULL, more);
		assert_false(f.found.by_days);
		end(&f);
	}
}

static void test_regress_takes_rates_whatever_the_length(void **state)
{
	struct fixture f = { 0 };

	(void)state;
	begin(&f);
	for (u32 day = 7; day > 0; day--) {
		for (u32 w = 0; w < 12; w++)
			add(&f, day, false, 60, 6000 + day % 3 * 20 + w % 2 * 20);
	}
	/* half as many windows, of other lengths, with as much a second */
	for (u32 w = 0; w < 6; w++) {
		add(&f, 0, false, 120, 12000 + w % 2 * 40);
		add(&f, 0, false, 5, 500);
	}
	assert_null(find(&f, "commit"));
	/* the short ones are parts of those before */
	assert_int_equal(f.found.windows[1], 6);
	assert_near(f.found.seconds[1], 750, 1e-9);
	end(&f);
}

static void test_regress_needs_days_or_windows(void **state)
{
	struct fixture f = { 0 };
	struct err err = { 0 };

	(void)state;
	begin(&f);
	add(&f, 0, true, 3600, 900000);
	assert_int_equal(regress__find(&f.rows, &f.arena, &f.found, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "days before"));
	add(&f, 1, true, 3600, 1000);
	add(&f, 2, true, 3600, 1000);
	assert_null(find(&f, "commit"));
	assert_false(f.found.by_days || f.found.by_windows);
	/* sums are enough if there are days */
	add(&f, 3, true, 3600, 1000);
	assert_non_null(find(&f, "commit"));
	assert_true(f.found.by_days && !f.found.by_windows);
	end(&f);
}

static void test_regress_rows_join_kernel_threads(void **state)
{
	struct fixture f = { 0 };
	u32 kworkers = 0;

	(void)state;
	begin(&f);
	add(&f, 0, false, 60, 1);
	for (u32 i = 1; i < intern__len(&f.rows.keys); i++) {
		const struct regress_key *key = intern__at(&f.rows.keys, i);

		kworkers += !strcmp(strtab__get(&f.rows.names, key->process), "kworker");
	}
	assert_int_equal(kworkers, 1);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student_above_is_that_of_tables),
		cmocka_unit_test(test_regress_is_more_than_days_vary),
		cmocka_unit_test(test_regress_is_not_what_days_differ_by),
		cmocka_unit_test(test_regress_is_not_a_single_window),
		cmocka_unit_test(test_regress_is_more_than_windows_vary),
		cmocka_unit_test(test_regress_takes_rates_whatever_the_length),
		cmocka_unit_test(test_regress_needs_days_or_windows),
		cmocka_unit_test(test_regress_rows_join_kernel_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
