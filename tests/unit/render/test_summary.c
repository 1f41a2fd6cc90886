/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause/cause.h"
#include "analysis/select/select.h"
#include "lib/rendered.h"
#include "profile/windows/merge.h"
#include "render/formats.h"
#include "base/text/utf8.h"

static char *summary(const char *literal, struct render_options opt)
{
	struct profile *p = lit(literal);
	char *text = rendered(p, &render_summary, opt);

	profile__free(p);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

static size_t widest(const char *text)
{
	size_t best = 0;

	while (*text) {
		char line[4096];
		size_t len = strcspn(text, "\n");

		assert_true(len < sizeof(line));
		memcpy(line, text, len);
		line[len] = '\0';
		if (utf8_len(line) > best)
			best = utf8_len(line);
		text += len + (text[len] != '\0');
	}
	return best;
}

/* Many causes, places and losses, with long names. */
static struct profile *crowded(const char *head)
{
	static const char *const calls[] = { "read",  "futex",	 "poll",  "wait4",
					     "flock", "connect", "fsync", "msgrcv" };
	char text[65536];
	size_t len = 0, i;
	u32 j;

	len += (size_t)
		snprintf(text, sizeof(text),
			 "%sarch x86_64\ntarget PID 1 (\\*300;t)\nhooks \\*300;h\n"
			 "switches_seen 18446744073709551615\nwaits_chosen 9999999999999\n"
			 "prog_runs 1\nprog 1s\nperiod 10ms\n"
			 "loss stack_cut 99999999999 300s\n"
			 "task 1/1 comm on=1000000s unaccounted=1s T=1s X=1s Z=1s P=1s I=1s\n",
			 head);
	for (i = 0; i < ARRAY_LEN(calls); i++) {
		for (j = 0; j < 3; j++)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"wait %c sys=%s blocked=%zus count=1234567\n"
						" u \\*200;x\n u place_%u\n k \\*200;k\n",
						"SD"[i & 1], calls[i], 10 + i, j);
	}
	return lit(text);
}

static void test_summary__has_the_same_rows_on_any_screen(void **state)
{
	static const u32 columns[] = { 80, 100, 132 };
	struct profile *p = crowded("");
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(columns); i++) {
		char *text = rendered(p, &render_summary,
				      (struct render_options){ .width = columns[i] });

		if (widest(text) > columns[i])
			fail_msg("wider than %u:\n%s", columns[i], text);
		assert_has(text, "\n   8  ");
		assert_null(strstr(text, "\n   9  "));
		assert_has(text, "\n-> ");
		mem_free(text);
	}
	profile__free(p);
}

static void test_summary__cuts_no_name(void **state)
{
	static const char name[] = "a_function_whose_name_is_longer_than_a_line_of_eighty_columns_"
				   "and_has_no_space_at_all_end";
	char *text =
		summary("task 1/1 a\nwait S blocked=1s sys=clock_nanosleep\n u clock_nanosleep\n u "
			"a_function_whose_name_is_longer_than_a_line_of_eighty_columns_"
			"and_has_no_space_at_all_end\n",
			(struct render_options){ .width = 80 });
	char joined[4096];
	size_t n = 0;

	(void)state;
	if (widest(text) > 80)
		fail_msg("%s", text);
	assert_null(strstr(text, ".."));
	for (const char *p = text; *p && n + 1 < sizeof(joined); p++) {
		if (!strchr(" \n", *p))
			joined[n++] = *p;
	}
	joined[n] = '\0';
	assert_has(joined, name);
	mem_free(text);
}

/* A kernel that is on the way into one wait by two paths is one place. */
static void test_summary__has_one_row_for_a_place(void **state)
{
	char *text =
		summary("task 1/1 redis\nwait D blocked=3s sys=fdatasync\n u fdatasync\n u flush\n"
			" k io_schedule\n k jbd2_log_wait_commit\n"
			"wait S blocked=1s sys=fdatasync\n u fdatasync\n u flush\n"
			" k io_schedule\n k folio_wait_bit\n",
			(struct render_options){ 0 });

	(void)state;
	assert_has(text, "\n   4.00 s 100.0%         2");
	assert_has(text, "\n   1  redis: ");
	assert_null(strstr(text, "\n   2  "));
	mem_free(text);
}

