/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "lib/workdir.h"
#include "capture/runtime/java_attach.h"

#define LONG_NS (20 * NSEC_PER_SEC)

static struct workdir dir;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	workdir__write(&dir, "libjvm.so", "not really", 10);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

static volatile sig_atomic_t quits;

static void on_quit(int sig)
{
	(void)sig;
	quits++;
}

/* What a JVM does, in so far as it shows: maps libjvm.so, takes one command, gives one answer. */
struct fake {
	const char *answer; /* NULL: never listens */
	bool deaf; /* does not catch SIGQUIT */
	uid_t uid;
};

/* Like HotSpot, shows the socket only when it listens: until then a connection is refused. */
static int listen_at(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s.tmp", path);
	if (bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 1) ||
	    rename(addr.sun_path, path))
		_exit(1);
	return fd;
}

static void serve(const struct fake *f)
{
	static const char want[] = "1\0jcmd\0Compiler.perfmap\0\0";
	char path[40], trigger[40], buf[64];
	struct ucred peer = { 0 };
	socklen_t len = sizeof(peer);
	int fd, conn;

	snprintf(trigger, sizeof(trigger), "/tmp/.attach_pid%d", getpid());
	snprintf(path, sizeof(path), "/tmp/.java_pid%d", getpid());
	while (!quits)
		pause();
	if (!f->answer || access(trigger, F_OK)) {
		for (;;)
			pause();
	}
	fd = listen_at(path);
	conn = accept(fd, NULL, NULL);
	if (getsockopt(conn, SOL_SOCKET, SO_PEERCRED, &peer, &len) || peer.uid != geteuid() ||
	    recv(conn, buf, sizeof(want), MSG_WAITALL) != sizeof(want) ||
	    memcmp(buf, want, sizeof(want)) != 0)
		_exit(2);
	if (write(conn, f->answer, strlen(f->answer)) < 0)
		_exit(3);
	close(conn);
	unlink(path);
	_exit(0);
}

static pid_t start(const struct fake *f)
{
	int ready[2], lib = workdir__open(&dir, "libjvm.so");
	struct sigaction act = { .sa_handler = on_quit };
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid) {
		close(ready[1]);
		assert_int_equal(read(ready[0], &byte, 1), 1);
		close(ready[0]);
		close(lib);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, lib, 0) == MAP_FAILED)
		_exit(4);
	if (!f->deaf)
		sigaction(SIGQUIT, &act, NULL);
	if (f->uid && (setgid(f->uid) || setuid(f->uid) || prctl(PR_SET_DUMPABLE, 1)))
		_exit(5);
	if (write(ready[1], "x", 1) != 1)
		_exit(6);
	serve(f);
	_exit(7);
}

