/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/import/imported.h"

#define SWITCH(prev, pid, state, next, npid)                                                       \
	"sched:sched_switch: prev_comm=" prev " prev_pid=" pid " prev_prio=120 prev_state=" state  \
	" ==> next_comm=" next " next_pid=" npid " next_prio=120\n"

/*
 * On CPU 0: a is there, blocks at 1.1, is woken at 1.3 and back at 1.4; b runs between, is
 * preempted at 1.4, and back at 1.6, when a blocks until the end.
 */
/* clang-format off */
static const char trace[] =
	"# ========\n"
	"# hostname : web1\n"
	"# os release : 6.1.0\n"
	"# nrcpus online : 2\n"
	"# arch : x86_64\n"
	"# ========\n"
	"   swapper     0/0     [001]     1.000000000: sched:sched_stat_runtime: comm=x pid=1\n"
	"\n"
	"a b    10/11 [000]     1.100000000: " SWITCH("a b", "11", "S", "b", "20")
	"\tffffffff821f8b58 __schedule+0x618 ([kernel.kallsyms])\n"
	"\tffffffff8143b6a2 __x64_sys_futex+0x112 ([kernel.kallsyms])\n"
	"\t           85f16 futex_wait@GLIBC_2.2.5+0xc6 (/usr/lib/libc.so.6)\n"
	"\t           11111 inl (inlined)\n"
	"\t    55a87b553460 [unknown] ([unknown])\n"
	"\n"
	"b    20/20 [000]     1.200000000: sched:sched_migrate_task: comm=a b pid=11 prio=120\n"
	"b    20/20 [000]     1.300000000: sched:sched_waking: comm=a b pid=11 prio=120\n"
	"b    20/20 [000]     1.310000000: sched:sched_wakeup: comm=a b pid=11 prio=120\n"
	"b    20/20 [000]     1.400000000: " SWITCH("b", "20", "R+", "a b", "11")
	"\n"
	"a b    10/11 [000]     1.600000000: " SWITCH("a b", "11", "D", "b", "20")
	"b    20/20 [000]     1.700000000: PERF_RECORD_LOST lost 5\n"
	"b    20/20 [000]     2.000000000: sched:sched_stat_runtime: comm=b pid=20\n"
	"b    20/20 [000]     2.100000000: " SWITCH("b", "20", "Z", "swapper/0", "0")
	"x     1/1 [001]     2.200000000: sched:sched_wakeup_new: comm=new pid=30 prio=120\n"
	"x     1/1 [001]     2.300000000: " SWITCH("x", "1", "S", "new", "30");
/* clang-format on */

static void assert_task(const struct profile *p, u32 tid, struct profile_task want)
{
	u32 i;

	for (i = 1; i < p->tasks_len && p->tasks[i].tid != tid; i++)
		;
	assert_true(i < p->tasks_len);
	assert_int_equal(p->tasks[i].tgid, want.tgid);
	assert_int_equal(p->tasks[i].on_ns, want.on_ns);
	assert_int_equal(p->tasks[i].preempted_ns, want.preempted_ns);
	assert_int_equal(p->tasks[i].runq_ns, want.runq_ns);
	assert_int_equal(p->tasks[i].unaccounted_ns, want.unaccounted_ns);
	assert_int_equal(p->tasks[i].begin_ns, want.begin_ns);
	assert_int_equal(p->tasks[i].wall_ns, want.wall_ns);
	assert_int_equal(p->tasks[i].switches, want.switches);
	assert_int_equal(p->tasks[i].flags, want.flags);
}

#define MS 1000000ULL