static void test_summary__tells_idle_time_of_groups_apart(void **state)
{
	char *text = summary("task 1/1 busy\nwait S blocked=1s\n u f\n"
			     "task 2/2 lazy flags=kthread\nwait I blocked=9s\n k kthread\n"
			     " k worker_thread\n",
			     (struct render_options){
				     .width = 120, .groups = true, .root = GROUP_BY_PROCESS });
	const char *busy = strstr(text, "busy-1"), *lazy = strstr(text, "lazy-2");

	(void)state;
	assert_true(busy && lazy && busy < lazy);
	assert_has(text, ", 9.00 s idle");
	mem_free(text);
}

static void assert_stacks(const char *literal, const char *line)
{
	char *text = summary(literal, (struct render_options){ .width = 132 });

	assert_has(text, line);
	mem_free(text);
}

static void test_summary__tells_how_many_user_stacks_are_whole(void **state)
{
	(void)state;
	assert_stacks("module foo elf /lib/libfoo.so\ntask 1/1 a\nwait S blocked=997ms\n u f\n"
		      "wait S blocked=2ms\n utrunc no_cfi @foo\n u g\n"
		      "wait S blocked=1ms\n utrunc depth\n u g\n",
		      "\nUser stacks: whole in 99.7% of waited time; the rest: 0.2% no CFI in "
		      "libfoo.so, 0.1% deeper than the limit\n");
	assert_stacks("task 1/1 a\nwait S blocked=1ms\n u f\n",
		      "\nUser stacks: whole in 100.0% of waited time\nNothing lost; cost: ");
}

static void test_summary__gives_long_reasons_for_truncation_a_line(void **state)
{
	char *text = summary("module a elf /lib/libthe_first_of_three.so\n"
			     "module b elf /lib/libthe_second_of_three.so\n"
			     "task 1/1 a\nwait S blocked=5ms\n u f\n"
			     "wait S blocked=3ms\n utrunc no_cfi @a\n u g\n"
			     "wait S blocked=2ms\n utrunc no_cfi @b\n u g\n",
			     (struct render_options){ .width = 100 });

	(void)state;
	assert_has(text, "\nUser stacks: whole in 50.0% of waited time; the rest: 30.0% no CFI in "
			 "libthe_first_of_three.so,\n"
			 "      20.0% no CFI in libthe_second_of_three.so\n");
	mem_free(text);
}

static void assert_title(const char *target, const char *line)
{
	char literal[256];
	char *text;

	snprintf(literal, sizeof(literal), "target %s\nwindow 10s\ntask 1/1 a\nwait S blocked=1s\n",
		 target);
	text = summary(literal, (struct render_options){ .width = 80 });
	if (strncmp(text, line, strlen(line)))
		fail_msg("no '%s' at the start of:\n%s", line, text);
	mem_free(text);
}

static void test_summary__wraps_a_long_title(void **state)
{
	(void)state;
	assert_title(
		"6 processes (1001, 1002, 1003, 1004, 1005, 1006)",
		"6 processes (1001, 1002, 1003, 1004, 1005, 1006), 10.0 s: 1.00 s of thread time,\n"
		"  1 thread, 1 process\n");
	assert_title("2 processes (1, 2)", "2 processes (1, 2), 10.0 s: ");
	assert_title(
		"command 12345678901234567890123456789012345678901234567890",
		"command 12345678901234567890123456789012345678901234567890, 10.0 s: 1.00 s of\n");
	assert_title("PID 1 (a\x1b"
		     "b)",
		     "PID 1 (a?b), 10.0 s: ");
}

static void test_summary__says_all_only_when_it_is_all(void **state)
{
	(void)state;
	assert_stacks("task 1/1 a\nwait S blocked=10s\n u f\nwait S blocked=1ns\n utrunc depth\n",
		      "whole in 99.9% of waited time; the rest: <0.1% deeper than the limit\n");
	assert_stacks("task 1/1 a\nwait S blocked=1ns\n u f\nwait S blocked=10s\n utrunc depth\n",
		      "whole in <0.1% of waited time; the rest: 99.9% deeper than the limit\n");
}

