/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/target.h"

struct asked {
	struct vec pids;
	struct vec tids;
	struct target target;
	struct notices notices;
	struct err err;
};

static void init(struct asked *a)
{
	memset(a, 0, sizeof(*a));
	vec__init(&a->pids, sizeof(u32));
	vec__init(&a->tids, sizeof(u32));
	notices__init(&a->notices);
	a->target.pids = &a->pids;
	a->target.tids = &a->tids;
}

static void done(struct asked *a)
{
	vec__done(&a->pids);
	vec__done(&a->tids);
	notices__done(&a->notices);
}

static void add(struct vec *ids, u32 id)
{
	u32 *at = vec__push(ids);

	assert_non_null(at);
	*at = id;
}

static int check(struct asked *a)
{
	return target_check(&a->target, &a->notices, &a->err);
}

/* The number of a process that was there, and is not. */
static u32 gone_pid(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return (u32)pid;
}

static void test_gone_are_left_out(void **state)
{
	struct asked a;

	(void)state;
	init(&a);
	add(&a.pids, gone_pid());
	add(&a.pids, (u32)getppid());
	assert_int_equal(check(&a), 0);
	assert_int_equal(a.pids.len, 1);
	assert_int_equal(*(u32 *)vec__at(&a.pids, 0), getppid());
	assert_int_equal(notices__len(&a.notices), 1);
	assert_non_null(strstr(notices__at(&a.notices, 0), ": skipped"));
	done(&a);
}

static void test_all_gone(void **state)
{
	struct asked a;

	(void)state;
	init(&a);
	add(&a.tids, gone_pid());
	assert_int_equal(check(&a), -ESRCH);
	assert_non_null(strstr(a.err.msg, "no thread "));
	assert_int_equal(notices__len(&a.notices), 0);
	done(&a);
}

static void test_ourselves(void **state)
{
	struct asked a;

	(void)state;
	init(&a);
	add(&a.pids, (u32)getpid());
	assert_int_equal(check(&a), -EINVAL);
	assert_non_null(strstr(a.err.msg, "coldspot itself"));
	done(&a);
}

static void assert_described(struct asked *a, const char *want)
{
	char text[128];

	target_describe(&a->target, text, sizeof(text));
	assert_string_equal(text, want);
}

static void test_words(void **state)
{
	struct asked a;

	(void)state;
	init(&a);
	assert_described(&a, "all threads");
	a.target.user_only = true;
	a.target.comm = "web*";
	a.target.cgroup = "/shop";
	assert_described(&a, "all user threads named 'web*' in cgroup /shop");
	add(&a.tids, 1000000001);
	assert_described(&a, "TID 1000000001 named 'web*' in cgroup /shop");
	a.target.comm = a.target.cgroup = NULL;
	for (u32 id = 1; id <= 7; id++)
		add(&a.pids, id);
	assert_described(&a, "7 processes (1, 2, 3, 4, 5, 6, ...)");
	a.target.command = "make";
	assert_described(&a, "command make");
	done(&a);
}

static void assert_described_none(struct asked *a, const char *want)
{
	char text[128];

	target_describe_none(&a->target, text, sizeof(text));
	assert_string_equal(text, want);
}

/* What nothing is recorded of. */
static void test_words_for_none(void **state)
{
	struct asked a;

	(void)state;
	init(&a);
	a.target.comm = "web*";
	assert_described_none(&a, "no thread named 'web*'");
	a.target.cgroup = "/shop";
	a.target.kernel_only = true;
	assert_described_none(&a, "no kernel thread named 'web*' in cgroup /shop");
	a.target.program = "nginx";
	a.target.kernel_only = false;
	assert_described_none(&a, "no thread of a program 'nginx' named 'web*' in cgroup /shop");
	a.target.comm = a.target.cgroup = NULL;
	assert_described_none(&a, "no process runs a program named 'nginx'");
	assert_described(&a, "program 'nginx'");
	a.target.program = NULL;
	a.target.kernel_only = true;
	add(&a.pids, 1000000001);
	assert_described_none(&a, "no kernel thread of PID 1000000001");
	a.target.follow = true;
	assert_described(&a, "PID 1000000001 and its descendants");
	done(&a);
}

/* A child and a grandchild that sleep until the pipe is closed. */
static pid_t start_family(int fds[2])
{
	pid_t child;
	char byte;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (!child) {
		pid_t grandchild = fork();

		close(fds[1]);
		(void)!read(fds[0], &byte, 1);
		if (grandchild)
			waitpid(grandchild, NULL, 0);
		_exit(0);
	}
	assert_true(child > 0);
	close(fds[0]);
	return child;
}

static void test_family_that_is_not_recorded(void **state)
{
	int fds[2];
	pid_t child = start_family(fds);
	struct asked a;
	char text[128], want[128];

	(void)state;
	init(&a);
	add(&a.pids, (u32)child);
	snprintf(want, sizeof(want), "1 child of %d is not recorded: --tree", child);
	/* it has to be born first */
	for (int i = 0; i < 1000 && !target_says_family(&a.target, text, sizeof(text)); i++)
		usleep(1000);
	assert_string_equal(text, want);
	add(&a.pids, (u32)getpid());
	assert_true(target_says_family(&a.target, text, sizeof(text)));
	assert_string_equal(text, "1 child of 2 processes is not recorded: --tree");
	a.target.follow = true;
	assert_false(target_says_family(&a.target, text, sizeof(text)));
	close(fds[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	done(&a);
}

/* Who records its own shell is a child of it, here the only one. */
static void test_family_without_ourselves(void **state)
{
	pid_t child = fork();
	struct asked a;
	char text[128];
	int status;

	(void)state;
	if (!child) {
		init(&a);
		add(&a.pids, (u32)getppid());
		_exit(target_says_family(&a.target, text, sizeof(text)));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gone_are_left_out),
		cmocka_unit_test(test_all_gone),
		cmocka_unit_test(test_ourselves),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_words_for_none),
		cmocka_unit_test(test_family_that_is_not_recorded),
		cmocka_unit_test(test_family_without_ourselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
