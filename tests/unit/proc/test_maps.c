/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "proc/maps.h"

#define LIB "7f0000001000-7f0000005000 r-xp 00002000 fe:01 247134                     "

static int parse(struct maps *m, const char *text)
{
	return maps__parse(m, view__of_str(text), NULL);
}

static void test_maps__parse_reads_every_field(void **state)
{
	struct maps m;

	(void)state;
	assert_int_equal(parse(&m, "7f0000000000-7f0000001000 rw-s 00000000 00:00 0 \n" LIB
				   "/usr/lib/libfoo.so.1\n"),
			 0);
	assert_int_equal(m.len, 2);
	assert_false(m.ranges[0].exec);
	assert_false(map_range__is_file(&m.ranges[0]));
	assert_string_equal(m.ranges[0].path, "");
	assert_true(m.ranges[1].start == 0x7f0000001000);
	assert_true(m.ranges[1].end == 0x7f0000005000);
	assert_true(m.ranges[1].off == 0x2000);
	assert_true(m.ranges[1].dev == makedev(0xfe, 1));
	assert_true(m.ranges[1].ino == 247134);
	assert_true(m.ranges[1].exec);
	assert_false(m.ranges[1].deleted);
	assert_string_equal(m.ranges[1].path, "/usr/lib/libfoo.so.1");
	maps__done(&m);
}

static void test_maps__parse_keeps_spaces_and_strange_bytes_of_a_path(void **state)
{
	const char *path = "/tmp/a  b 7f00-8f00 r-xp 0 00:00 1 \x1b[2J\\012x ";
	char text[256];
	struct maps m;

	(void)state;
	snprintf(text, sizeof(text), LIB "%s\n", path);
	assert_int_equal(parse(&m, text), 0);
	assert_int_equal(m.len, 1);
	assert_string_equal(m.ranges[0].path, path);
	maps__done(&m);
}

static void test_maps__parse_takes_off_one_deleted_mark(void **state)
{
	struct maps m;

	(void)state;
	assert_int_equal(parse(&m, LIB "/a (deleted) (deleted)\n"), 0);
	assert_true(m.ranges[0].deleted);
	assert_string_equal(m.ranges[0].path, "/a (deleted)");
	maps__done(&m);
	assert_int_equal(parse(&m, LIB "/a (deleted)x\n"), 0);
	assert_false(m.ranges[0].deleted);
	maps__done(&m);
}

static void test_maps__parse_takes_a_path_of_any_length(void **state)
{
	size_t sz = 300000, head = strlen(LIB);
	char *text = malloc(sz);
	struct maps m;

	(void)state;
	memset(text, 'x', sz);
	memcpy(text, LIB "/", head + 1);
	text[sz - 1] = '\0';
	assert_int_equal(parse(&m, text), 0);
	assert_int_equal(strlen(m.ranges[0].path), sz - 1 - head);
	maps__done(&m);
	free(text);
}

static void test_maps__parse_knows_the_vdso_from_a_file_of_that_name(void **state)
{
	struct maps m;

	(void)state;
	assert_int_equal(parse(&m, "1000-2000 r-xp 00000000 00:00 0          [vdso]\n"
				   "3000-4000 r-xp 00000000 fe:00 77         [vdso]\n"),
			 0);
	assert_true(map_range__is_vdso(&m.ranges[0]));
	assert_false(map_range__is_vdso(&m.ranges[1]));
	maps__done(&m);
}

static void test_maps__parse_refuses_what_the_kernel_does_not_write(void **state)
{
	static const char *const lines[] = {
		"x",
		"\n",
		"1000-2000",
		"1000-2000 r-xp",
		"1000-2000 rqxp 0 0:0 0",
		"1000-2000 r-x 0 00:00 0 /a",
		"2000-1000 r-xp 0 00:00 0 /a",
		"1000-1000 r-xp 0 00:00 0",
		"1000 2000 r-xp 0 00:00 0",
		"1000-2000 r-xp 0 0000 0",
		"1000-2000 r-xp 0 00:00 /a",
		"1000-2000 r-xp 0 00:00 1/a",
		"1000-11111111111111111 r-xp 0 00:00 1 /a",
		"1000-2000 r-xp 0 ffffffff:00 1 /a",
		"1000-2000 r-xp 0 00:00 1 /a\n1fff-3000 r-xp 0 00:00 1 /a",
		"3000-4000 r-xp 0 00:00 1 /a\n1000-2000 r-xp 0 00:00 1 /a",
	};
	struct err err;
	struct maps m;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(lines); i++) {
		err.msg[0] = '\0';
		assert_int_equal(maps__parse(&m, view__of_str(lines[i]), &err), -EINVAL);
		assert_int_equal(m.len, 0);
		assert_non_null(strstr(err.msg, "line "));
	}
}

