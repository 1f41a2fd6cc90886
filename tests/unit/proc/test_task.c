/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "proc/task.h"

#define STATUS                                                                                     \
	"Name:\tTgid:\\n999\n"                                                                     \
	"State:\tS (sleeping)\n"                                                                   \
	"Tgid:\t4200\n"                                                                            \
	"Ngid:\t0\n"                                                                               \
	"Pid:\t4201\n"                                                                             \
	"PPid:\t1\n"                                                                               \
	"Uid:\t1000\t1001\t0\t0\n"                                                                 \
	"NStgid:\t4200\t70\t1\n"                                                                   \
	"NSpid:\t4201\t71\t2\n"

static u32 gone_pid(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return (u32)pid;
}

static void test_task_status__parse_reads_the_fields(void **state)
{
	struct task_status s;

	(void)state;
	assert_int_equal(task_status__parse(&s, view__of_str(STATUS), NULL), 0);
	assert_int_equal(s.tgid, 4200);
	assert_int_equal(s.pid, 4201);
	assert_int_equal(s.uid, 1000);
	assert_int_equal(s.euid, 1001);
	assert_int_equal(s.ns_pid, 2);
	assert_int_equal(s.ns_depth, 2);
}

static void test_task_status__parse_does_without_namespaces(void **state)
{
	struct task_status s;

	(void)state;
	assert_int_equal(task_status__parse(&s,
					    view__of_str("Tgid:\t5\nPid:\t6\n"
							 "Uid:\t0\t0\t0\t0\n"),
					    NULL),
			 0);
	assert_int_equal(s.ns_pid, 6);
	assert_int_equal(s.ns_depth, 0);
}

static void test_task_status__parse_refuses_what_lacks_a_field(void **state)
{
	static const char *const texts[] = {
		"",
		"Tgid:\t5\nPid:\t6\n",
		"Tgid:\t5\nPid:\t6\nUid:\t0\n",
		"Tgid:\t-5\nPid:\t6\nUid:\t0\t0\n",
		"Tgid:\t4294967296\nPid:\t6\nUid:\t0\t0\n",
		STATUS "NSpid:\t1\tx\n",
	};
	struct task_status s;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(texts); i++)
		assert_int_equal(task_status__parse(&s, view__of_str(texts[i]), NULL), -EINVAL);
}

static void test_task_status__read_knows_itself(void **state)
{
	struct task_status s;

	(void)state;
	assert_int_equal(task_status__read(&s, (u32)getpid(), NULL), 0);
	assert_int_equal(s.tgid, getpid());
	assert_int_equal(s.uid, getuid());
	/* we may run in a namespace of our own, but below our own there is none */
	assert_int_equal(s.ns_pid, getpid());
	assert_int_equal(s.ns_depth, 0);
}

static void test_proc_task_readers_say_that_it_is_gone(void **state)
{
	u32 pid = gone_pid();
	struct task_status status;
	struct err err = { 0 };
	char comm[PROC_COMM_SZ];

	(void)state;
	assert_false(proc_task_exists(pid));
	assert_int_equal(task_status__read(&status, pid, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "gone"));
	assert_int_equal(proc_task_comm(pid, comm, sizeof(comm), NULL), -ESRCH);
}

static void test_proc_task_exists_for_a_zombie(void **state)
{
	pid_t pid = fork();
	siginfo_t info;

	(void)state;
	if (!pid)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	assert_true(proc_task_exists((u32)pid));
	waitpid(pid, NULL, 0);
	assert_false(proc_task_exists((u32)pid));
}

static void test_proc_task_comm_keeps_strange_bytes(void **state)
{
	char comm[PROC_COMM_SZ], small[4];

	(void)state;
	prctl(PR_SET_NAME, "a\nb (x) \t");
	assert_int_equal(proc_task_comm((u32)getpid(), comm, sizeof(comm), NULL), 0);
	assert_string_equal(comm, "a\nb (x) \t");
	assert_int_equal(proc_task_comm((u32)getpid(), small, sizeof(small), NULL), 0);
	assert_string_equal(small, "a\nb");
	prctl(PR_SET_NAME, "test_task");
}

static void test_proc_task_start__parse_passes_over_any_name(void **state)
{
	static const char rest[] = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 2500 20 21\n";
	char text[160];
	u64 ns = 0;

	(void)state;
	snprintf(text, sizeof(text), "17 (a) b (c)%s", rest);
	assert_int_equal(proc_task_start_parse(view__of_str(text), &ns, NULL), 0);
	assert_true(ns == 2500 * (NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK)));
	assert_int_equal(proc_task_start_parse(view__of_str("17 (a) S 1 2"), &ns, NULL), -EINVAL);
	assert_int_equal(proc_task_start_parse(view__of_str("17 a S 1"), &ns, NULL), -EINVAL);
}

static void test_proc_task_start__is_in_the_past(void **state)
{
	struct timespec now;
	u64 ns = 0;

	(void)state;
	assert_int_equal(proc_task_start((u32)getpid(), &ns, NULL), 0);
	clock_gettime(CLOCK_BOOTTIME, &now);
	assert_true(ns && ns <= (u64)now.tv_sec * NSEC_PER_SEC + (u64)now.tv_nsec);
	assert_int_equal(proc_task_start(gone_pid(), &ns, NULL), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_task_status__parse_reads_the_fields),
		cmocka_unit_test(test_task_status__parse_does_without_namespaces),
		cmocka_unit_test(test_task_status__parse_refuses_what_lacks_a_field),
		cmocka_unit_test(test_task_status__read_knows_itself),
		cmocka_unit_test(test_proc_task_readers_say_that_it_is_gone),
		cmocka_unit_test(test_proc_task_exists_for_a_zombie),
		cmocka_unit_test(test_proc_task_comm_keeps_strange_bytes),
		cmocka_unit_test(test_proc_task_start__parse_passes_over_any_name),
		cmocka_unit_test(test_proc_task_start__is_in_the_past),
	};

	return cmocka_run_group_tests_name("task", tests, NULL, NULL);
}
