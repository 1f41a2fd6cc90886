/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/import/imported.h"

static struct import_options in_us(void)
{
	struct import_options opt = test_options();

	opt.unit = IMPORT_UNIT_US;
	return opt;
}

static struct profile *folded(const char *text)
{
	return imported(view__of_str(text), in_us());
}

static void test_folded__finds_where_the_kernel_begins(void **state)
{
	struct profile *p =
		folded("web;main;serve;read;entry_SYSCALL_64_after_hwframe;do_syscall_64;"
		       "__x64_sys_read;vfs_read;schedule 1500\n"
		       "web;main;work 20\n"
		       "kworker/0:1;ret_from_fork_asm;kthread;worker_thread;schedule 7\n"
		       "old;main;sys_poll;schedule_timeout 3\n"
		       "cut;main;schedule 4\n");

	(void)state;
	assert_int_equal(p->waits_len, 6);
	assert_wait(p, 1,
		    (struct seen_wait){ "web", 0, 'S', 0, 1500000, 0, 0, "main;serve;read",
					"entry_SYSCALL_64_after_hwframe;do_syscall_64;__x64_sys_"
					"read;vfs_read;schedule" });
	assert_wait(p, 2, (struct seen_wait){ "web", 0, 'S', -1, 20000, 0, 0, "main;work", "" });
	assert_wait(p, 3,
		    (struct seen_wait){ "kworker/0:1", 0, 'I', -1, 7000, 0, 0, "",
					"ret_from_fork_asm;kthread;worker_thread;schedule" });
	assert_wait(p, 4,
		    (struct seen_wait){ "old", 0, 'S', 2, 3000, 0, 0, "main",
					"sys_poll;schedule_timeout" });
	assert_wait(p, 5, (struct seen_wait){ "cut", 0, 'S', -1, 4000, 0, 0, "main", "schedule" });
	assert_int_equal(p->tasks[2].flags, TASK_KTHREAD);
	assert_int_equal(p->tasks[1].flags, 0);
	profile__free(p);
}

static void test_folded__takes_the_marks_of_other_tools(void **state)
{
	struct profile *p = folded("# a comment\n"
				   "\n"
				   "a b;main;f_[i];x_[k];y_[k] 5\n"
				   "c;main;-;do_wait;schedule 6\n"
				   "d-70/71;[state D];main;io_[k] 7\n"
				   "e-x-?/9;[Missed User Stack];schedule 8\n"
				   "f-3;main 9\r\n");

	(void)state;
	assert_wait(p, 1, (struct seen_wait){ "a b", 0, 'S', -1, 5000, 0, 0, "main;f", "x;y" });
	assert_int_equal(p->frames[2].flags, FRAME_INLINED);
	assert_wait(p, 2,
		    (struct seen_wait){ "c", 0, 'S', -1, 6000, 0, 0, "main", "do_wait;schedule" });
	assert_wait(p, 3, (struct seen_wait){ "d", 71, 'D', -1, 7000, 0, 0, "main", "io" });
	assert_int_equal(p->tasks[3].tgid, 70);
	assert_wait(p, 4, (struct seen_wait){ "e-x", 9, 'S', -1, 8000, 0, 0, "", "schedule" });
	assert_int_equal(p->losses[LOSS_SOURCE_BARE].events, 1);
	assert_int_equal(p->losses[LOSS_SOURCE_BARE].ns, 8000);
	assert_wait(p, 5, (struct seen_wait){ "f-3", 0, 'S', -1, 9000, 0, 0, "main", "" });
	profile__free(p);
}

static void test_folded__preempted_threads_wait_for_a_cpu(void **state)
{
	struct profile *p =
		folded("a;main;asm_sysvec_apic_timer_interrupt;irqentry_exit_to_user_mode;"
		       "schedule 10\n"
		       "a;main;asm_exc_page_fault;io_schedule 20\n"
		       "a;main;do_syscall_64;exit_to_user_mode_loop;get_signal;"
		       "do_signal_stop;schedule 30\n");

	(void)state;
	assert_int_equal(p->waits[1].state, 0);
	assert_int_equal(p->waits[1].runq_ns, 10000);
	assert_int_equal(p->waits[2].state, 2);
	assert_int_equal(p->waits[3].state, 1);
	assert_int_equal(p->tasks[1].preempted_ns, 10000);
	profile__free(p);
}

static void test_folded__trims_the_tracer(void **state)
{
	struct profile *p =
		folded("a;main;do_syscall_64;schedule;__schedule;__traceiter_sched_switch;"
		       "bpf_trace_run4;bpf_prog_6896_sched_switch 10\n");

	(void)state;
	assert_wait(p, 1,
		    (struct seen_wait){ "a", 0, 'S', -1, 10000, 0, 0, "main",
					"do_syscall_64;schedule;__schedule" });
	profile__free(p);
}

