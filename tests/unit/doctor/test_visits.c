/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a /proc where files are missing, as in gVisor, or ptrace is restricted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "doctor/visits.h"

static void put(const char *root, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void make(const char *root, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

static void test_doctor_visits_says_what_is_missing(void **state)
{
	char root[] = "/tmp/visits-XXXXXX";
	struct sink out;

	(void)state;
	assert_non_null(mkdtemp(root));
	make(root, "self");
	make(root, "sys");
	make(root, "sys/kernel");
	make(root, "sys/kernel/yama");
	put(root, "self/schedstat", "1 2 3\n");
	put(root, "self/wchan", "0");
	put(root, "sys/kernel/yama/ptrace_scope", "1\n");
	sink__init_mem(&out);
	doctor_visits(root, &out);
	assert_non_null(strstr(out.buf, "ok       /proc/PID/schedstat\n"));
	assert_non_null(strstr(out.buf, "missing  /proc/PID/syscall: No such file"));
	assert_non_null(strstr(out.buf, "costs: no system calls, user stacks"));
	assert_non_null(
		strstr(out.buf, "partly   kernel.yama.ptrace_scope is 1: user stacks only"));
	sink__done(&out);
}

/* Of Yama, which not every kernel has. */
static void test_doctor_visits_says_what_ptrace_scope_allows(void **state)
{
	static const struct {
		const char *scope;
		const char *line; /* NULL: none */
	} cases[] = {
		{ "0\n", "ok       kernel.yama.ptrace_scope is 0: user stacks of every process" },
		{ "1\n", "partly   kernel.yama.ptrace_scope is 1: user stacks only of commands" },
		{ "2\n", "partly   kernel.yama.ptrace_scope is 2: user stacks only as root" },
		{ "3\n", "partly   kernel.yama.ptrace_scope is 3: no user stacks of anything" },
		{ "4\n", NULL },
		{ "x\n", NULL },
	};
	char root[] = "/tmp/visits-XXXXXX";
	struct sink out;

	(void)state;
	assert_non_null(mkdtemp(root));
	make(root, "sys");
	make(root, "sys/kernel");
	make(root, "sys/kernel/yama");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		put(root, "sys/kernel/yama/ptrace_scope", cases[i].scope);
		sink__init_mem(&out);
		doctor_visits(root, &out);
		assert_non_null(strstr(out.buf, cases[i].line ? cases[i].line : "never"));
		if (!cases[i].line)
			assert_null(strstr(out.buf, "ptrace_scope"));
		sink__done(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doctor_visits_says_what_is_missing),
		cmocka_unit_test(test_doctor_visits_says_what_ptrace_scope_allows),
	};

	return cmocka_run_group_tests_name("doctor_visits", tests, NULL, NULL);
}
