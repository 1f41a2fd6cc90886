/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "proc/thread.h"

static void test_thread_sched__parse_reads_three_numbers(void **state)
{
	struct thread_sched s;

	(void)state;
	assert_int_equal(thread_sched__parse(&s, view__of_str("123 45 6\n"), NULL), 0);
	assert_int_equal(s.on_ns, 123);
	assert_int_equal(s.runq_ns, 45);
	assert_int_equal(s.runs, 6);
	assert_int_equal(thread_sched__parse(&s, view__of_str("123 45\n"), NULL), -EINVAL);
	assert_int_equal(thread_sched__parse(&s, view__of_str(""), NULL), -EINVAL);
	assert_int_equal(thread_sched__parse(&s, view__of_str("1 -2 3"), NULL), -EINVAL);
}

static void test_thread_stat__parse_finds_fields_behind_any_comm(void **state)
{
	u64 tick_ns = NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK);
	struct thread_stat s;

	(void)state;
	assert_int_equal(thread_stat__parse(&s,
					    view__of_str("77 (a) R 1 (b) D 5 6 7 8 9 2097216 11 12 "
							 "13 14 150 16 17 18 19 20 21 22 2300 24"),
					    NULL),
			 0);
	assert_int_equal(s.state, 'D');
	assert_int_equal(s.flags, 2097216);
	assert_true(s.flags & THREAD_PF_KTHREAD);
	assert_int_equal(s.cpu_ticks, 166);
	assert_int_equal(s.start_boottime_ns, 2300 * tick_ns);
	assert_int_equal(thread_stat__parse(&s, view__of_str("77 (a) S 1 2"), NULL), -EINVAL);
	assert_int_equal(thread_stat__parse(&s, view__of_str("77 a S 1 2"), NULL), -EINVAL);
	assert_int_equal(thread_stat__parse(&s, view__of_str("77 (a) SS 1 2"), NULL), -EINVAL);
}

static void test_thread_stat__parse_reads_our_own(void **state)
{
	struct thread_stat s;
	char *text;
	size_t sz;

	(void)state;
	assert_int_equal(file_read("/proc/self/stat", 4096, &text, &sz, NULL), 0);
	assert_int_equal(thread_stat__parse(&s, view__of(text, sz), NULL), 0);
	assert_int_equal(s.state, 'R');
	assert_false(s.flags & THREAD_PF_KTHREAD);
	assert_true(s.start_boottime_ns > 0);
	mem_free(text);
}

static void test_thread_switches__parse_needs_both_counts(void **state)
{
	struct thread_switches s;

	(void)state;
	assert_int_equal(thread_switches__parse(&s,
						view__of_str(
							"Name:\tx\nvoluntary_ctxt_switches:\t7\n"
							"nonvoluntary_ctxt_switches:\t9\n"),
						NULL),
			 0);
	assert_int_equal(s.voluntary, 7);
	assert_int_equal(s.involuntary, 9);
	/* gVisor */
	assert_int_equal(thread_switches__parse(&s, view__of_str("Name:\tx\nState:\tS\n"), NULL),
			 -ENOENT);
	assert_int_equal(thread_switches__parse(&s,
						view__of_str("voluntary_ctxt_switches:\tmany\n"),
						NULL),
			 -EINVAL);
}

static void test_thread_call__parse_tells_running_from_blocked(void **state)
{
	struct thread_call c;

	(void)state;
	assert_int_equal(thread_call__parse(&c, view__of_str("running\n"), NULL), 0);
	assert_false(c.is_blocked);
	assert_int_equal(c.sysno, -1);
	assert_int_equal(thread_call__parse(&c, view__of_str("-1 0x7ffe10 0x4010\n"), NULL), 0);
	assert_true(c.is_blocked);
	assert_int_equal(c.sysno, -1);
	assert_int_equal(c.sp, 0x7ffe10);
	assert_int_equal(c.pc, 0x4010);
	assert_int_equal(thread_call__parse(&c,
					    view__of_str("0 0x3 0x7f00 0x400 0x0 0x1 "
							 "0xffffffffffffffff 0x7ffc 0x7f44\n"),
					    NULL),
			 0);
	assert_true(c.is_blocked);
	assert_int_equal(c.sysno, 0);
	assert_int_equal(c.args[0], 3);
	assert_int_equal(c.args[1], 0x7f00);
	assert_true(c.args[5] == ~0ULL);
	assert_int_equal(c.sp, 0x7ffc);
	assert_int_equal(c.pc, 0x7f44);
}

static void test_thread_call__parse_refuses_other_text(void **state)
{
	static const char *const texts[] = {
		"",	  "\n",	       "-2 0x1 0x2", "x",  "0 0x3 0x4",	    "0 1 2 3 4 5",
		"-1 0x1", "runningly", "-1 0x1 2",   "-1", "4294967296 0x1"
	};
	struct thread_call c;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_int_equal(thread_call__parse(&c, view__of_str(texts[i]), NULL), -EINVAL);
}

static void test_thread_wchan_parse_takes_names_only(void **state)
{
	char buf[THREAD_SYMBOL_SZ];

	(void)state;
	assert_true(thread_wchan_parse(view__of_str("futex_wait_queue"), buf, sizeof(buf)));
	assert_string_equal(buf, "futex_wait_queue");
	assert_false(thread_wchan_parse(view__of_str("0"), buf, sizeof(buf)));
	assert_false(thread_wchan_parse(view__of_str(""), buf, sizeof(buf)));
	assert_false(thread_wchan_parse(view__of_str("\x1b[31m"), buf, sizeof(buf)));
}

static void test_thread_stack_next_is_leaf_first(void **state)
{
	struct view text = view__of_str("[<0>] hrtimer_nanosleep+0xc7/0x1a0\n"
					"garbage\n"
					"[<ffffffff81>] do_syscall_64+0x5b\n"
					"[<0>]\n"
					"[<0>] last\n");
	char buf[THREAD_SYMBOL_SZ];

	(void)state;
	assert_true(thread_stack_next(&text, buf, sizeof(buf)));
	assert_string_equal(buf, "hrtimer_nanosleep");
	assert_true(thread_stack_next(&text, buf, sizeof(buf)));
	assert_string_equal(buf, "do_syscall_64");
	assert_true(thread_stack_next(&text, buf, sizeof(buf)));
	assert_string_equal(buf, "last");
	assert_false(thread_stack_next(&text, buf, sizeof(buf)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_sched__parse_reads_three_numbers),
		cmocka_unit_test(test_thread_stat__parse_finds_fields_behind_any_comm),
		cmocka_unit_test(test_thread_stat__parse_reads_our_own),
		cmocka_unit_test(test_thread_switches__parse_needs_both_counts),
		cmocka_unit_test(test_thread_call__parse_tells_running_from_blocked),
		cmocka_unit_test(test_thread_call__parse_refuses_other_text),
		cmocka_unit_test(test_thread_wchan_parse_takes_names_only),
		cmocka_unit_test(test_thread_stack_next_is_leaf_first),
	};

	return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