static void test_perf_script__gives_exact_times(void **state)
{
	struct profile *p = imported(view__of_str(trace), test_options());

	(void)state;
	assert_task(p, 11,
		    (struct profile_task){ .tgid = 10,
					   .on_ns = 300 * MS,
					   .runq_ns = 100 * MS,
					   .wall_ns = 1300 * MS,
					   .switches = 2 });
	/* it was runnable from the beginning: nobody woke it */
	assert_task(p, 20,
		    (struct profile_task){ .tgid = 20,
					   .on_ns = 800 * MS,
					   .preempted_ns = 300 * MS,
					   .wall_ns = 1100 * MS,
					   .switches = 2,
					   .flags = TASK_EXITED });
	assert_task(p, 1,
		    (struct profile_task){
			    .tgid = 1, .on_ns = 1300 * MS, .wall_ns = 1300 * MS, .switches = 1 });
	assert_task(p, 30,
		    (struct profile_task){ .runq_ns = 100 * MS,
					   .begin_ns = 1200 * MS,
					   .wall_ns = 100 * MS,
					   .flags = TASK_BORN });
	assert_int_equal(p->hdr.window_ns, 1300 * MS);
	assert_int_equal(p->hdr.ncpu, 2);
	assert_string_equal(profile__str(p, p->hdr.host), "web1");
	assert_int_equal(p->hdr.unknown, UNKNOWN_BEGIN | UNKNOWN_LOSSES);
	assert_int_equal(p->losses[LOSS_SOURCE_LOST].events, 5);
	profile__free(p);
}

static void test_perf_script__has_the_waits(void **state)
{
	struct profile *p = imported(view__of_str(trace), test_options());
	const struct profile_frame *f;
	u32 leaf;

	(void)state;
	assert_wait(p, 1,
		    (struct seen_wait){ "a b", 11, 'S', 1, 200 * MS, 100 * MS, 1,
					"?;inl;futex_wait", "__x64_sys_futex;__schedule" });
	assert_int_equal(p->waits[1].max_ns, 300 * MS);
	leaf = p->waits[1].ustack;
	f = &p->frames[p->stacks[leaf].frame];
	assert_string_equal(profile__str(p, p->modules[f->module].path), "/usr/lib/libc.so.6");
	assert_int_equal(p->frames[p->stacks[p->stacks[leaf].parent].frame].flags, FRAME_INLINED);
	assert_wait(p, 2, (struct seen_wait){ "b", 20, 'R', -1, 0, 200 * MS, 1, "", "" });
	assert_wait(p, 3, (struct seen_wait){ "new", 30, 'R', -1, 0, 100 * MS, 1, "", "" });
	assert_int_equal(p->waits[3].flags, WAIT_NEW);
	assert_wait(p, 4, (struct seen_wait){ "a b", 11, 'D', -1, 700 * MS, 0, 1, "", "" });
	assert_int_equal(p->waits[4].flags, WAIT_OPEN);
	profile__free(p);
}

static void test_perf_script__without_wakeups_the_run_queue_is_unknown(void **state)
{
	struct profile *p =
		imported(view__of_str(
				 "a 11 [000] 1.5: " SWITCH("a", "11", "S", "b",
							   "2") "b 2 [000] 2.5: " SWITCH("b", "2",
											 "R", "a",
											 "11")),
			 test_options());

	(void)state;
	assert_int_equal(p->hdr.unknown, UNKNOWN_BEGIN | UNKNOWN_LOSSES | UNKNOWN_MACHINE |
						 UNKNOWN_RUNQ | UNKNOWN_PROCESSES);
	assert_wait(p, 1, (struct seen_wait){ "a", 11, 'S', -1, 1000 * MS, 0, 1, "", "" });
	assert_int_equal(p->losses[LOSS_SPLIT_MISSING].events, 0);
	profile__free(p);
}

static void test_perf_script__a_missed_switch_is_unaccounted(void **state)
{
	struct profile *p = imported(
		view__of_str("a 11 [000] 1.0: " SWITCH(
			"a", "11", "S", "b",
			"2") "a 11 [001] 2.0: " SWITCH("a", "11", "S", "c",
						       "3") "c 3 [001] 4.0: " SWITCH("c", "3", "S",
										     "a", "11")),
		test_options());

	(void)state;
	assert_task(p, 11,
		    (struct profile_task){
			    .unaccounted_ns = 1000 * MS, .wall_ns = 3000 * MS, .switches = 2 });
	profile__free(p);
}

