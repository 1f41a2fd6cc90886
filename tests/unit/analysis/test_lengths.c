/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/model/lengths.h"
#include "lib/lit.h"

static const char two[] = "hist_unit 1000\n"
			  "task 10/10 web on=9us hist_on=3us hist_runq=500ns hist_blocked=4200ns "
			  "switches=3 runq=3us\n"
			  "  hists on=1:3 off=5:2 runq=0:2 blocked=5:2\n"
			  "  wait S blocked=6us runq=3us\n"
			  "task 10/11 db group=web on=90us hist_on=70us switches=1\n"
			  "  hists on=25:1\n"
			  "  wait S blocked=3us\n";

static void build(const struct profile *p, enum hist_kind kind, enum group_by by, struct arena *a,
		  struct lengths *ret)
{
	struct err err = { 0 };

	arena__init(a);
	if (profile__check(p, &err) || lengths__build(p, kind, by, a, ret, &err))
		fail_msg("%s", err.msg);
}

static void test_lengths__adds_up_each_group_and_all(void **state)
{
	struct profile *p = lit(two);
	struct lengths l;
	struct arena a;

	(void)state;
	build(p, HIST_ON, GROUP_BY_COMM, &a, &l);
	assert_int_equal(l.len, 2);
	assert_string_equal(l.rows[0].group, "db");
	assert_int_equal(l.rows[0].ns, 70000);
	assert_int_equal(l.rows[0].cut_ns, 20000);
	assert_int_equal(l.rows[1].bins[1], 3);
	assert_int_equal(l.all.ns, 73000);
	assert_int_equal(l.all.cut_ns, 26000);
	assert_int_equal(l.all.count, 4);
	arena__done(&a);
	build(p, HIST_ON, GROUP_BY_PROCESS, &a, &l);
	assert_int_equal(l.len, 1);
	assert_string_equal(l.rows[0].group, "web-10");
	assert_int_equal(l.rows[0].count, 4);
	arena__done(&a);
	profile__free(p);
}

static void test_lengths__knows_the_time_of_each_kind(void **state)
{
	static const struct {
		enum hist_kind kind;
		u64 ns;
		u64 cut_ns;
		u64 count;
	} want[] = {
		{ HIST_OFF, 4700, 7300, 2 },
		{ HIST_RUNQ, 500, 2500, 2 },
		{ HIST_BLOCKED, 4200, 4800, 2 },
	};
	struct profile *p = lit(two);
	struct lengths l;
	struct arena a;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(want); i++) {
		build(p, want[i].kind, GROUP_BY_COMM, &a, &l);
		assert_int_equal(l.all.ns, want[i].ns);
		assert_int_equal(l.all.cut_ns, want[i].cut_ns);
		assert_int_equal(l.all.count, want[i].count);
		arena__done(&a);
	}
	profile__free(p);
}

static void test_lengths_row__quantile_is_the_end_of_its_bucket(void **state)
{
	struct lengths_row row = { .count = 100, .bins = { [3] = 98, [7] = 1, [120] = 1 } };
	struct lengths_row none = { .count = 0 };

	(void)state;
	assert_int_equal(lengths_row__quantile_ns(&none, 1000, 500), 0);
	assert_int_equal(lengths_row__quantile_ns(&row, 1000, 500), bins_floor_ns(1000, 4));
	assert_int_equal(lengths_row__quantile_ns(&row, 1000, 980), bins_floor_ns(1000, 4));
	assert_int_equal(lengths_row__quantile_ns(&row, 1000, 990), bins_floor_ns(1000, 8));
	assert_true(lengths_row__quantile_ns(&row, 1000, 1000) == ~0ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths__adds_up_each_group_and_all),
		cmocka_unit_test(test_lengths__knows_the_time_of_each_kind),
		cmocka_unit_test(test_lengths_row__quantile_is_the_end_of_its_bucket),
	};

	return cmocka_run_group_tests_name("analysis/lengths", tests, NULL, NULL);
}