static void test_summary__tells_of_truncated_stacks_once(void **state)
{
	char *text = summary("task 1/1 a\nwait S blocked=1ms\n utrunc depth\n u f\n",
			     (struct render_options){ 0 });

	(void)state;
	assert_null(strstr(text, "Lost:"));
	assert_null(strstr(text, "Nothing lost"));
	mem_free(text);
}

static void test_summary__omits_user_stacks_if_none_were_taken(void **state)
{
	char *text = summary("sides kernel\ntask 1/1 a\nwait S blocked=1ms\n k f\n",
			     (struct render_options){ 0 });

	(void)state;
	assert_null(strstr(text, "User stacks"));
	mem_free(text);
}

static void test_summary__prints_the_residual_also_when_it_is_zero(void **state)
{
	char *text = summary("task 1/1 a on=3s\nwait S blocked=1s\n", (struct render_options){ 0 });

	(void)state;
	assert_has(text, "unaccounted           0 ns   0.0%\n");
	assert_has(text, "on a CPU            3.00 s  75.0%\n");
	assert_has(text, "blocked             1.00 s  25.0%  S 1.00 s\n");
	mem_free(text);
}

static void test_summary__splits_waiting_for_a_cpu(void **state)
{
	char *text = summary("task 1/1 a\nwait R flags=preempted runq=3ms\n"
			     "wait S blocked=6ms runq=1ms\n",
			     (struct render_options){ 0 });

	(void)state;
	assert_has(text,
		   "waiting for a CPU  4.00 ms  40.0%  preempted 3.00 ms, woken or new 1.00 ms");
	mem_free(text);
}

static void test_summary__says_that_nothing_was_lost(void **state)
{
	char *none = summary("", (struct render_options){ 0 });
	char *some = summary("loss stack_cut 3 2ms\n", (struct render_options){ 0 });

	(void)state;
	assert_has(none, "\nNothing lost; cost: ");
	assert_has(some, "\nLost: 3 kernel stacks truncated at the depth limit (2.00 ms)\n");
	assert_null(strstr(some, "Nothing lost"));
	mem_free(none);
	mem_free(some);
}

static void test_summary__says_when_waits_were_filtered(void **state)
{
	char *text = summary("filtered\ntask 1/1 a S=5s\nwait S blocked=1s\n",
			     (struct render_options){ 0 });

	(void)state;
	assert_has(text, "Filters excluded waits");
	mem_free(text);
}

static void test_summary__says_how_waits_were_chosen(void **state)
{
	char *all = summary("waits_chosen 12\nswitches_seen 1500\n",
			    (struct render_options){ .details = true });
	char *some = summary("period 10ms\n", (struct render_options){ .details = true });

	(void)state;
	assert_has(all, "1,500 switches seen, 12 waits chosen (all)");
	assert_has(some, "(one per 10.0 ms waited)");
	mem_free(all);
	mem_free(some);
}

/* Times have their error behind them, in their own unit; exact ones have none. */
static void test_summary__of_samples_says_how_sure_it_is(void **state)
{
	char *text = summary("period 1ms\nwindow 10s\ntask 1/1 a S=989500us D=20ms\n"
			     "wait S sys=futex blocked=980ms count=9000 samples=980 "
			     "var=961000000\n u a\n"
			     "wait D sys=fsync blocked=20ms count=2\n u b\n"
			     "wait S sys=read blocked=9ms count=40 samples=9 var=8410000\n u c\n",
			     (struct render_options){ .width = 80 });

	(void)state;
	assert_has(text, "  off-CPU ±error   share     count");
	assert_has(text, "   980 ms ±31      97.1%     9,000   109 µs");
	assert_has(text, "  20.0 ms           2.0%         2  10.0 ms");
	assert_has(text, "  9.00 ms ±2.90     0.9% 9 samples   225 µs");
	assert_has(text, "blocked             1.01 s 100.0%  S 990 ms, D 20.0 ms");
	assert_true(widest(text) <= 80);
	mem_free(text);
}

