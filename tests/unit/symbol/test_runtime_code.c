/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "lib/workdir.h"
#include "symbol/code_log.h"
#include "symbol/runtime_code.h"

/* No process has such a number: pid_max is lower. */
#define NOBODY (1U << 30)

static struct workdir dir;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

static void write_map(const char *text)
{
	workdir__write(&dir, "map", text, strlen(text));
}

/* One function "dumped" at 0x1000, of 16 bytes, in line 7 of /a.js. */
static void write_dump(void)
{
	struct __attribute__((packed)) {
		u32 magic, version, sz, machine, pad, pid;
		u64 time, flags;
		u32 debug_kind, debug_sz;
		u64 debug_time, debug_addr, debug_cnt, row_addr;
		u32 row_line, row_column;
		char row_file[6];
		u32 kind, load_sz;
		u64 load_time, ids, vma, addr, code_sz, number;
		char name[7];
		u8 code[16];
	} dump = {
		.magic = 0x4a695444,
		.version = 1,
		.sz = 40,
		.debug_kind = 2,
		.debug_sz = 54,
		.debug_addr = 0x1000,
		.debug_cnt = 1,
		.row_addr = 0x1000,
		.row_line = 7,
		.row_file = "/a.js",
		.load_sz = 79,
		.vma = 0x1000,
		.addr = 0x1000,
		.code_sz = 16,
		.name = "dumped",
	};

	workdir__write(&dir, "dump", &dump, sizeof(dump));
}

static void check(const struct runtime_code *code, u64 addr, const char *want)
{
	const char *name = NULL;
	u64 start;

	assert_non_null(code);
	assert_int_equal(runtime_code__find(code, addr, &name, &start), want != NULL);
	if (want)
		assert_string_equal(name, want);
}

static void test_runtime_codes__get_asks_the_jitdump_first(void **state)
{
	const struct runtime_code *code;
	struct runtime_codes rc;
	struct code_place place;
	const char *file;
	u32 line;

	(void)state;
	runtime_codes__init(&rc);
	code_place__init(&place, NOBODY);
	write_map("1000 10 mapped\n2000 10 only_mapped\n");
	write_dump();
	place.map_fd = workdir__open(&dir, "map");
	place.dump_fd = workdir__open(&dir, "dump");
	assert_int_equal(runtime_codes__give(&rc, &place), 0);
	assert_int_equal(place.map_fd, -1);
	assert_int_equal(place.dump_fd, -1);
	code = runtime_codes__get(&rc, NOBODY, 1);
	check(code, 0x100f, "dumped");
	check(code, 0x2000, "only_mapped");
	check(code, 0x3000, NULL);
	assert_true(runtime_code__line(code, 0x1000, &file, &line));
	assert_string_equal(file, "/a.js");
	assert_int_equal(line, 7);
	assert_false(runtime_code__line(code, 0x2000, &file, &line));
	runtime_codes__done(&rc);
	runtime_codes__done(NULL);
}

static void test_runtime_codes__forget_closes_what_was_kept(void **state)
{
	struct runtime_codes rc;
	struct code_place place;
	struct ended ended;
	int map_fd;

	(void)state;
	ended__init(&ended);
	runtime_codes__init(&rc);
	code_place__init(&place, NOBODY);
	write_map("1000 10 mapped\n");
	map_fd = place.map_fd = workdir__open(&dir, "map");
	assert_int_equal(runtime_codes__give(&rc, &place), 0);
	runtime_codes__forget(&rc, &ended);
	check(runtime_codes__get(&rc, NOBODY, 1), 0x1000, "mapped");
	assert_int_equal(ended__add_process(&ended, NOBODY), 0);
	runtime_codes__forget(&rc, &ended);
	assert_int_equal(rc.list.len, 0);
	assert_int_equal(fcntl(map_fd, F_GETFD), -1);
	runtime_codes__done(&rc);
	ended__done(&ended);
}

static void test_runtime_codes__get_reads_once_in_a_pass(void **state)
{
	struct runtime_codes rc;
	struct code_place place;

	(void)state;
	runtime_codes__init(&rc);
	code_place__init(&place, NOBODY);
	write_map("1000 10 early\n");
	place.map_fd = workdir__open(&dir, "map");
	assert_int_equal(runtime_codes__give(&rc, &place), 0);
	check(runtime_codes__get(&rc, NOBODY, 1), 0x1000, "early");
	write_map("1000 10 early\n1000 10 late\n");
	check(runtime_codes__get(&rc, NOBODY, 1), 0x1000, "early");
	check(runtime_codes__get(&rc, NOBODY, 2), 0x1000, "late");
	runtime_codes__done(&rc);
}

