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
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/workdir.h"
#include "proc/code_place.h"

static char own_map[40];

static void write_map(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	(void)state;
	snprintf(own_map, sizeof(own_map), "/tmp/perf-%d.map", getpid());
	unlink(own_map);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(own_map);
	return 0;
}

/* What the perf map says, or "" when there is none. */
static const char *map_text(const struct code_place *p)
{
	static char text[64];
	ssize_t n = p->map_fd < 0 ? 0 : pread(p->map_fd, text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = '\0';
	return text;
}

static void test_code_place__look_finds_what_comes_later(void **state)
{
	struct code_place p;
	int fd;

	(void)state;
	code_place__init(&p, (u32)getpid());
	assert_int_equal(code_place__look(&p, NULL, NULL), 0);
	assert_int_equal(p.map_fd, -1);
	write_map(own_map, "1000 10 jitted\n");
	assert_int_equal(code_place__look(&p, NULL, NULL), 0);
	assert_string_equal(map_text(&p), "1000 10 jitted\n");
	/* the same file keeps its descriptor, another one does not */
	fd = p.map_fd;
	assert_int_equal(code_place__look(&p, NULL, NULL), 0);
	assert_int_equal(p.map_fd, fd);
	assert_int_equal(rename(own_map, "/tmp/.coldspot-test-old-map"), 0);
	write_map(own_map, "2000 10 newer\n");
	assert_int_equal(code_place__look(&p, NULL, NULL), 0);
	unlink("/tmp/.coldspot-test-old-map");
	assert_string_equal(map_text(&p), "2000 10 newer\n");
	code_place__done(&p);
	code_place__done(NULL);
}

/* The number of a process that ended is another one's soon. */
static void test_code_place__look_keeps_to_one_process(void **state)
{
	struct code_place p;

	(void)state;
	write_map(own_map, "1000 10 before\n");
	code_place__init(&p, (u32)getpid());
	assert_int_equal(code_place__look(&p, NULL, NULL), 0);
	close(p.map_fd);
	p.map_fd = -1;
	p.kept = true;
	p.start_ns++;
	assert_int_equal(rename(own_map, "/tmp/.coldspot-test-kept-map"), 0);
	assert_int_equal(code_place__look(&p, NULL, NULL), 0);
	assert_string_equal(map_text(&p), "");
	p.ns_pid++;
	assert_int_equal(code_place__look(&p, NULL, NULL), 0);
	assert_int_equal(p.ns_pid, getpid() + 1);
	/* else the other one takes over */
	p.kept = false;
	assert_int_equal(rename("/tmp/.coldspot-test-kept-map", own_map), 0);
	assert_int_equal(code_place__look(&p, NULL, NULL), 0);
	assert_int_equal(p.ns_pid, getpid());
	assert_string_equal(map_text(&p), "1000 10 before\n");
	code_place__done(&p);
}

static void test_code_place__look_refuses_a_strangers_file(void **state)
{
	struct code_place p;
	struct err err = { 0 };

	(void)state;
	if (getuid())
		skip();
	write_map(own_map, "1000 10 planted\n");
	assert_int_equal(chown(own_map, 4711, 4711), 0);
	code_place__init(&p, (u32)getpid());
	assert_int_equal(code_place__look(&p, NULL, &err), -EPERM);
	assert_int_equal(p.map_fd, -1);
	assert_non_null(strstr(err.msg, "4711"));
	code_place__done(&p);
}

static void test_code_place__look_refuses_anything_but_a_file(void **state)
{
	struct code_place p;

	(void)state;
	code_place__init(&p, (u32)getpid());
	assert_int_equal(mkfifo(own_map, 0600), 0);
	assert_int_equal(code_place__look(&p, NULL, NULL), -EPERM);
	unlink(own_map);
	/* a link would lead anywhere */
	assert_int_equal(symlink("/proc/self/status", own_map), 0);
	assert_int_equal(code_place__look(&p, NULL, NULL), 0);
	assert_int_equal(p.map_fd, -1);
	code_place__done(&p);
}

/* Another process had the number before, and left its map. */
static void test_code_place__look_refuses_files_older_than_the_process(void **state)
{
	struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	struct code_place p;
	struct err err = { 0 };

	(void)state;
	write_map(own_map, "1000 10 stale\n");
	assert_int_equal(utimensat(AT_FDCWD, own_map, old, 0), 0);
	code_place__init(&p, (u32)getpid());
	assert_int_equal(code_place__look(&p, NULL, &err), -ESTALE);
	assert_int_equal(p.map_fd, -1);
	assert_non_null(strstr(err.msg, "older"));
	code_place__done(&p);
}

static pid_t start_sleeper(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

static void test_code_place__look_after_the_end_of_the_process(void **state)
{
	pid_t pid = start_sleeper();
	struct code_place p, never;
	char path[40];

	(void)state;
	code_place__init(&p, (u32)pid);
	assert_int_equal(code_place__look(&p, NULL, NULL), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
	write_map(path, "1000 10 last words\n");
	assert_int_equal(code_place__look(&p, NULL, NULL), 0);
	/* whose number that was, nobody can say any more */
	code_place__init(&never, (u32)pid);
	assert_int_equal(code_place__look(&never, NULL, NULL), 0);
	unlink(path);
	assert_string_equal(map_text(&p), "1000 10 last words\n");
	assert_int_equal(never.map_fd, -1);
	code_place__done(&p);
	code_place__done(&never);
}

/* In a PID namespace and a root of its own, as in a container. */
static pid_t start_contained(const char *root, int ready)
{
	pid_t outer = fork(), inner;

	if (outer)
		return outer;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWPID))
		_exit(77);
	inner = fork();
	if (!inner) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chroot(root) || chdir("/"))
			_exit(1);
		for (;;)
			pause();
	}
	if (write(ready, &inner, sizeof(inner)) != sizeof(inner))
		_exit(1);
	close(ready);
	waitpid(inner, NULL, 0);
	_exit(0);
}