static void test_summary__lets_no_escape_through(void **state)
{
	char *text = summary("target \\x1b]0;evil\\x07\nhooks \\x1b[2J\\xc2\\x9b\n"
			     "task 1/1 \\x1b[31m\nwait S blocked=1s\n u \\x1b[1m\n k \\x0d\n",
			     (struct render_options){ 0 });
	const char *p;

	(void)state;
	for (p = text; *p; p++)
		assert_true(*p == '\n' || (u8)*p >= 0x20);
	assert_null(strstr(text, "\xc2\x9b"));
	mem_free(text);
}

static void test_summary__colours_only_when_told(void **state)
{
	char *text = summary("", (struct render_options){ .color = true });

	(void)state;
	assert_has(text, "\033[1m");
	mem_free(text);
}

static void test_summary__rows_limit_both_tables(void **state)
{
	struct profile *p = crowded("");
	char *text = rendered(p, &render_summary, (struct render_options){ .rows = 2 });

	(void)state;
	assert_has(text, "  7 others\n");
	assert_has(text, " others\n");
	mem_free(text);
	text = rendered(p, &render_summary, (struct render_options){ .rows = 1000 });
	assert_null(strstr(text, "others\n"));
	mem_free(text);
	profile__free(p);
}

static void test_summary__shows_the_one_row_that_is_left(void **state)
{
	char *text =
		summary("task 1/1 a\nwait S sys=read blocked=2s\nwait S sys=futex blocked=1s\n",
			(struct render_options){ .rows = 1 });

	(void)state;
	assert_has(text, "futex (S)");
	assert_null(strstr(text, "other"));
	mem_free(text);
}

static const char loop_and_lock[] =
	"arch x86_64\nwindow 10s\ntask 1/1 a on=1s\n"
	"wait S sys=epoll_wait blocked=6s runq=1ms count=3\n u main\n u event_loop\n"
	"wait S sys=futex blocked=3s count=2\n u main\n u pthread_mutex_lock\n k futex_wait\n";

static void test_summary__keeps_waits_for_work_apart(void **state)
{
	char *text = summary(loop_and_lock, (struct render_options){ .width = 100 });

	(void)state;
	assert_has(text,
		   "\n  waiting for a CPU     0 ns   0.0%  preempted 0 ns, woken or new 0 ns\n"
		   "  blocked             3.00 s  30.0%  S 3.00 s\n"
		   "  idle                6.00 s  60.0%  waits for work: poll 6.00 s; for a CPU "
		   "after them 1.00 ms\n");
	assert_has(text, "\nShares are of 3.00 s of off-CPU time that is not idle.\n");
	assert_has(text, "\n   3.00 s 100.0%         2   1.50 s");
	assert_has(text, "lock futex (S)\n   1  a: pthread_mutex_lock < main\n");
	assert_has(text, "\n-> lock: the owner is not known");
	assert_null(strstr(text, "event_loop"));
	mem_free(text);
}

static const char three_idle[] =
	"arch x86_64\nwindow 10s\ntask 1/1 a on=1s\n"
	"wait S sys=epoll_wait blocked=6s\n u main\n u event_loop\n"
	"wait S sys=ioctl blocked=1.23s\n u main\n k kvm_vcpu_block\n k kvm_vcpu_halt\n"
	"task 2/2 w flags=kthread\nwait I blocked=9.87s\n k kthread\n k worker_thread\n";

static void test_summary__cuts_no_idle_kind_in_two(void **state)
{
	char *text = summary(three_idle, (struct render_options){ .width = 83 });

	(void)state;
	assert_has(text, "  waits for work: kthread 9.87 s, poll 6.00 s,\n");
	assert_has(text, "\n                                     vm-halt 1.23 s\n");
	mem_free(text);
}

/* The part of a profile that some filters leave, as text. */
static char *part_summary(const char *literal, struct select_options select,
			  struct render_options opt)
{
	struct profile *p = lit(literal), *part = NULL;
	struct err err = { 0 };
	char *text;

