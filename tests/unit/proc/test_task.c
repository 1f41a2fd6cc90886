/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
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
	assert_int_equal(s.ppid, 1);
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
					    view__of_str("Tgid:\t5\nPid:\t6\nPPid:\t1\n"
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
		"Tgid:\t5\nPid:\t6\nPPid:\t1\n",
		"Tgid:\t5\nPid:\t6\nPPid:\t1\nUid:\t0\n",
		"Tgid:\t-5\nPid:\t6\nPPid:\t1\nUid:\t0\t0\n",
		"Tgid:\t4294967296\nPid:\t6\nPPid:\t1\nUid:\t0\t0\n",
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
	assert_int_equal(s.ppid, getppid());
	assert_int_equal(s.uid, getuid());
	/* we may run in a namespace of our own, but below our own there is none */
	assert_int_equal(s.ns_pid, getpid());
	assert_int_equal(s.ns_depth, 0);
}

static void test_proc_task_readers_say_that_it_is_gone(void **state)
{
	u32 pid = gone_pid();
	struct task_schedstat stat;
	struct task_status status;
	struct err err = { 0 };
	char comm[PROC_COMM_SZ], *path;
	struct vec tids;

	(void)state;
	assert_false(proc_task_exists(pid));
	assert_int_equal(task_status__read(&status, pid, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "gone"));
	assert_int_equal(task_schedstat__read(&stat, pid, NULL), -ESRCH);
	assert_int_equal(proc_task_comm(pid, comm, sizeof(comm), NULL), -ESRCH);
	assert_int_equal(proc_task_threads(pid, &tids, NULL), -ESRCH);
	assert_int_equal(proc_task_cgroup(pid, &path, NULL), -ESRCH);
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

struct thread {
	pthread_barrier_t ready;
	pthread_barrier_t done;
	u32 tid;
};

static void *run_thread(void *arg)
{
	struct thread *t = arg;

	t->tid = (u32)syscall(SYS_gettid);
	pthread_barrier_wait(&t->ready);
	pthread_barrier_wait(&t->done);
	return NULL;
}

static void test_proc_task_threads_lists_all(void **state)
{
	struct thread t;
	struct vec tids;
	pthread_t id;
	u32 *list;

	(void)state;
	pthread_barrier_init(&t.ready, NULL, 2);
	pthread_barrier_init(&t.done, NULL, 2);
	assert_int_equal(pthread_create(&id, NULL, run_thread, &t), 0);
	pthread_barrier_wait(&t.ready);
	assert_int_equal(proc_task_threads((u32)getpid(), &tids, NULL), 0);
	assert_int_equal(tids.len, 2);
	list = tids.data;
	assert_true(list[0] < list[1]);
	assert_true(list[0] == (u32)getpid() || list[1] == (u32)getpid());
	assert_true(list[0] == t.tid || list[1] == t.tid);
	vec__done(&tids);
	pthread_barrier_wait(&t.done);
	pthread_join(id, NULL);
}

static void test_task_schedstat__parse_wants_three_numbers(void **state)
{
	struct task_schedstat s;

	(void)state;
	assert_int_equal(task_schedstat__parse(&s, view__of_str("17 4000000000000 3\n"), NULL), 0);
	assert_true(s.on_ns == 17 && s.runq_ns == 4000000000000 && s.slices == 3);
	assert_int_equal(task_schedstat__parse(&s, view__of_str("17 4\n"), NULL), -EINVAL);
	assert_int_equal(task_schedstat__parse(&s, view__of_str("x"), NULL), -EINVAL);
}

static void test_task_schedstat__read_grows(void **state)
{
	struct task_schedstat a, b;
	volatile u32 i;

	(void)state;
	assert_int_equal(task_schedstat__read(&a, (u32)getpid(), NULL), 0);
	for (i = 0; i < 30000000; i++)
		;
	assert_int_equal(task_schedstat__read(&b, (u32)getpid(), NULL), 0);
	if (a.on_ns)
		assert_true(b.on_ns > a.on_ns);
}

static void test_proc_task_cgroup_parse_takes_the_v2_line(void **state)
{
	char *path = NULL;

	(void)state;
	assert_int_equal(proc_task_cgroup_parse(view__of_str("4:memory:/m\n1:cpu:/0::/x\n"
							     "0::/a b/c.slice\n"),
						&path, NULL),
			 0);
	assert_string_equal(path, "/a b/c.slice");
	mem_free(path);
	assert_int_equal(proc_task_cgroup_parse(view__of_str("4:memory:/m\n"), &path, NULL),
			 -ENOENT);
	assert_int_equal(proc_task_cgroup_parse(view__of_str("0::x\n"), &path, NULL), -EINVAL);
	assert_int_equal(proc_task_cgroup_parse(view__of_str("0::\n"), &path, NULL), -EINVAL);
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
		cmocka_unit_test(test_proc_task_threads_lists_all),
		cmocka_unit_test(test_task_schedstat__parse_wants_three_numbers),
		cmocka_unit_test(test_task_schedstat__read_grows),
		cmocka_unit_test(test_proc_task_cgroup_parse_takes_the_v2_line),
		cmocka_unit_test(test_proc_task_start__parse_passes_over_any_name),
		cmocka_unit_test(test_proc_task_start__is_in_the_past),
	};

	return cmocka_run_group_tests_name("task", tests, NULL, NULL);
}
