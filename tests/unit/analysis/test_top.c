/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/view/time_view.h"
#include "analysis/model/top.h"
#include "lib/lit.h"

static const char text[] = "task 1/1 main group=app\n"
			   "wait S sys=futex blocked=10ms runq=1ms count=4 max=7ms\n"
			   " u main\n u lock_a\n k do_futex\n"
			   "wait S sys=futex blocked=20ms count=2\n"
			   " u main\n u lock_b\n k do_futex\n"
			   "wait R sys=futex flags=preempted runq=3ms\n"
			   "task 1/2 worker group=app\n"
			   "wait S sys=futex blocked=5ms count=1\n"
			   " u main\n u lock_a\n k do_futex\n"
			   "wait S sys=futex blocked=5ms flags=open\n"
			   " u main\n u lock_a\n k do_futex\n"
			   "wait R sys=read flags=preempted runq=2ms\n"
			   "wait D sys=futex blocked=1ms\n"
			   "task 9/9 other\n"
			   "wait S sys=futex blocked=1ms\n"
			   " u main\n u lock_a\n k do_futex\n";

static void build(struct profile **p, enum top_by by, struct arena *a, struct top *top)
{
	*p = lit(text);
	arena__init(a);
	assert_int_equal(top__build(*p, by, NULL, a, top, NULL), 0);
}

static void test_top__by_cause_joins_threads_and_places(void **state)
{
	struct profile *p;
	struct arena a;
	struct top t;

	(void)state;
	build(&p, TOP_BY_CAUSE, &a, &t);
	assert_int_equal(t.len, 3);
	assert_int_equal(t.rows[0].cause, CAUSE_FUTEX);
	assert_string_equal(t.rows[0].syscall, "futex");
	assert_int_equal(t.rows[0].blocked_ns, 41000000);
	assert_int_equal(t.rows[0].runq_ns, 1000000);
	assert_int_equal(t.rows[0].count, 9);
	assert_int_equal(t.rows[0].max_ns, 10000000);
	assert_null(t.rows[0].comm);
	arena__done(&a);
	profile__free(p);
}

static void test_top__by_cause_drops_the_call_where_it_says_nothing(void **state)
{
	struct profile *p;
	struct arena a;
	struct top t;

	(void)state;
	build(&p, TOP_BY_CAUSE, &a, &t);
	assert_int_equal(t.rows[1].cause, CAUSE_PREEMPTED);
	assert_null(t.rows[1].syscall);
	assert_int_equal(top_row__ns(&t.rows[1]), 5000000);
	assert_int_equal(t.rows[2].state, 2);
	arena__done(&a);
	profile__free(p);
}

static void test_top__by_place_splits_places_and_processes(void **state)
{
	struct profile *p;
	struct arena a;
	struct top t;

	(void)state;
	build(&p, TOP_BY_PLACE, &a, &t);
	assert_string_equal(t.rows[0].user, "lock_a < main");
	assert_string_equal(t.rows[0].kernel, "do_futex");
	assert_string_equal(t.rows[0].comm, "app");
	assert_int_equal(top_row__ns(&t.rows[0]), 21000000);
	assert_string_equal(t.rows[1].user, "lock_b < main");
	assert_int_equal(top_row__ns(&t.rows[1]), 20000000);
	assert_string_equal(t.rows[t.len - 2].comm, "other");
	assert_int_equal(t.rows[t.len - 1].state, 2);
	arena__done(&a);
	profile__free(p);
}

/* Where in the kernel a call waited says nothing of the program. */
static void test_top__by_place_folds_the_kernel_to_the_call(void **state)
{
	struct profile *p = lit("task 1/1 a\n"
				"wait S sys=read blocked=2ms\n k vfs_read\n k one_read\n"
				"wait S sys=read blocked=1ms\n k vfs_read\n k other_read\n"
				"wait S sys=write blocked=4ms\n k vfs_write\n k one_write\n"
				"wait D blocked=8ms\n k kthread\n k kswapd\n"
				"wait D blocked=16ms\n k kthread\n k rescuer_thread\n");
	struct arena a;
	struct top t;

	(void)state;
	arena__init(&a);
	assert_int_equal(top__build(p, TOP_BY_PLACE, NULL, &a, &t, NULL), 0);
	assert_int_equal(t.len, 4);
	assert_string_equal(t.rows[3].syscall, "read");
	assert_int_equal(t.rows[3].blocked_ns, 3000000);
	arena__done(&a);
	profile__free(p);
}

static void test_top__rows_add_up_to_what_is_listed(void **state)
{
	enum top_by by;

	(void)state;
	for (by = TOP_BY_CAUSE; by <= TOP_BY_PLACE; by++) {
		struct profile_budget b;
		u64 blocked = 0, runq = 0, hist = 0, count = 0;
		struct profile *p;
		struct arena a;
		struct top t;
		u32 i, h;

		build(&p, by, &a, &t);
		assert_int_equal(profile__budget(p, &b), 0);
		for (i = 0; i < t.len; i++) {
			blocked += t.rows[i].blocked_ns;
			runq += t.rows[i].runq_ns;
			count += t.rows[i].count;
			for (h = 0; h < PROFILE_HIST_LEN; h++)
				hist += t.rows[i].hist[h];
			assert_true(!i || top_row__ns(&t.rows[i - 1]) >= top_row__ns(&t.rows[i]));
		}
		assert_int_equal(blocked, b.listed_blocked_ns);
		assert_int_equal(runq, b.listed_runq_ns);
		assert_int_equal(blocked, t.blocked_ns);
		assert_int_equal(runq, t.runq_ns);
		assert_int_equal(count, hist);
		arena__done(&a);
		profile__free(p);
	}
}

