/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of reading tasks, by capabilities and ptrace_scope. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doctor/tasks.h"

static char root[] = "/tmp/doctor-tasks-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	static const char *const dirs[] = { "self", "sys", "sys/kernel", "sys/kernel/yama" };
	char path[256];

	(void)state;
	if (!mkdtemp(root))
		return -1;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		if (mkdir(path, 0755))
			return -1;
	}
	return 0;
}

static void test_doctor_tasks__says_whose_memory_can_be_read(void **state)
{
	static const struct {
		const char *caps;
		const char *scope;
		const char *line;
	} cases[] = {
		{ "0000000000080000", "2\n", "ok       memory of all processes (CAP_SYS_PTRACE)" },
		{ "0000000000080000", "3\n", "ptrace_scope is 3: none\n" },
		{ "0000000000000000", "0\n", "ptrace_scope is 0: that of every\n" },
		{ "0000000000000000", "1\n",
		  "partly   memory of processes: kernel.yama.ptrace_scope is 1: only that of" },
		{ "0000000000000000", "2\n", "ptrace_scope is 2: none without" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char status[64];
		struct sink out;

		snprintf(status, sizeof(status), "Name:\tx\nCapEff:\t%s\n", cases[i].caps);
		put("self/status", status);
		put("sys/kernel/yama/ptrace_scope", cases[i].scope);
		sink__init_mem(&out);
		doctor_tasks(root, &out);
		assert_non_null(strstr(out.buf, cases[i].line));
		sink__done(&out);
	}
}

static void test_doctor_tasks__says_whether_priority_is_given(void **state)
{
	struct sink out;

	(void)state;
	put("self/status", "CapEff:\t0000000000800000\n");
	sink__init_mem(&out);
	doctor_tasks(root, &out);
	assert_non_null(strstr(out.buf, "ok       real-time priority (SCHED_FIFO)\n"));
	sink__done(&out);
}

#ifdef __x86_64__
static void test_doctor_tasks__names_the_runtimes(void **state)
{
	struct sink out;

	(void)state;
	sink__init_mem(&out);
	doctor_tasks(root, &out);
	assert_non_null(strstr(out.buf, "ok       Go 1.18 to 1.26; asyncio of CPython 3.8 to 3.13; "
					"Tokio 1.24 to 1.53\n"));
	sink__done(&out);
}
#endif

/* We are neither a Go program nor a Python. */
static void test_doctor_tasks__of_a_process_without_tasks_says_nothing(void **state)
{
	struct sink out;

	(void)state;
	sink__init_mem(&out);
	doctor_tasks_of((u32)getpid(), &out);
	assert_int_equal(out.len, 0);
	sink__done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_doctor_tasks__says_whose_memory_can_be_read),
		cmocka_unit_test(test_doctor_tasks__says_whether_priority_is_given),
#ifdef __x86_64__
		cmocka_unit_test(test_doctor_tasks__names_the_runtimes),
#endif
		cmocka_unit_test(test_doctor_tasks__of_a_process_without_tasks_says_nothing),
	};

	return cmocka_run_group_tests_name("doctor_tasks", tests, setup, NULL);
}