static void test_folded__says_what_it_does_not_know(void **state)
{
	struct import_options opt = in_us();
	struct profile *p = folded("a-1/2;main 10\nb;main 10\n");

	(void)state;
	assert_int_equal(p->hdr.unknown & (UNKNOWN_THREADS | UNKNOWN_WINDOW | UNKNOWN_MIXED),
			 UNKNOWN_THREADS | UNKNOWN_WINDOW);
	assert_int_equal(p->hdr.unknown & (UNKNOWN_COUNTS | UNKNOWN_ON_CPU | UNKNOWN_LOSSES),
			 UNKNOWN_COUNTS | UNKNOWN_ON_CPU | UNKNOWN_LOSSES);
	assert_string_equal(profile__str(p, p->hdr.source), "folded stacks");
	assert_string_equal(profile__str(p, p->hdr.target), "in.txt");
	profile__free(p);
	opt.window_ns = NSEC_PER_SEC;
	p = imported(view__of_str("a-1/2;main 10\n"), opt);
	assert_int_equal(p->hdr.unknown & (UNKNOWN_THREADS | UNKNOWN_WINDOW), 0);
	assert_int_equal(p->hdr.window_ns, NSEC_PER_SEC);
	profile__free(p);
}

static void test_folded__knows_units(void **state)
{
	static const struct {
		enum import_unit unit;
		u64 ns;
	} units[] = {
		{ IMPORT_UNIT_US, 2500 },
		{ IMPORT_UNIT_NS, 2 },
		{ IMPORT_UNIT_MS, 2500000 },
		{ IMPORT_UNIT_SAMPLES, 25000000 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(units); i++) {
		struct import_options opt = test_options();
		struct profile *p;

		opt.unit = units[i].unit;
		opt.period_ns = 10000000;
		p = imported(view__of_str("a;main 2.5\n"), opt);
		assert_int_equal(listed_ns(p), units[i].ns);
		assert_int_equal(!(p->hdr.unknown & UNKNOWN_MIXED),
				 opt.unit != IMPORT_UNIT_SAMPLES);
		profile__free(p);
	}
}

static void test_folded__reads_py_spy(void **state)
{
	struct import_options opt = test_options();
	struct profile *p;

	(void)state;
	opt.unit = IMPORT_UNIT_SAMPLES;
	opt.period_ns = 10000000;
	p = imported(view__of_str("<module> (app.py:210);get (queue.py:171) 3\n"), opt);
	assert_int_equal(listed_ns(p), 30000000);
	assert_wait(p, 1,
		    (struct seen_wait){ "python", 0, 'S', -1, 30000000, 0, 0,
					"app.py:<module>:210;queue.py:get:171", "" });
	assert_int_equal(p->modules[p->frames[1].module].kind, MODULE_CODE);
	assert_string_equal(profile__str(p, p->hdr.source), "folded stacks of py-spy");
	profile__free(p);
}

static void test_folded__refuses_what_it_cannot_tell(void **state)
{
	struct import_options opt = test_options();

	(void)state;
	assert_refused(
		view__of_str("a;main 10\n"), opt,
		"'in.txt' has folded stacks, which do not state their unit: add --unit us if "
		"it is from offcputime -f, or ns, ms, or samples and --period");
	opt.unit = IMPORT_UNIT_SAMPLES;
	assert_refused(view__of_str("a;main 10\n"), opt,
		       "'in.txt' counts samples: add --period, the time that each stands for, such "
		       "as 10ms at 100 Hz");
	opt = in_us();
	assert_refused(view__of_str(""), opt, "'in.txt' is empty");
	opt.format = "folded";
	assert_refused(view__of_str("a;main 10\na;main ten\n"), opt,
		       "in.txt:2: no number at the end: not a folded stack");
	assert_refused(view__of_str("12\n"), opt,
		       "in.txt:1: no number at the end: not a folded stack");
	assert_refused(view__of_str("a;main 99999999999999999999\n"), opt,
		       "in.txt:1: no number at the end: not a folded stack");
	assert_refused(view__of_str("a;b 18446744073709551615\n"), opt,
		       "in.txt:1: times add up to more than a number can hold");
	assert_refused(view__of("a;b 1\n\0;c 2\n", 12), opt,
		       "in.txt:2: a NUL byte: the file is not text, or damaged");
	opt.format = NULL;
	assert_refused(
		view__of_str("Hello, world\n"), opt,
		"'in.txt' has an unknown format; `coldspot help import` lists those for --from");
	assert_refused(
		view__of_str("SQLite format 3"), opt,
		"'in.txt' has an unknown format; `coldspot help import` lists those for --from");
	assert_refused(view__of("SQLite format 3\0", 16), opt,
		       "'in.txt' is a recording already: use coldspot report");
}

static void test_folded__sums_that_leave_a_number_are_refused(void **state)
{
	struct import_options opt = in_us();
	struct profile *p = NULL;
	struct err err = { 0 };
	const char *text = "a;b 9000000000000000\na;b 9000000000000000\na;c 9000000000000000\n";

	(void)state;
	assert_int_equal(import_bytes(view__of_str(text), &opt, &p, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "more than a number can hold"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded__finds_where_the_kernel_begins),
		cmocka_unit_test(test_folded__takes_the_marks_of_other_tools),
		cmocka_unit_test(test_folded__preempted_threads_wait_for_a_cpu),
		cmocka_unit_test(test_folded__trims_the_tracer),
		cmocka_unit_test(test_folded__says_what_it_does_not_know),
		cmocka_unit_test(test_folded__knows_units),
		cmocka_unit_test(test_folded__reads_py_spy),
		cmocka_unit_test(test_folded__refuses_what_it_cannot_tell),
		cmocka_unit_test(test_folded__sums_that_leave_a_number_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