static void test_top__of_an_empty_profile_has_no_rows(void **state)
{
	struct profile *p = lit("");
	struct arena a;
	struct top t;

	(void)state;
	arena__init(&a);
	assert_int_equal(top__build(p, TOP_BY_PLACE, NULL, &a, &t, NULL), 0);
	assert_int_equal(t.len, 0);
	arena__done(&a);
	profile__free(p);
}

static void test_top__of_another_machine_has_no_names_of_calls(void **state)
{
	struct profile *p = lit("arch riscv64\ntask 1/1 a\nwait S sys=futex blocked=1ms\n");
	struct arena a;
	struct top t;

	(void)state;
	arena__init(&a);
	assert_int_equal(top__build(p, TOP_BY_CAUSE, NULL, &a, &t, NULL), 0);
	assert_int_equal(t.rows[0].cause, CAUSE_SYSCALL);
	assert_null(t.rows[0].syscall);
	arena__done(&a);
	profile__free(p);
}

static void test_top__adds_up_samples_and_variances(void **state)
{
	struct profile *p =
		lit("period 1ms\n"
		    "task 1/1 main S=9ms\n"
		    "wait S sys=futex blocked=5ms count=50 samples=5 var=4000000\n u a\n"
		    "wait S sys=futex blocked=3ms count=30 samples=3 var=2000000\n u b\n"
		    "wait D blocked=2ms\n");
	struct arena a;
	struct top t;

	(void)state;
	arena__init(&a);
	assert_int_equal(top__build(p, TOP_BY_CAUSE, NULL, &a, &t, NULL), 0);
	assert_int_equal(t.len, 2);
	assert_int_equal(t.rows[0].samples, 8);
	assert_int_equal(t.rows[0].count, 80);
	assert_int_equal(t.rows[0].var_us2, 6000000);
	assert_int_equal(t.rows[1].samples, 1);
	assert_int_equal(t.rows[1].var_us2, 0);
	arena__done(&a);
	profile__free(p);
}

/* A number of waits of a part would be read as that of all, and so would a mean. */
static void test_top__has_no_count_if_a_part_has_none(void **state)
{
	struct profile *p = lit("task 1/1 main S=8ms D=1ms\n"
				"wait S sys=futex flags=summed blocked=5ms count=50\n u a\n"
				"wait S sys=futex flags=summed blocked=3ms count=0\n u b\n"
				"wait D flags=summed blocked=1ms count=7\n");
	struct arena a;
	struct top t;

	(void)state;
	arena__init(&a);
	assert_int_equal(top__build(p, TOP_BY_CAUSE, NULL, &a, &t, NULL), 0);
	assert_int_equal(t.len, 2);
	assert_int_equal(t.rows[0].blocked_ns, 8000000);
	assert_int_equal(t.rows[0].count, 0);
	assert_int_equal(t.rows[1].count, 7);
	arena__done(&a);
	profile__free(p);
}

/* How it divides is estimated; that it is all time on a CPU of these threads is known. */
static void test_top__time_on_a_cpu_of_whole_threads_is_exact(void **state)
{
	static const char hot[] = "window 1s\non_cpu_hz 99\non_cpu_samples 8\n"
				  "task 1/1 main on=80ms\n"
				  "wait S sys=futex blocked=10ms\n u main\n k do_futex\n"
				  "hot on=50ms samples=5 var=1000000\n u main\n u a\n"
				  "hot on=30ms samples=3 var=1000000\n u main\n u b\n";
	static const struct {
		enum group_by by;
		bool exact;
	} cases[] = { { GROUP_BY_THREAD, true }, { GROUP_BY_PROCESS, true },
		      { GROUP_BY_COMM, true },	 { GROUP_BY_CGROUP, true },
		      { GROUP_BY_CAUSE, true },	 { GROUP_BY_CLASS, true },
		      { GROUP_BY_STACK, false }, { GROUP_BY_MODULE, false } };
	struct profile *p = lit(hot);
	struct viewed rows;
	size_t i;
	u32 row;

	(void)state;
	assert_int_equal(viewed__init(&rows, p, VIEW_WALL, NULL), 0);
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct arena a;
		struct top t;
		u64 var_us2 = 0;

		arena__init(&a);
		assert_int_equal(top__build_groups(rows.p,
						   (struct top_groups){ cases[i].by, false }, NULL,
						   &a, &t, NULL),
				 0);
		for (row = 0; row < t.len; row++)
			var_us2 += t.rows[row].var_us2;
		assert_int_equal(!var_us2, cases[i].exact);
		arena__done(&a);
	}
	viewed__done(&rows);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_top__by_cause_joins_threads_and_places),
		cmocka_unit_test(test_top__by_cause_drops_the_call_where_it_says_nothing),
		cmocka_unit_test(test_top__by_place_splits_places_and_processes),
		cmocka_unit_test(test_top__by_place_folds_the_kernel_to_the_call),
		cmocka_unit_test(test_top__rows_add_up_to_what_is_listed),
		cmocka_unit_test(test_top__of_an_empty_profile_has_no_rows),
		cmocka_unit_test(test_top__of_another_machine_has_no_names_of_calls),
		cmocka_unit_test(test_top__adds_up_samples_and_variances),
		cmocka_unit_test(test_top__has_no_count_if_a_part_has_none),
		cmocka_unit_test(test_top__time_on_a_cpu_of_whole_threads_is_exact),
	};

	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}