static void test_code_place__look_sees_the_process_in_its_container(void **state)
{
	struct code_place p;
	struct workdir dir;
	pid_t outer, inner = 0;
	int ready[2], tries;

	(void)state;
	workdir__init(&dir);
	assert_true(workdir__run(&dir, "mkdir tmp && echo '1000 10 contained' >tmp/perf-1.map"));
	assert_int_equal(pipe(ready), 0);
	outer = start_contained(dir.path, ready[1]);
	close(ready[1]);
	if (read(ready[0], &inner, sizeof(inner)) != sizeof(inner)) {
		waitpid(outer, NULL, 0);
		workdir__done(&dir);
		print_error("SKIPPED: no PID namespaces for us\n");
		skip();
	}
	code_place__init(&p, (u32)inner);
	/* it may not have changed its root yet */
	for (tries = 0; tries < 1000 && p.map_fd < 0; tries++) {
		assert_int_equal(code_place__look(&p, NULL, NULL), 0);
		usleep(1000);
	}
	kill(inner, SIGKILL);
	waitpid(outer, NULL, 0);
	close(ready[0]);
	workdir__done(&dir);
	assert_string_equal(map_text(&p), "1000 10 contained\n");
	code_place__done(&p);
}

static void test_code_place__look_finds_a_jitdump_by_its_mapping(void **state)
{
	static const char text[] = "a dump";
	char name[64], buf[16];
	struct code_place p;
	struct workdir dir;
	struct maps maps;
	void *mark;
	int fd;

	(void)state;
	workdir__init(&dir);
	snprintf(name, sizeof(name), "jit-%d.dump", getpid());
	workdir__write(&dir, name, text, sizeof(text));
	fd = workdir__open(&dir, name);
	code_place__init(&p, (u32)getpid());
	assert_int_equal(maps__read(&maps, (u32)getpid(), NULL), 0);
	assert_int_equal(code_place__look(&p, &maps, NULL), 0);
	assert_int_equal(p.dump_fd, -1);
	maps__done(&maps);
	mark = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (mark == MAP_FAILED) {
		workdir__done(&dir);
		print_error("SKIPPED: no executable mappings there\n");
		skip();
	}
	assert_int_equal(maps__read(&maps, (u32)getpid(), NULL), 0);
	assert_int_equal(code_place__look(&p, &maps, NULL), 0);
	maps__done(&maps);
	munmap(mark, 4096);
	workdir__done(&dir);
	assert_int_equal(pread(p.dump_fd, buf, sizeof(buf), 0), sizeof(text));
	assert_string_equal(buf, text);
	code_place__done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		CASE(test_code_place__look_finds_what_comes_later),
		CASE(test_code_place__look_keeps_to_one_process),
		CASE(test_code_place__look_refuses_a_strangers_file),
		CASE(test_code_place__look_refuses_anything_but_a_file),
		CASE(test_code_place__look_refuses_files_older_than_the_process),
		CASE(test_code_place__look_after_the_end_of_the_process),
		CASE(test_code_place__look_sees_the_process_in_its_container),
		CASE(test_code_place__look_finds_a_jitdump_by_its_mapping),
#undef CASE
	};

	return cmocka_run_group_tests_name("code_place", tests, NULL, NULL);
}
