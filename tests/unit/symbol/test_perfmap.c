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
#include <unistd.h>

#include "base/mem.h"
#include "lib/workdir.h"
#include "symbol/code_log.h"
#include "symbol/perfmap.h"

static struct perfmap *parse(const char *text)
{
	struct perfmap *pm = NULL;

	assert_int_equal(perfmap__new(&pm, NULL), 0);
	assert_int_equal(perfmap__add(pm, view__of_str(text), NULL), 0);
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

static void test_perfmap__add_takes_prefixes_and_carriage_returns(void **state)
{
	struct perfmap *pm = parse("0x1000 0x20 a\r\n0X2000 0X20 b  \n");

	(void)state;
	check(pm, 0x101f, "a", 0x1000);
	check(pm, 0x201f, "b", 0x2000);
	perfmap__free(pm);
}

static void test_perfmap__add_believes_the_later_line(void **state)
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

static void test_perfmap__add_leaves_out_what_makes_no_sense(void **state)
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

static void test_perfmap__add_survives_every_failed_allocation(void **state)
{
	struct perfmap *pm;
	u64 nth;
	int r;

	(void)state;
	for (nth = 1;; nth++) {
		pm = NULL;
		mem_fail_nth(nth);
		r = perfmap__new(&pm, NULL);
		if (!r)
			r = perfmap__add(pm, view__of_str("1000 10 a\n2000 10 b\n"), NULL);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
		perfmap__free(pm);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 3);
	perfmap__free(pm);
}

static void write_map(struct workdir *dir, const char *text)
{
	workdir__write(dir, "map", text, strlen(text));
}

/* As a JIT does it: the file stays, and what was written stays. */
static void append_map(struct workdir *dir, const char *text)
{
	FILE *f = fopen(workdir__path(dir, "map"), "a");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* Lines for `places` functions of 16 bytes, one behind the other, and then from the first again. */
static struct perfmap *parse_many(u64 lines, u64 places)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	struct perfmap *pm;
	u64 i;

	assert_non_null(f);
	for (i = 0; i < lines; i++)
		fprintf(f, "%010llx 10 f%08llu\n", (unsigned long long)(0x10000 + i % places * 16),
			(unsigned long long)(i / places));
	fclose(f);
	pm = parse(text);
	free(text);
	return pm;
}

static void test_perfmap__add_counts_lines_without_room(void **state)
{
	struct perfmap *pm = parse_many(3000000, 3000000);

	(void)state;
	assert_int_equal(perfmap__len(pm), CODE_LOG_ENTRIES_MAX);
	assert_int_equal(perfmap__dropped(pm), 3000000 - CODE_LOG_ENTRIES_MAX);
	perfmap__free(pm);
}

static void test_perfmap__add_drops_what_was_replaced(void **state)
{
	struct perfmap *pm = parse_many(3000000, 1000000);

	(void)state;
	assert_int_equal(perfmap__dropped(pm), 0);
	check(pm, 0x10000, "f00000002", 0x10000);
	check(pm, 0x10000 + 999999 * 16, "f00000002", 0x10000 + 999999 * 16);
	perfmap__free(pm);
}

static void test_perfmap__update_reads_on(void **state)
{
	struct perfmap *pm = NULL;
	struct workdir dir;
	int fd;

	(void)state;
	workdir__init(&dir);
	write_map(&dir, "1000 10 first\n2000 10 s");
	fd = workdir__open(&dir, "map");
	assert_int_equal(perfmap__new(&pm, NULL), 0);
	assert_int_equal(perfmap__update(pm, fd, NULL), 0);
	assert_int_equal(perfmap__len(pm), 1);
	check(pm, 0x2000, NULL, 0);
	append_map(&dir, "econd\n3000 10 third\n");
	assert_int_equal(perfmap__update(pm, fd, NULL), 0);
	/* two lines more, not all three again */
	assert_int_equal(perfmap__len(pm), 3);
	check(pm, 0x1000, "first", 0x1000);
	check(pm, 0x2000, "second", 0x2000);
	check(pm, 0x300f, "third", 0x3000);
	assert_int_equal(perfmap__update(pm, fd, NULL), 0);
	assert_int_equal(perfmap__len(pm), 3);
	close(fd);
	perfmap__free(pm);
	workdir__done(&dir);
}

static void test_perfmap__update_notices_that_it_was_written_anew(void **state)
{
	struct perfmap *pm = NULL;
	struct workdir dir;
	int fd;

	(void)state;
	workdir__init(&dir);
	write_map(&dir, "1000 10 first\n2000 10 second\n");
	fd = workdir__open(&dir, "map");
	assert_int_equal(perfmap__new(&pm, NULL), 0);
	assert_int_equal(perfmap__update(pm, fd, NULL), 0);
	/* the same file, longer than before, and another text */
	write_map(&dir, "1000 10 first\n5000 10 other_and_longer\n6000 10 more\n");
	assert_int_equal(perfmap__update(pm, fd, NULL), 0);
	check(pm, 0x1000, "first", 0x1000);
	check(pm, 0x2000, NULL, 0);
	check(pm, 0x5000, "other_and_longer", 0x5000);
	/* shorter */
	write_map(&dir, "7000 10 last\n");
	assert_int_equal(perfmap__update(pm, fd, NULL), 0);
	check(pm, 0x1000, NULL, 0);
	check(pm, 0x7000, "last", 0x7000);
	close(fd);
	perfmap__free(pm);
	workdir__done(&dir);
}

static void test_perfmap__update_of_another_file_begins_anew(void **state)
{
	struct perfmap *pm = NULL;
	struct workdir dir;
	int fd;

	(void)state;
	workdir__init(&dir);
	assert_int_equal(perfmap__new(&pm, NULL), 0);
	write_map(&dir, "1000 10 first\n");
	fd = workdir__open(&dir, "map");
	assert_int_equal(perfmap__update(pm, fd, NULL), 0);
	assert_true(workdir__run(&dir, "mv map old && printf '1000 10 first\n3000 9 x\n' >map"));
	close(fd);
	fd = workdir__open(&dir, "map");
	assert_int_equal(perfmap__update(pm, fd, NULL), 0);
	assert_int_equal(perfmap__len(pm), 2);
	close(fd);
	perfmap__free(pm);
	workdir__done(&dir);
}

/* More than is in memory at once, and lines on every edge of that. */
static void test_perfmap__update_reads_long_files(void **state)
{
	struct perfmap *pm = NULL;
	struct workdir dir;
	const char *name;
	u64 start, i;
	FILE *f;
	int fd;

	(void)state;
	workdir__init(&dir);
	f = fopen(workdir__path(&dir, "map"), "w");
	assert_non_null(f);
	for (i = 0; i < 50000; i++)
		fprintf(f, "%llx 10 function_number_%llu\n", 0x1000 + 16 * i, i);
	fclose(f);
	fd = workdir__open(&dir, "map");
	assert_int_equal(perfmap__new(&pm, NULL), 0);
	assert_int_equal(perfmap__update(pm, fd, NULL), 0);
	close(fd);
	assert_int_equal(perfmap__len(pm), 50000);
	for (i = 0; i < 50000; i++) {
		assert_true(perfmap__find(pm, 0x1008 + 16 * i, &name, &start));
		assert_int_equal(strtoull(name + strlen("function_number_"), NULL, 10), i);
	}
	perfmap__free(pm);
	workdir__done(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perfmap__find_is_right_at_the_edges),
		cmocka_unit_test(test_perfmap__add_takes_prefixes_and_carriage_returns),
		cmocka_unit_test(test_perfmap__add_believes_the_later_line),
		cmocka_unit_test(test_perfmap__add_leaves_out_what_makes_no_sense),
		cmocka_unit_test(test_perfmap__add_survives_every_failed_allocation),
		cmocka_unit_test(test_perfmap__add_counts_lines_without_room),
		cmocka_unit_test(test_perfmap__add_drops_what_was_replaced),
		cmocka_unit_test(test_perfmap__update_reads_on),
		cmocka_unit_test(test_perfmap__update_notices_that_it_was_written_anew),
		cmocka_unit_test(test_perfmap__update_of_another_file_begins_anew),
		cmocka_unit_test(test_perfmap__update_reads_long_files),
	};

	return cmocka_run_group_tests_name("perfmap", tests, NULL, NULL);
}