	select.words = "some";
	if (select_profile(p, &select, &part, &err))
		fail_msg("%s", err.msg);
	text = rendered(part, &render_summary, opt);
	profile__free(p);
	profile__free(part);
	return text;
}

static void assert_budget_stays(struct select_options select)
{
	char *text = part_summary(loop_and_lock, select,
				  (struct render_options){ .width = 100, .requests_milli = 2000 });

	assert_has(text,
		   "\n  blocked             3.00 s  30.0%  S 3.00 s\n"
		   "  idle                6.00 s  60.0%  waits for work, also those excluded\n");
	assert_has(text, "150 ms blocked: 200 ms\n"
			 "  2.00/s keep 0.40 of 1.00 threads busy");
	mem_free(text);
}

/* Whichever waits are chosen, the threads waited for work as long as they did. */
static void test_summary__filters_of_waits_leave_idle_what_it_is(void **state)
{
	(void)state;
	assert_budget_stays((struct select_options){ .classes = 1 << CLASS_WORK });
	assert_budget_stays((struct select_options){ .causes = 1ULL << CAUSE_LOCK });
	assert_budget_stays((struct select_options){ .causes = 1ULL << CAUSE_POLL });
	assert_budget_stays((struct select_options){ .max = { .ns = 4000000000ULL } });
}

/* Recorded so: of the 5 s that are not in the list nobody knows what they were for. */
static void test_summary__does_not_guess_what_a_recording_left_out(void **state)
{
	static const char left_out[] =
		"filtered\narch x86_64\nwindow 10s\ntask 1/1 a on=1s S=9s\n"
		"wait S sys=epoll_wait blocked=1s count=1\n u main\n u event_loop\n"
		"wait S sys=futex blocked=3s count=2\n u main\n u pthread_mutex_lock\n";
	struct render_options opt = { .width = 100, .requests_milli = 2000 };
	char *text = summary(left_out, opt), *part;

	(void)state;
	assert_has(text, "\n  blocked or idle     9.00 s  90.0%  S 9.00 s\n  unaccounted");
	assert_has(text, "450 ms blocked or idle: 500 ms\n"
			 "  2.00/s keep 0.10 of 1.00 threads on a CPU");
	assert_has(text, "\nFilters excluded waits: "
			 "it is not known which were idle.\n");
	part = part_summary(left_out, (struct select_options){ .classes = 1 << CLASS_WORK }, opt);
	assert_has(part, "\n  blocked or idle     9.00 s  90.0%  S 9.00 s\n  unaccounted");
	mem_free(text);
	mem_free(part);
}

static void test_summary__of_threads_has_their_idle_time(void **state)
{
	static const char two[] = "arch x86_64\ntask 1/1 a on=1s\n"
				  "wait S sys=epoll_wait blocked=6s\n u event_loop\n"
				  "wait S sys=futex blocked=3s\n u pthread_mutex_lock\n"
				  " k futex_wait\n"
				  "task 2/2 b\nwait S sys=epoll_wait blocked=50s\n u event_loop\n";
	const char *const a[] = { "a" };
	char *text = part_summary(two,
				  (struct select_options){ .comms = { a, 1 },
							   .causes = 1ULL << CAUSE_LOCK },
				  (struct render_options){ .width = 100 });

	(void)state;
	assert_has(text, "\n  idle                6.00 s  60.0%");
	mem_free(text);
}

/* Idle time has one number, and a hint if much of it was spent with work and without a CPU. */
static void test_summary__counts_waiting_for_a_cpu_after_work_came_as_idle(void **state)
{
	static const char saturated[] =
		"arch x86_64\nwindow 10s\ntask 1/1 a on=1s\n"
		"wait S sys=epoll_wait blocked=1s runq=6s count=300\n u main\n u event_loop\n";
	char more[512], *only = summary(saturated, (struct render_options){ .width = 100 }), *both;

	(void)state;
	assert_has(only, "\n  waiting for a CPU     0 ns   0.0%");
	assert_has(only,
		   "\n  idle                7.00 s  87.5%  waits for work: poll 1.00 s; for a CPU "
		   "after them 6.00 s\n");
	assert_has(only, "\nAll waits were waits for work.\n");
	assert_has(only, "\n-> woken for work: more threads are runnable than there are CPUs");
	snprintf(more, sizeof(more),
		 "%swait S sys=futex blocked=12s\n u lock\n"
		 "wait D sys=fsync blocked=3s\n u flush\nwait D sys=read blocked=5s\n u load\n",
		 saturated);
	both = summary(more, (struct render_options){ .width = 100, .rows = 1 });
	assert_has(both, "\n   12.0 s  60.0%");
	assert_has(both, "\n   8.00 s  40.0%  2 others\n");
	mem_free(both);
	mem_free(only);
}

