/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "lib/workdir.h"
#include "proc/roots.h"

static struct workdir dir;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	return workdir__run(&dir, "mkdir a b && echo in-a >a/mark && echo in-b >b/mark") ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

/* A process that lives in this root until it is killed; 0 where it may not. */
static pid_t inhabitant(const char *name)
{
	char byte = 0;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* in a user namespace everybody may */
		if (name && chroot(workdir__path(&dir, name)) &&
		    (unshare(CLONE_NEWUSER) || chroot(workdir__path(&dir, name))))
			byte = 1;
		if (write(fds[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	close(fds[0]);
	close(fds[1]);
	if (!byte)
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

static void end(pid_t pid)
{
	if (pid) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

struct taken {
	int fds[8];
	u32 len;
	int fail_with;
};

static int take(void *arg, int fd)
{
	struct taken *t = arg;

	t->fds[t->len++] = fd;
	return t->fail_with;
}

static void check_mark(int root_fd, const char *want)
{
	char buf[16] = "";
	int fd = openat(root_fd, "mark", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_true(read(fd, buf, sizeof(buf) - 1) > 0);
	assert_string_equal(buf, want);
	close(fd);
}

static void test_roots__see_keeps_each_root_once(void **state)
{
	pid_t one = inhabitant("a"), same = inhabitant("a"), two = inhabitant("b");
	struct taken taken = { .len = 0 };
	struct roots r;

	(void)state;
	if (!one || !same || !two) {
		end(one);
		end(same);
		end(two);
		fprintf(stderr, "not permitted to change the root: skipped\n");
		skip();
	}
	roots__init(&r);
	assert_int_equal(roots__see(&r, (u32)one), 0);
	assert_int_equal(roots__see(&r, (u32)same), 0);
	assert_int_equal(roots__see(&r, (u32)two), 0);
	assert_int_equal(roots__see(&r, (u32)getpid()), 0);
	end(one);
	end(same);
	end(two);
	/* the processes are gone, their roots are not */
	assert_int_equal(roots__give(&r, take, &taken), 0);
	assert_int_equal(taken.len, 2);
	check_mark(taken.fds[0], "in-a\n");
	check_mark(taken.fds[1], "in-b\n");
	/* they are the taker's now */
	assert_int_equal(roots__give(&r, take, &taken), 0);
	assert_int_equal(taken.len, 2);
	roots__done(&r);
	assert_int_equal(close(taken.fds[0]), 0);
	assert_int_equal(close(taken.fds[1]), 0);
}

static void test_roots__see_does_not_mind_who_is_gone(void **state)
{
	pid_t gone = inhabitant(NULL);
	struct taken taken = { .len = 0 };
	struct roots r;

	(void)state;
	end(gone);
	roots__init(&r);
	assert_int_equal(roots__see(&r, (u32)gone), 0);
	assert_int_equal(roots__give(&r, take, &taken), 0);
	assert_int_equal(taken.len, 0);
	roots__done(&r);
	roots__done(NULL);
}

static void test_roots__see_survives_a_failed_allocation(void **state)
{
	pid_t one = inhabitant("a");
	struct roots r;

	(void)state;
	if (!one)
		skip();
	roots__init(&r);
	mem_fail_nth(1);
	assert_int_equal(roots__see(&r, (u32)one), -ENOMEM);
	mem_fail_nth(0);
	assert_int_equal(roots__see(&r, (u32)one), 0);
	assert_int_equal(r.list.len, 1);
	roots__done(&r);
	end(one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_roots__see_keeps_each_root_once),
		cmocka_unit_test(test_roots__see_does_not_mind_who_is_gone),
		cmocka_unit_test(test_roots__see_survives_a_failed_allocation),
	};

	return cmocka_run_group_tests_name("roots", tests, setup, teardown);
}
