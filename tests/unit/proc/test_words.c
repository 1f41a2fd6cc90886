/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "proc/words.h"

static void test_process_words__has_whole_words_only(void **state)
{
	static char text[] = "java\0-Xmx1g\0-XX:+PreserveFramePointer\0"
			     "NODE_OPTIONS=--perf-basic-prof --no-opt";
	struct process_words w = { text, sizeof(text) };

	(void)state;
	assert_true(process_words__has(&w, "-XX:+PreserveFramePointer"));
	assert_false(process_words__has(&w, "-XX:+Preserve"));
	assert_true(process_words__has(&w, "--perf-basic-prof"));
	assert_false(process_words__has(&w, "--perf-basic"));
	assert_false(process_words__has(&w, "perf-basic-prof"));
	assert_true(process_words__has(&w, "--no-opt"));
}

static void test_process_words__read_of_ourselves(void **state)
{
	struct process_words w;

	(void)state;
	assert_int_equal(process_words__read(&w, (u32)getpid(), PROCESS_CMDLINE, NULL), 0);
	assert_non_null(strstr(w.text, "test_words"));
	process_words__done(&w);
	assert_int_equal(process_words__read(&w, 1U << 30, PROCESS_ENVIRON, NULL), -ESRCH);
	assert_false(process_words__has(&w, "x"));
	process_words__done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_process_words__has_whole_words_only),
		cmocka_unit_test(test_process_words__read_of_ourselves),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