/* A thousandth of the time is one of a thousand threads; less is nobody's trouble. */
static void test_summary__hints_at_nothing_where_nearly_all_was_idle(void **state)
{
	static const char hint[] = "\n-> woken for work";
	char *less = summary("task 1/1 a\nwait S sys=epoll_wait blocked=46s runq=40ms count=9\n"
			     " u event_loop\n",
			     (struct render_options){ .width = 100 });
	char *more = summary("task 1/1 a\nwait S sys=epoll_wait blocked=46s runq=50ms count=9\n"
			     " u event_loop\n",
			     (struct render_options){ .width = 100 });

	(void)state;
	assert_has(less, "; for a CPU after them 40.0 ms\n");
	assert_null(strstr(less, hint));
	assert_has(more, hint);
	mem_free(less);
	mem_free(more);
}

static void test_summary__says_when_there_was_nothing_but_work_to_wait_for(void **state)
{
	char *text = summary("task 1/1 a flags=kthread\nwait I blocked=1s\n",
			     (struct render_options){ .width = 100 });

	(void)state;
	assert_has(text, "\nAll waits were waits for work.\n");
	mem_free(text);
}

static void test_summary__says_what_holds_up_a_loop(void **state)
{
	char *text = summary("arch x86_64\nmodule m elf /usr/bin/redis-server\ntask 1/1 a\n"
			     "wait D sys=fsync blocked=1s\n u @m 0x1 aeMain\n u @m 0x2 flush\n",
			     (struct render_options){ .width = 100 });

	(void)state;
	assert_has(text, "\n   1  a: BLOCKS ITS EVENT LOOP: flush < aeMain\n");
	assert_has(text, "\n-> disk-sync: it blocks an event loop");
	mem_free(text);
}

/* R = 2/s, T = 1 thread, C = 50 ms: 20 requests have 1 s on the CPU, 3 s blocked; 1 ms is idle. */
static void test_summary__says_what_a_request_costs(void **state)
{
	char *text = summary(loop_and_lock,
			     (struct render_options){ .width = 100, .requests_milli = 2000 });

	(void)state;
	assert_has(text, "\nEach request: 50.0 ms on a CPU, 0 ns waiting for one, "
			 "150 ms blocked: 200 ms\n"
			 "  2.00/s keep 0.40 of 1.00 threads busy; T - R*C: 0.90 off the CPU\n");
	mem_free(text);
}

