/* SPDX-License-Identifier: Apache-2.0 */
/* What was asked for and the kernel cannot do is said in words, before anything is loaded. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "capture/program/programs.h"

static void assert_refused(const struct capture_options *opt, const struct features *f,
			   const char *words)
{
	struct programs *p = NULL;
	struct err err = { 0 };

	assert_int_equal(programs__load(opt, f, CS_SPLIT_WAKING, &p, &err), -EOPNOTSUPP);
	assert_string_equal(err.msg, words);
}

static void test_programs__samples_of_cpus(void **state)
{
	const struct capture_options opt = { .on_cpu_hz = 99 };
	struct features f = { .release = "5.15.0" };

	(void)state;
	f.at[FEATURE_CPU_SAMPLES] =
		(struct feature){ .state = FEATURE_NO, .detail = "the kernel refused it" };
	assert_refused(&opt, &f,
		       "--on-cpu cannot be used on Linux 5.15.0: the kernel refused it; use Linux "
		       "6.1 or newer");
}

static void test_programs__hooks_by_hand(void **state)
{
	struct capture_options opt = { .resume = CAPTURE_RESUME_EXIT_TP };
	struct features f = { .release = "6.1.0" };

	(void)state;
	f.at[FEATURE_SCHED_EXIT_TP] =
		(struct feature){ .state = FEATURE_NO, .detail = "not in this kernel" };
	assert_refused(&opt, &f, "this kernel has no sched_exit_tp: not in this kernel");
	opt.resume = CAPTURE_RESUME_KPROBE;
	f.at[FEATURE_KPROBE] = (struct feature){ .state = FEATURE_NO, .detail = "refused" };
	assert_refused(&opt, &f, "cannot put a kprobe on finish_task_switch: refused");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs__samples_of_cpus),
		cmocka_unit_test(test_programs__hooks_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
