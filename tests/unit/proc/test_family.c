/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/family.h"
#include "proc/program.h"

/* A line of processes, each the child of the one before; all end with the first pipe's writer. */
struct line {
	pid_t first;
	u32 pids[3];
	int hold_fd;
};

static void say_pid(int tell_fd)
{
	u32 pid = (u32)getpid();

	(void)!write(tell_fd, &pid, sizeof(pid));
}

static void live(int hold_fd, int tell_fd, int generations)
{
	char byte;

	say_pid(tell_fd);
	while (--generations > 0 && !fork())
		say_pid(tell_fd);
	(void)!read(hold_fd, &byte, 1);
	while (waitpid(-1, NULL, 0) > 0)
		;
	_exit(0);
}

static int start(void **state)
{
	static struct line line;
	int hold[2], tell[2];

	if (pipe(hold) || pipe(tell))
		return -1;
	line.first = fork();
	if (!line.first) {
		close(hold[1]);
		live(hold[0], tell[1], 3);
	}
	close(hold[0]);
	close(tell[1]);
	for (int i = 0; i < 3; i++) {
		if (read(tell[0], &line.pids[i], sizeof(u32)) != (ssize_t)sizeof(u32))
			return -1;
	}
	close(tell[0]);
	line.hold_fd = hold[1];
	*state = &line;
	return 0;
}

static int stop(void **state)
{
	const struct line *line = *state;

	close(line->hold_fd);
	return waitpid(line->first, NULL, 0) == line->first ? 0 : -1;
}

static bool has(const struct vec *pids, u32 pid)
{
	for (size_t i = 0; i < pids->len; i++) {
		if (*(const u32 *)vec__at(pids, i) == pid)
			return true;
	}
	return false;
}

static void test_list__has_us_and_init(void **state)
{
	struct vec all;
	struct err err;

	(void)state;
	vec__init(&all, sizeof(u32));
	assert_int_equal(processes_list(&all, &err), 0);
	assert_true(has(&all, 1));
	assert_true(has(&all, (u32)getpid()));
	assert_false(has(&all, 0));
	vec__done(&all);
}

static void test_family__is_all_descendants(void **state)
{
	const struct line *line = *state;
	struct vec found;
	struct err err;

	vec__init(&found, sizeof(u32));
	assert_int_equal(family_find(&line->pids[0], 1, &found, &err), 0);
	assert_int_equal(found.len, 2);
	assert_true(has(&found, line->pids[1]));
	assert_true(has(&found, line->pids[2]));
	vec__done(&found);
}

/* The one in the middle is named itself. */
static void test_family__has_none_of_those_that_were_named(void **state)
{
	const struct line *line = *state;
	struct vec found;
	struct err err;

	vec__init(&found, sizeof(u32));
	assert_int_equal(family_find(line->pids, 2, &found, &err), 0);
	assert_int_equal(found.len, 1);
	assert_true(has(&found, line->pids[2]));
	vec__done(&found);
}

static void test_family__of_the_youngest_is_empty(void **state)
{
	const struct line *line = *state;
	struct vec found;
	struct err err;

	vec__init(&found, sizeof(u32));
	assert_int_equal(family_find(&line->pids[2], 1, &found, &err), 0);
	assert_int_equal(found.len, 0);
	vec__done(&found);
}

static void test_program__is_named_by_its_file_and_its_argument(void **state)
{
	char file[64], arg0[256], cut[4];

	(void)state;
	program_file((u32)getpid(), file, sizeof(file));
	program_arg0((u32)getpid(), arg0, sizeof(arg0));
	assert_string_equal(file, "test_family");
	assert_true(arg0[0]);
	program_file((u32)getpid(), cut, sizeof(cut));
	assert_string_equal(cut, "tes");
	/* never a process: the largest number is 2^22 */
	program_file(1 << 23, file, sizeof(file));
	program_arg0(1 << 23, arg0, sizeof(arg0));
	assert_string_equal(file, "");
	assert_string_equal(arg0, "");
}

#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list__has_us_and_init),
		T(test_family__is_all_descendants),
		T(test_family__has_none_of_those_that_were_named),
		T(test_family__of_the_youngest_is_empty),
		cmocka_unit_test(test_program__is_named_by_its_file_and_its_argument),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