/* -1: it still ran, and was killed. */
static int end(pid_t pid)
{
	char path[40];
	int status;

	usleep(20000);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	snprintf(path, sizeof(path), "/tmp/.java_pid%d", pid);
	unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check_no_trace_of(pid_t pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/tmp/.attach_pid%d", pid);
	assert_int_equal(access(path, F_OK), -1);
}

static void test_java_write_perfmap_talks_the_protocol(void **state)
{
	struct fake f = { .answer = "0\nwritten\n" };
	struct err err = { 0 };
	pid_t pid = start(&f);

	(void)state;
	assert_int_equal(java_write_perfmap((u32)pid, LONG_NS, &err), 0);
	check_no_trace_of(pid);
	assert_int_equal(end(pid), 0);
}

static void test_java_write_perfmap_acts_for_the_user_of_the_process(void **state)
{
	struct fake f = { .answer = "0\n", .uid = 65534 };
	struct err err = { 0 };
	pid_t pid;

	(void)state;
	if (geteuid()) {
		print_error("SKIPPED: not root\n");
		skip();
	}
	chmod(dir.path, 0755);
	pid = start(&f);
	assert_int_equal(java_write_perfmap((u32)pid, LONG_NS, &err), 0);
	/* and is itself again */
	assert_int_equal(geteuid(), 0);
	assert_int_equal(getegid(), 0);
	check_no_trace_of(pid);
	assert_int_equal(end(pid), 0);
}

static void test_java_write_perfmap_of_an_old_jvm(void **state)
{
	struct fake f = { .answer = "1\njava.lang.IllegalArgumentException: "
				    "Unknown diagnostic command\n" };
	struct err err = { 0 };
	pid_t pid = start(&f);

	(void)state;
	assert_int_equal(java_write_perfmap((u32)pid, LONG_NS, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "Java 17"));
	assert_int_equal(end(pid), 0);
}

static void test_java_write_perfmap_of_a_jvm_that_refuses(void **state)
{
	struct fake f = { .answer = "101\nno space left\n" };
	struct err err = { 0 };
	pid_t pid = start(&f);

	(void)state;
	assert_int_equal(java_write_perfmap((u32)pid, LONG_NS, &err), -EPROTO);
	assert_non_null(strstr(err.msg, "no space left"));
	assert_int_equal(end(pid), 0);
}

static void test_java_write_perfmap_does_not_wait_longer(void **state)
{
	struct fake f = { 0 };
	struct err err = { 0 };
	pid_t pid = start(&f);
	u64 begin = clock_mono_ns();

	(void)state;
	assert_int_equal(java_write_perfmap((u32)pid, NSEC_PER_SEC / 5, &err), -ETIMEDOUT);
	assert_true(clock_mono_ns() - begin >= NSEC_PER_SEC / 5);
	assert_true(clock_mono_ns() - begin < 5 * NSEC_PER_SEC);
	check_no_trace_of(pid);
	assert_int_equal(end(pid), -1);
}

static void test_java_write_perfmap_spares_who_would_die_of_it(void **state)
{
	struct fake f = { .answer = "0\n", .deaf = true };
	struct err err = { 0 };
	pid_t pid = start(&f);

	(void)state;
	assert_int_equal(java_write_perfmap((u32)pid, LONG_NS, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "SIGQUIT"));
	usleep(20000);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	assert_int_equal(end(pid), -1);
}

static void test_java_write_perfmap_of_other_programs(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(java_write_perfmap((u32)getpid(), LONG_NS, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "not a HotSpot JVM"));
	assert_int_equal(java_write_perfmap(1U << 30, LONG_NS, &err), -ESRCH);
}

/* A real one, if there is any. */
static const char program[] = "public class Wait {\n"
			      "	static void inner() throws Exception { Thread.sleep(1); }\n"
			      "	public static void main(String[] a) throws Exception {\n"
			      "		for (int i = 0; i < 60000; i++) inner();\n"
			      "	}\n"
			      "}\n";

static void test_java_write_perfmap_of_a_real_jvm(void **state)
{
	struct err err = { 0 };
	char path[40], pid_text[16];
	u32 pid, tries;
	size_t sz;
	char *text;
	int r = -1;
	FILE *f;

	(void)state;
	if (!workdir_have("java javac"))
		skip();
	workdir__write(&dir, "Wait.java", program, sizeof(program) - 1);
	assert_true(workdir__run(&dir, "javac Wait.java && { java -Xint Wait >out 2>&1 & "
				       "printf %%s $! >pid; }"));
	text = workdir__read(&dir, "pid", &sz);
	snprintf(pid_text, sizeof(pid_text), "%.*s", (int)sz, text);
	mem_free(text);
	pid = (u32)strtoul(pid_text, NULL, 10);
	/* libjvm.so comes some time after the start, and the handler after that */
	for (tries = 0; r && tries < 100; tries++) {
		r = java_write_perfmap(pid, LONG_NS, &err);
		if (r == -ENOENT || r == -EOPNOTSUPP)
			usleep(100000);
		else
			break;
	}
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	f = fopen(path, "r");
	kill((pid_t)pid, SIGKILL);
	unlink(path);
	snprintf(path, sizeof(path), "/tmp/.java_pid%u", pid);
	unlink(path);
	if (f)
		fclose(f);
	if (r == -EOPNOTSUPP) {
		assert_non_null(strstr(err.msg, "Java 17"));
		return;
	}
	if (r)
		print_error("%s\n", err.msg);
	assert_int_equal(r, 0);
	assert_non_null(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_java_write_perfmap_talks_the_protocol),
		cmocka_unit_test(test_java_write_perfmap_acts_for_the_user_of_the_process),
		cmocka_unit_test(test_java_write_perfmap_of_an_old_jvm),
		cmocka_unit_test(test_java_write_perfmap_of_a_jvm_that_refuses),
		cmocka_unit_test(test_java_write_perfmap_does_not_wait_longer),
		cmocka_unit_test(test_java_write_perfmap_spares_who_would_die_of_it),
		cmocka_unit_test(test_java_write_perfmap_of_other_programs),
		cmocka_unit_test(test_java_write_perfmap_of_a_real_jvm),
	};

	return cmocka_run_group_tests_name("java_attach", tests, setup, teardown);
}