/* Without events of births, a thread may have been born just before it first ran. */
static void test_perf_script__a_newborn_has_no_time_before_it(void **state)
{
	struct profile *p = imported(
		view__of_str("a 11 [000] 1.0: " SWITCH(
			"a", "11", "S", "b",
			"2") "b 2 [000] 2.0: sched:sched_waking: comm=a pid=11 prio=120\n"
			     "b 2 [000] 3.0: " SWITCH("b", "2", "S", "new",
						      "3") "new 3 [000] 4.0: " SWITCH("new", "3",
										      "S", "a",
										      "11")),
		test_options());

	(void)state;
	assert_task(p, 3,
		    (struct profile_task){ .on_ns = 1000 * MS,
					   .begin_ns = 2000 * MS,
					   .wall_ns = 1000 * MS,
					   .switches = 1 });
	profile__free(p);
}

/* What lies between the end of a thread and the birth of the next one of its number is no wait. */
static void test_perf_script__a_number_is_used_again(void **state)
{
	struct profile *p = imported(
		view__of_str("a 11 [000] 1.0: " SWITCH(
			"a", "11", "Z", "b",
			"2") "b 2 [000] 8.0: sched:sched_wakeup_new: comm=a pid=11 prio=120\n"
			     "b 2 [000] 9.0: " SWITCH("b", "2", "S", "a",
						      "11") "a 11 [000] 10.0: " SWITCH("a", "11",
										       "S", "b",
										       "2")),
		test_options());
	u64 blocked_ns = 0, runq_ns = 0;
	u32 i;

	(void)state;
	for (i = 1; i < p->waits_len; i++) {
		if (p->tasks[p->waits[i].task].tid != 11)
			continue;
		blocked_ns += p->waits[i].blocked_ns;
		runq_ns += p->waits[i].runq_ns;
	}
	assert_int_equal(blocked_ns, 0);
	assert_int_equal(runq_ns, 1000 * MS);
	profile__free(p);
}

static void test_perf_script__reads_off_cpu_samples(void **state)
{
	struct profile *p = imported(
		view__of_str("Isolated Web Co   59932 [028] 63839.594437: 1000049427 offcpu-time:\n"
			     "\t    7f1 poll (/usr/lib/libc.so.6)\n\t    7f2 main (/bin/x)\n\n"),
		test_options());

	(void)state;
	assert_wait(p, 1,
		    (struct seen_wait){ "Isolated Web Co", 59932, 'S', -1, 1000049427, 0, 0,
					"main;poll", "" });
	assert_string_equal(profile__str(p, p->hdr.source), "perf record --off-cpu");
	profile__free(p);
}

static void test_perf_script__refuses_with_the_line(void **state)
{
	struct import_options opt = test_options();

	(void)state;
	opt.format = "perf-script";
	assert_refused(view__of_str("a 1 [000] 1.0: cycles:\n"), opt,
		       "'in.txt' has no events of the scheduler: record with `perf sched record "
		       "-g` or `perf record -e sched:sched_switch -a -g`");
	assert_refused(view__of_str("a 1 [000] 1.0: sched:sched_switch: prev_comm=a\n\n"), opt,
		       "in.txt:2: a sched_switch above here without its fields");
	assert_refused(view__of_str("hello\n"), opt, "in.txt:1: neither an event nor a frame");
}

/* Every prefix is a sound profile or an error. */
static void test_perf_script__cut_anywhere_is_sound_or_an_error(void **state)
{
	struct import_options opt = test_options();
	size_t len;

	(void)state;
	opt.format = "perf-script";
	for (len = 0; len < sizeof(trace); len++) {
		struct profile *p = NULL;

		if (import_bytes(view__of(trace, len), &opt, &p, NULL))
			assert_null(p);
		profile__free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_script__gives_exact_times),
		cmocka_unit_test(test_perf_script__has_the_waits),
		cmocka_unit_test(test_perf_script__without_wakeups_the_run_queue_is_unknown),
		cmocka_unit_test(test_perf_script__a_missed_switch_is_unaccounted),
		cmocka_unit_test(test_perf_script__a_newborn_has_no_time_before_it),
		cmocka_unit_test(test_perf_script__a_number_is_used_again),
		cmocka_unit_test(test_perf_script__reads_off_cpu_samples),
		cmocka_unit_test(test_perf_script__refuses_with_the_line),
		cmocka_unit_test(test_perf_script__cut_anywhere_is_sound_or_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
