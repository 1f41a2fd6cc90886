/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/log.h"

/*
 * The switch reads the environment once in a process, so every case runs in a child, whose standard
 * error comes back. `before` may be NULL.
 */
static void output_of(const char *env, void (*before)(void), char *buf, size_t sz)
{
	int fds[2], status;
	ssize_t n, len = 0;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(fds[1], STDERR_FILENO);
		if (env)
			setenv("COLDSPOT_DEBUG", env, 1);
		else
			unsetenv("COLDSPOT_DEBUG");
		if (before)
			before();
		log_debug("%s is %d", "x", 5);
		_exit(log_enabled() ? 1 : 0);
	}
	close(fds[1]);
	while ((n = read(fds[0], buf + len, sz - 1 - (size_t)len)) > 0)
		len += n;
	buf[len] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), len > 0);
}

static void on(void)
{
	log_enable(true);
}

static void off(void)
{
	log_enable(false);
}

static void test_log_debug_is_silent_by_default(void **state)
{
	char buf[256];

	(void)state;
	output_of(NULL, NULL, buf, sizeof(buf));
	assert_string_equal(buf, "");
	output_of("", NULL, buf, sizeof(buf));
	assert_string_equal(buf, "");
	output_of("0", NULL, buf, sizeof(buf));
	assert_string_equal(buf, "");
}

static void test_log_debug_obeys_the_environment(void **state)
{
	char buf[256];

	(void)state;
	output_of("1", NULL, buf, sizeof(buf));
	assert_string_equal(buf, "coldspot: x is 5\n");
}

static void test_log_enable_outranks_the_environment(void **state)
{
	char buf[256];

	(void)state;
	output_of(NULL, on, buf, sizeof(buf));
	assert_string_equal(buf, "coldspot: x is 5\n");
	output_of("1", off, buf, sizeof(buf));
	assert_string_equal(buf, "");
}

static void put_long(void)
{
	char text[3000];

	memset(text, 'y', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	log_enable(true);
	log_debug("%s", text);
}

static void test_log_debug_cuts_a_long_line(void **state)
{
	char buf[8192];

	(void)state;
	output_of(NULL, put_long, buf, sizeof(buf));
	assert_memory_equal(buf, "coldspot: yyyy", 14);
	assert_non_null(strstr(buf, "y\ncoldspot: x is 5\n"));
	assert_true(strlen(buf) < 1100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log_debug_is_silent_by_default),
		cmocka_unit_test(test_log_debug_obeys_the_environment),
		cmocka_unit_test(test_log_enable_outranks_the_environment),
		cmocka_unit_test(test_log_debug_cuts_a_long_line),
	};

	return cmocka_run_group_tests_name("base/log", tests, NULL, NULL);
}