static void test_maps__parse_refuses_a_nul_in_a_path(void **state)
{
	static const char text[] = LIB "/a\0b\n";
	struct maps m;

	(void)state;
	assert_int_equal(maps__parse(&m, view__of(text, sizeof(text) - 1), NULL), -EINVAL);
}

static void test_maps__parse_takes_no_text(void **state)
{
	struct maps m;

	(void)state;
	assert_int_equal(parse(&m, ""), 0);
	assert_int_equal(m.len, 0);
	assert_null(maps__find(&m, 0));
	maps__done(&m);
	maps__done(NULL);
}

static void test_maps__find_is_right_at_the_edges(void **state)
{
	struct maps m;

	(void)state;
	assert_int_equal(parse(&m, "1000-2000 r-xp 00000000 00:00 1 /a\n"
				   "2000-3000 r-xp 00000000 00:00 2 /b\n"
				   "5000-6000 r-xp 00000000 00:00 3 /c\n"),
			 0);
	assert_null(maps__find(&m, 0xfff));
	assert_true(maps__find(&m, 0x1000)->ino == 1);
	assert_true(maps__find(&m, 0x1fff)->ino == 1);
	assert_true(maps__find(&m, 0x2000)->ino == 2);
	assert_null(maps__find(&m, 0x3000));
	assert_null(maps__find(&m, 0x4fff));
	assert_true(maps__find(&m, 0x5fff)->ino == 3);
	assert_null(maps__find(&m, 0x6000));
	assert_null(maps__find(&m, UINT64_MAX));
	maps__done(&m);
}

static void test_maps__read_finds_this_function(void **state)
{
	const struct map_range *range;
	struct maps m;
	size_t i, vdso = 0;

	(void)state;
	assert_int_equal(maps__read(&m, (u32)getpid(), NULL), 0);
	range = maps__find(&m, (u64)(uintptr_t)&test_maps__read_finds_this_function);
	assert_non_null(range);
	assert_true(range->exec);
	assert_non_null(strstr(range->path, "test_maps"));
	for (i = 0; i < m.len; i++) {
		assert_true(m.ranges[i].exec || map_range__is_vdso(&m.ranges[i]));
		vdso += map_range__is_vdso(&m.ranges[i]);
	}
	assert_int_equal(vdso, 1);
	/* data is left out */
	assert_null(maps__find(&m, (u64)(uintptr_t)&m));
	maps__done(&m);
}

static void test_maps__read_says_that_a_process_is_gone(void **state)
{
	struct err err = { 0 };
	struct maps m;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	assert_int_equal(maps__read(&m, (u32)pid, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "gone"));
	assert_int_equal(m.len, 0);
}

static void test_maps__parse_survives_every_failed_allocation(void **state)
{
	struct maps m;
	u64 nth;
	int r;

	(void)state;
	for (nth = 1;; nth++) {
		mem_fail_nth(nth);
		r = parse(&m, LIB "/one\n7f0000006000-7f0000007000 r-xp 0 00:00 4 /two\n");
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
		assert_int_equal(m.len, 0);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 2);
	maps__done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maps__parse_reads_every_field),
		cmocka_unit_test(test_maps__parse_keeps_spaces_and_strange_bytes_of_a_path),
		cmocka_unit_test(test_maps__parse_takes_off_one_deleted_mark),
		cmocka_unit_test(test_maps__parse_takes_a_path_of_any_length),
		cmocka_unit_test(test_maps__parse_knows_the_vdso_from_a_file_of_that_name),
		cmocka_unit_test(test_maps__parse_refuses_what_the_kernel_does_not_write),
		cmocka_unit_test(test_maps__parse_refuses_a_nul_in_a_path),
		cmocka_unit_test(test_maps__parse_takes_no_text),
		cmocka_unit_test(test_maps__find_is_right_at_the_edges),
		cmocka_unit_test(test_maps__read_finds_this_function),
		cmocka_unit_test(test_maps__read_says_that_a_process_is_gone),
		cmocka_unit_test(test_maps__parse_survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}