/* Names before the damage are used; the rest is counted. */
static void test_runtime_codes__get_bears_damage(void **state)
{
	struct runtime_codes rc;
	struct code_place place;

	(void)state;
	runtime_codes__init(&rc);
	code_place__init(&place, NOBODY);
	write_map("1000 10 mapped\n");
	place.map_fd = workdir__open(&dir, "map");
	/* no jitdump, and long enough to be seen as none */
	workdir__write(&dir, "dump", "012345678901234567890123456789012345678901234567", 48);
	place.dump_fd = workdir__open(&dir, "dump");
	assert_int_equal(runtime_codes__give(&rc, &place), 0);
	check(runtime_codes__get(&rc, NOBODY, 1), 0x1000, "mapped");
	assert_int_equal(runtime_codes__unread(&rc, 1), 1);
	assert_int_equal(runtime_codes__unread(&rc, 2), 0);
	runtime_codes__done(&rc);
}

/* The rest of the files is read in later passes, 1 GiB of each at a time. */
static void test_runtime_codes__unread_counts_files_not_read_to_the_end(void **state)
{
	struct runtime_codes rc;
	struct code_place place;

	(void)state;
	runtime_codes__init(&rc);
	code_place__init(&place, NOBODY);
	write_map("1000 10 mapped\n");
	write_dump();
	place.map_fd = workdir__open(&dir, "map");
	place.dump_fd = workdir__open(&dir, "dump");
	assert_int_equal(truncate(workdir__path(&dir, "map"), 3LL << 29), 0);
	assert_int_equal(runtime_codes__give(&rc, &place), 0);
	check(runtime_codes__get(&rc, NOBODY, 1), 0x1000, "dumped");
	assert_int_equal(runtime_codes__unread(&rc, 1), 1);
	assert_non_null(runtime_codes__get(&rc, NOBODY, 2));
	assert_int_equal(runtime_codes__unread(&rc, 2), 0);
	runtime_codes__done(&rc);
}

#define LINE_SZ 12

/* A map with three functions more than there is room for. */
static void write_long_map(void)
{
	u64 i, lines = CODE_LOG_ENTRIES_MAX + 3;
	char *text = malloc(lines * LINE_SZ + 1);

	assert_non_null(text);
	for (i = 0; i < lines; i++)
		snprintf(text + i * LINE_SZ, LINE_SZ + 1, "%07llx 1 f\n", (unsigned long long)i);
	write_map(text);
	free(text);
}

static void test_runtime_codes__tell_dropped_tells_once(void **state)
{
	struct runtime_codes rc;
	struct code_place place;

	(void)state;
	runtime_codes__init(&rc);
	code_place__init(&place, NOBODY);
	write_long_map();
	place.map_fd = workdir__open(&dir, "map");
	assert_int_equal(runtime_codes__give(&rc, &place), 0);
	assert_non_null(runtime_codes__get(&rc, NOBODY, 1));
	assert_int_equal(runtime_codes__tell_dropped(&rc, 2), 0);
	assert_int_equal(runtime_codes__tell_dropped(&rc, 1), 3);
	assert_int_equal(runtime_codes__tell_dropped(&rc, 1), 0);
	runtime_codes__done(&rc);
}

static void test_runtime_codes__survive_every_failed_allocation(void **state)
{
	const struct runtime_code *code;
	struct runtime_codes rc;
	struct code_place place;
	u64 nth;
	int r;

	(void)state;
	write_map("1000 10 mapped\n");
	for (nth = 1;; nth++) {
		runtime_codes__init(&rc);
		code_place__init(&place, NOBODY);
		place.map_fd = workdir__open(&dir, "map");
		mem_fail_nth(nth);
		r = runtime_codes__give(&rc, &place);
		code = r ? NULL : runtime_codes__get(&rc, NOBODY, 1);
		if (!mem_fail_fired())
			break;
		runtime_codes__done(&rc);
	}
	mem_fail_nth(0);
	check(code, 0x1000, "mapped");
	assert_true(nth > 5);
	runtime_codes__done(&rc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runtime_codes__get_asks_the_jitdump_first),
		cmocka_unit_test(test_runtime_codes__forget_closes_what_was_kept),
		cmocka_unit_test(test_runtime_codes__get_reads_once_in_a_pass),
		cmocka_unit_test(test_runtime_codes__get_bears_damage),
		cmocka_unit_test(test_runtime_codes__unread_counts_files_not_read_to_the_end),
		cmocka_unit_test(test_runtime_codes__tell_dropped_tells_once),
		cmocka_unit_test(test_runtime_codes__survive_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("runtime_code", tests, setup, teardown);
}
