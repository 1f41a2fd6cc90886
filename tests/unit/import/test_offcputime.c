/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/import/imported.h"

static const char bcc[] =
	"Tracing off-CPU time (us) of PIDs 1,2 by user + kernel stack for 3 secs.\n"
	"\n"
	"    schedule\n"
	"    do_nanosleep\n"
	"    __x64_sys_clock_nanosleep\n"
	"    entry_SYSCALL_64_after_hwframe\n"
	"    clock_nanosleep\n"
	"    sleeper_fn\n"
	"    -                w-sleep (a) (18383)\n"
	"        1802520\n"
	"\n"
	"    [Missed Kernel Stack]\n"
	"    main\n"
	"    -                two (2)\n"
	"        1000\n"
	"\n"
	"WARNING: 7 stack traces lost and could not be displayed.\n";

static void test_offcputime__reads_what_bcc_prints(void **state)
{
	struct profile *p = imported(view__of_str(bcc), test_options());

	(void)state;
	assert_wait(p, 1,
		    (struct seen_wait){ "w-sleep (a)", 18383, 'S', 3, 1802520000, 0, 0,
					"sleeper_fn;clock_nanosleep",
					"entry_SYSCALL_64_after_hwframe;__x64_sys_clock_nanosleep;"
					"do_nanosleep;schedule" });
	assert_wait(p, 2, (struct seen_wait){ "two", 2, 'S', -1, 1000000, 0, 0, "main", "" });
	assert_int_equal(p->losses[LOSS_SOURCE_BARE].events, 1);
	assert_int_equal(p->losses[LOSS_STACKS_FULL].events, 7);
	assert_int_equal(p->hdr.window_ns, 3 * NSEC_PER_SEC);
	assert_int_equal(p->hdr.unknown & (UNKNOWN_WINDOW | UNKNOWN_THREADS), 0);
	assert_int_equal(p->hdr.unknown & (UNKNOWN_PROCESSES | UNKNOWN_COUNTS),
			 UNKNOWN_PROCESSES | UNKNOWN_COUNTS);
	assert_string_equal(profile__str(p, p->hdr.target),
			    "PIDs 1,2 by user + kernel stack for 3 secs.");
	profile__free(p);
}

static void test_offcputime__reads_what_libbpf_tools_print(void **state)
{
	static const char text[] =
		"    #0  0xffffffffc0026065 bpf_prog_6896d07dd3e1383c_sched_switch+0x10d\n"
		"    #1  0xffffffff821f8b58 __schedule+0x618\n"
		"    #2  0xffffffff81000e06 mystery+0x16\n"
		"    #3  0x00007fd9e72facd9 epoll_wait+0x35 (/usr/lib/libc.so.6+0x38facd9)\n"
		"    #4  0x000000000199c7eb [unknown]\n"
		"    -                clang-16         (27053)\n"
		"        11612\n"
		"\n";
	struct profile *p = imported(view__of_str(text), test_options());
	const struct profile_frame *f;

	(void)state;
	assert_wait(p, 1,
		    (struct seen_wait){ "clang-16", 27053, 'S', -1, 11612000, 0, 0, "?;epoll_wait",
					"mystery;__schedule" });
	f = &p->frames[p->stacks[p->waits[1].ustack].frame];
	assert_int_equal(f->addr, 0x38facd9);
	assert_int_equal(f->name_off, 0x35);
	assert_string_equal(profile__str(p, p->modules[f->module].path), "/usr/lib/libc.so.6");
	assert_true(p->hdr.unknown & UNKNOWN_WINDOW);
	assert_int_equal(p->losses[LOSS_UNNAMED].ns, 11612000);
	profile__free(p);
}

static void test_offcputime__reads_delimiters(void **state)
{
	struct profile *p = imported(view__of_str("    work\n    --\n    sys_read\n    main\n"
						  "    -                a (1)\n        5\n"),
				     test_options());

	(void)state;
	assert_wait(p, 1,
		    (struct seen_wait){ "a", 1, 'S', -1, 5000, 0, 0, "main;sys_read", "work" });
	profile__free(p);
}

static void test_offcputime__refuses_with_the_line(void **state)
{
	struct import_options opt = test_options();

	(void)state;
	opt.format = "offcputime";
	assert_refused(view__of_str("    main\n        17\n"), opt,
		       "in.txt:2: a time without the line of its thread before it");
	assert_refused(view__of_str("    main\n    -                a (1)\n"), opt,
		       "in.txt:2: it ends before the time of the last stack");
	assert_refused(view__of_str("    main\n    -                a (x)\n"), opt,
		       "in.txt:2: the thread number is no number");
	assert_refused(view__of_str("    -                a (1)\n    main\n"), opt,
		       "in.txt:2: neither a frame, a thread nor a time");
	assert_refused(view__of_str("\nwhat\n"), opt,
		       "in.txt:2: neither a frame, a thread nor a time");
}

/* Every prefix is a shorter list or an error, and nothing else. */
static void test_offcputime__cut_anywhere_is_an_error_or_less(void **state)
{
	struct import_options opt = test_options();
	struct profile *whole = imported(view__of_str(bcc), opt);
	size_t len;

	(void)state;
	opt.format = "offcputime";
	for (len = 0; len < sizeof(bcc); len++) {
		struct profile *p = NULL;

		if (import_bytes(view__of(bcc, len), &opt, &p, NULL))
			assert_null(p);
		else
			assert_true(listed_ns(p) <= listed_ns(whole));
		profile__free(p);
	}
	profile__free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offcputime__reads_what_bcc_prints),
		cmocka_unit_test(test_offcputime__reads_what_libbpf_tools_print),
		cmocka_unit_test(test_offcputime__reads_delimiters),
		cmocka_unit_test(test_offcputime__refuses_with_the_line),
		cmocka_unit_test(test_offcputime__cut_anywhere_is_an_error_or_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
