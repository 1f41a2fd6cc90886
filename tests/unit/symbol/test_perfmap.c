/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "lib/workdir.h"
#include "symbol/perfmap.h"

static struct perfmap *parse(const char *text)
{
	struct perfmap *pm = NULL;

	assert_int_equal(perfmap__parse(&pm, view__of_str(text), NULL), 0);
	return pm;
}

static void check(const struct perfmap *pm, u64 addr, const char *want, u64 want_start)
{
	const char *name = NULL;
	u64 start = 0;

	if (!want) {
		assert_false(perfmap__find(pm, addr, &name, &start));
		return;
	}
	assert_true(perfmap__find(pm, addr, &name, &start));
	assert_string_equal(name, want);
	assert_true(start == want_start);
}

static void test_perfmap__find_is_right_at_the_edges(void **state)
{
	struct perfmap *pm = parse("7f00 10 LazyCompile:*f  /srv/app.js:1:2\n"
				   "7f10 8 second\n");

	(void)state;
	check(pm, 0x7eff, NULL, 0);
	check(pm, 0x7f00, "LazyCompile:*f  /srv/app.js:1:2", 0x7f00);
	check(pm, 0x7f0f, "LazyCompile:*f  /srv/app.js:1:2", 0x7f00);
	check(pm, 0x7f10, "second", 0x7f10);
	check(pm, 0x7f18, NULL, 0);
	perfmap__free(pm);
	perfmap__free(NULL);
}

static void test_perfmap__parse_takes_prefixes_and_carriage_returns(void **state)
{
	struct perfmap *pm = parse("0x1000 0x20 a\r\n0X2000 0X20 b  \n");

	(void)state;
	check(pm, 0x101f, "a", 0x1000);
	check(pm, 0x201f, "b", 0x2000);
	perfmap__free(pm);
}

static void test_perfmap__parse_believes_the_later_line(void **state)
{
	struct perfmap *pm = parse("1000 100 old\n1040 20 in\n2050 100 old_late\n2000 100 new\n");

	(void)state;
	check(pm, 0x103f, "old", 0x1000);
	check(pm, 0x1040, "in", 0x1040);
	check(pm, 0x1060, "old", 0x1000);
	/* the newer one begins lower, but is right where both are */
	check(pm, 0x2060, "new", 0x2000);
	check(pm, 0x2100, "old_late", 0x2050);
	perfmap__free(pm);
}

static void test_perfmap__parse_leaves_out_what_makes_no_sense(void **state)
{
	struct perfmap *pm = parse("\n"
				   "hello\n"
				   "1000\n"
				   "1000 10\n"
				   "1000 10 \n"
				   "1000 0 empty\n"
				   "1000 zz bad\n"
				   "1000 10name\n"
				   "fffffffffffffff0 20 wraps\n"
				   "11111111111111111 1 large\n"
				   "3000 10 good\n"
				   "1000 10 unfinis");

	(void)state;
	check(pm, 0x1000, NULL, 0);
	check(pm, 0xfffffffffffffff8, NULL, 0);
	check(pm, 0x3000, "good", 0x3000);
	perfmap__free(pm);
	pm = parse("");
	check(pm, 0, NULL, 0);
	perfmap__free(pm);
}

static void test_perfmap__parse_survives_every_failed_allocation(void **state)
{
	struct perfmap *pm;
	u64 nth;
	int r;

	(void)state;
	for (nth = 1;; nth++) {
		mem_fail_nth(nth);
		r = perfmap__parse(&pm, view__of_str("1000 10 a\n2000 10 b\n"), NULL);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 3);
	perfmap__free(pm);
}

static void own_map_path(char *path, size_t sz)
{
	snprintf(path, sz, "/tmp/perf-%d.map", getpid());
}

static void test_perfmap__read_finds_our_own(void **state)
{
	struct perfmap *pm = NULL;
	char path[40];
	FILE *f;

	(void)state;
	assert_int_equal(perfmap__read((u32)getpid(), &pm, NULL), -ENOENT);
	own_map_path(path, sizeof(path));
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("1000 10 jitted\n", f);
	fclose(f);
	assert_int_equal(perfmap__read((u32)getpid(), &pm, NULL), 0);
	unlink(path);
	check(pm, 0x1008, "jitted", 0x1000);
	perfmap__free(pm);
}

static void test_perfmap__read_refuses_a_strangers_file(void **state)
{
	struct perfmap *pm = NULL;
	struct err err = { 0 };
	char path[40];
	FILE *f;

	(void)state;
	if (getuid())
		skip();
	own_map_path(path, sizeof(path));
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("1000 10 planted\n", f);
	fclose(f);
	assert_int_equal(chown(path, 4711, 4711), 0);
	assert_int_equal(perfmap__read((u32)getpid(), &pm, &err), -EPERM);
	assert_non_null(strstr(err.msg, "4711"));
	unlink(path);
}

static void test_perfmap__read_of_a_process_that_is_gone(void **state)
{
	struct perfmap *pm;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_int_equal(perfmap__read((u32)pid, &pm, NULL), -ENOENT);
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

static void test_perfmap__read_sees_the_process_in_its_container(void **state)
{
	struct perfmap *pm = NULL;
	struct workdir dir;
	pid_t outer, inner = 0;
	int ready[2], tries, r = -ENOENT;

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
	/* it may not have changed its root yet */
	for (tries = 0; tries < 1000 && r; tries++) {
		r = perfmap__read((u32)inner, &pm, NULL);
		usleep(1000);
	}
	kill(inner, SIGKILL);
	waitpid(outer, NULL, 0);
	close(ready[0]);
	workdir__done(&dir);
	assert_int_equal(r, 0);
	check(pm, 0x1000, "contained", 0x1000);
	perfmap__free(pm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perfmap__find_is_right_at_the_edges),
		cmocka_unit_test(test_perfmap__parse_takes_prefixes_and_carriage_returns),
		cmocka_unit_test(test_perfmap__parse_believes_the_later_line),
		cmocka_unit_test(test_perfmap__parse_leaves_out_what_makes_no_sense),
		cmocka_unit_test(test_perfmap__parse_survives_every_failed_allocation),
		cmocka_unit_test(test_perfmap__read_finds_our_own),
		cmocka_unit_test(test_perfmap__read_refuses_a_strangers_file),
		cmocka_unit_test(test_perfmap__read_of_a_process_that_is_gone),
		cmocka_unit_test(test_perfmap__read_sees_the_process_in_its_container),
	};

	return cmocka_run_group_tests_name("perfmap", tests, NULL, NULL);
}