/* Two windows of 10 s, 30 s apart: the threads were recorded for 20 s, and so were the requests. */
static void test_summary__counts_no_requests_in_a_gap(void **state)
{
	struct profile *parts[2] = { lit(loop_and_lock), lit(loop_and_lock) }, *both = NULL;
	struct err err = { 0 };
	char *text;

	(void)state;
	parts[1]->hdr.begin_mono_ns = 40 * NSEC_PER_SEC;
	if (profile_merge((const struct profile *const *)parts, 2, &both, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(both->hdr.gap_ns, 30 * NSEC_PER_SEC);
	text = rendered(both, &render_summary,
			(struct render_options){ .width = 100, .requests_milli = 2000 });
	assert_has(text, "150 ms blocked: 200 ms\n"
			 "  2.00/s keep 0.40 of 1.00 threads busy; T - R*C: 0.90 off the CPU\n");
	profile__free(parts[0]);
	profile__free(parts[1]);
	profile__free(both);
	mem_free(text);
}

static void test_summary__names_the_library_that_was_called(void **state)
{
	char *text = summary("arch x86_64\nmodule pq elf /lib/libpq.so.5\n"
			     "module c elf /lib/libc.so.6\ntask 1/1 a\n"
			     "wait S sys=poll blocked=1s\n u main\n u ask\n u @pq 0x1 PQexec\n"
			     " u @pq 0x2 pqWait\n u @c 0x3 poll\n k do_sys_poll\n",
			     (struct render_options){ .width = 100 });

	(void)state;
	assert_has(text, "net-recv poll (S)\n   1  a: ask > libpq > PQexec\n");
	mem_free(text);
}

static void test_summary__says_that_goroutines_are_not_threads(void **state)
{
	static const char note[] = "Go: goroutines that wait for a sync.Mutex";
	struct render_options opt = { .width = 400 };
	char *text;

	(void)state;
	text = summary("arch x86_64\ntask 1/1 server on=1ms\nwait S sys=futex blocked=5ms\n"
		       " u runtime.mcall\n u runtime.schedule\n u runtime.futex.abi0\n",
		       opt);
	assert_has(text, note);
	mem_free(text);
	text = summary("arch x86_64\ntask 1/1 server on=1ms\nwait S sys=futex blocked=5ms\n"
		       " u main\n u runtime.init\n",
		       opt);
	assert_null(strstr(text, note));
	mem_free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_summary__has_the_same_rows_on_any_screen),
		cmocka_unit_test(test_summary__cuts_no_name),
		cmocka_unit_test(test_summary__has_one_row_for_a_place),
		cmocka_unit_test(test_summary__tells_idle_time_of_groups_apart),
		cmocka_unit_test(test_summary__keeps_waits_for_work_apart),
		cmocka_unit_test(test_summary__cuts_no_idle_kind_in_two),
		cmocka_unit_test(test_summary__filters_of_waits_leave_idle_what_it_is),
		cmocka_unit_test(test_summary__does_not_guess_what_a_recording_left_out),
		cmocka_unit_test(test_summary__of_threads_has_their_idle_time),
		cmocka_unit_test(test_summary__counts_waiting_for_a_cpu_after_work_came_as_idle),
		cmocka_unit_test(test_summary__says_when_there_was_nothing_but_work_to_wait_for),
		cmocka_unit_test(test_summary__says_what_holds_up_a_loop),
		cmocka_unit_test(test_summary__says_what_a_request_costs),
		cmocka_unit_test(test_summary__counts_no_requests_in_a_gap),
		cmocka_unit_test(test_summary__names_the_library_that_was_called),
		cmocka_unit_test(test_summary__tells_how_many_user_stacks_are_whole),
		cmocka_unit_test(test_summary__gives_long_reasons_for_truncation_a_line),
		cmocka_unit_test(test_summary__wraps_a_long_title),
		cmocka_unit_test(test_summary__says_all_only_when_it_is_all),
		cmocka_unit_test(test_summary__tells_of_truncated_stacks_once),
		cmocka_unit_test(test_summary__omits_user_stacks_if_none_were_taken),
		cmocka_unit_test(test_summary__prints_the_residual_also_when_it_is_zero),
		cmocka_unit_test(test_summary__splits_waiting_for_a_cpu),
		cmocka_unit_test(test_summary__says_that_nothing_was_lost),
		cmocka_unit_test(test_summary__says_when_waits_were_filtered),
		cmocka_unit_test(test_summary__says_how_waits_were_chosen),
		cmocka_unit_test(test_summary__of_samples_says_how_sure_it_is),
		cmocka_unit_test(test_summary__hints_at_nothing_where_nearly_all_was_idle),
		cmocka_unit_test(test_summary__lets_no_escape_through),
		cmocka_unit_test(test_summary__colours_only_when_told),
		cmocka_unit_test(test_summary__rows_limit_both_tables),
		cmocka_unit_test(test_summary__shows_the_one_row_that_is_left),
		cmocka_unit_test(test_summary__says_that_goroutines_are_not_threads),
	};

	return cmocka_run_group_tests_name("summary", tests, NULL, NULL);
}
