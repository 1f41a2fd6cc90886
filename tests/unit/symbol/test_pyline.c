/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbol/pyline.h"

#define V(minor) (3U << 8 | (minor))

static u32 find(u32 version, u32 first, const char *table, size_t len, bool cut, u32 instr)
{
	return pyline_find(version, first, view__of(table, len), cut, instr);
}

#define FIND(version, first, table, instr)                                                         \
	find(version, first, table, sizeof(table) - 1, false, instr)

static void test_pyline__lnotab_counts_lines_before_code(void **state)
{
	/* 0-5: line 10; 6-7: 12; 8 and on: 11 */
	static const char table[] = "\x06\x02\x02\xff";

	(void)state;
	assert_int_equal(FIND(V(8), 10, table, 0), 10);
	assert_int_equal(FIND(V(8), 10, table, 2), 10);
	assert_int_equal(FIND(V(9), 10, table, 3), 12);
	assert_int_equal(FIND(V(9), 10, table, 4), 11);
	assert_int_equal(FIND(V(9), 10, table, 4000), 11);
	assert_int_equal(FIND(V(8), 10, "", 0), 10);
	/* the end is missing: nobody knows the line behind it */
	assert_int_equal(find(V(8), 10, table, 4, true, 3), 12);
	assert_int_equal(find(V(8), 10, table, 4, true, 4), 0);
}

static void test_pyline__linetable_has_code_without_a_line(void **state)
{
	/* 4 bytes of line 11, 2 without, 6 of line 9 */
	static const char table[] = "\x04\x01\x02\x80\x06\xfe";

	(void)state;
	assert_int_equal(FIND(V(10), 10, table, 0), 11);
	assert_int_equal(FIND(V(10), 10, table, 1), 11);
	assert_int_equal(FIND(V(10), 10, table, 2), 0);
	assert_int_equal(FIND(V(10), 10, table, 3), 9);
	assert_int_equal(FIND(V(10), 10, table, 5), 9);
	assert_int_equal(FIND(V(10), 10, table, 6), 0);
}

static void test_pyline__locations_of_each_kind(void **state)
{
	static const char table[] = "\x80\x00" /* short, 1 unit, line 10 */
				    "\xd9\x01\x02" /* one line on, 2 units: 11 */
				    "\xe8\x02" /* without columns, +1: 12 */
				    "\xf0\x03\x00\x00\x00" /* long, -1: 11 */
				    "\xf8" /* none */
				    "\xe8\x40\x01"; /* +32: 43; two bytes of number */

	(void)state;
	assert_int_equal(FIND(V(11), 10, table, 0), 10);
	assert_int_equal(FIND(V(12), 10, table, 1), 11);
	assert_int_equal(FIND(V(13), 10, table, 2), 11);
	assert_int_equal(FIND(V(13), 10, table, 3), 12);
	assert_int_equal(FIND(V(13), 10, table, 4), 11);
	assert_int_equal(FIND(V(13), 10, table, 5), 0);
	assert_int_equal(FIND(V(13), 10, table, 6), 43);
	assert_int_equal(FIND(V(13), 10, table, 7), 0);
}

static void test_pyline__damaged_tables_have_no_line(void **state)
{
	(void)state;
	assert_int_equal(FIND(V(11), 10, "\xd9", 0), 0);
	assert_int_equal(FIND(V(11), 10, "\xe8\xff\xff\xff\xff\xff\xff\xff\xff", 0), 0);
	assert_int_equal(FIND(V(10), 10, "\x04", 0), 0);
	assert_int_equal(FIND(V(10), 1, "\x04\x81", 0), 0);
	assert_int_equal(FIND(V(8), 1, "\x02\x81", 1), 0);
	assert_int_equal(FIND(V(11), 0x7fffffff, "\xd0\x00\x00", 0), 0x7fffffff);
	assert_int_equal(FIND(V(11), 0x7fffffff, "\xd8\x00\x00", 0), 0);
}

static void test_pyline__other_versions_have_no_line(void **state)
{
	(void)state;
	assert_int_equal(FIND(V(7), 10, "\x06\x02", 0), 0);
	assert_int_equal(FIND(V(14), 10, "\x80\x00", 0), 0);
	assert_int_equal(FIND(2U << 8 | 7, 10, "\x80\x00", 0), 0);
}

/* All code objects of some modules: "C first table", then "L start end line", in bytes. */
static const char script[] =
	"import ast, argparse, dis, sys, typing, zipfile, _pydecimal, asyncio.base_events\n"
	"out = sys.stdout\n"
	"def lines(c):\n"
	"    if hasattr(c, 'co_lines'):\n"
	"        return c.co_lines()\n"
	"    starts = list(dis.findlinestarts(c))\n"
	"    ends = [s for s, _ in starts[1:]] + [len(c.co_code)]\n"
	"    return [(s, e, l) for (s, l), e in zip(starts, ends)]\n"
	"def show(c):\n"
	"    table = c.co_linetable if hasattr(c, 'co_linetable') else c.co_lnotab\n"
	"    out.write('C %d %s\\n' % (c.co_firstlineno, table.hex() or '-'))\n"
	"    for start, end, line in lines(c):\n"
	"        out.write('L %d %d %d\\n' % (start, end, line or 0))\n"
	"    for k in c.co_consts:\n"
	"        if hasattr(k, 'co_code'):\n"
	"            show(k)\n"
	"for m in (ast, argparse, dis, typing, zipfile, _pydecimal, asyncio.base_events):\n"
	"    show(compile(open(m.__file__, encoding='utf-8').read(), m.__file__, 'exec'))\n"
	"show(compile('\\n' * 70000 + 'x = (1,\\n' + '\\n' * 300 + 'f())\\n', 'far', 'exec'))\n";

/* Bytes of hex digits. */
static size_t unhex(const char *hex, u8 *buf, size_t sz)
{
	size_t n;

	for (n = 0; n < sz && sscanf(hex + 2 * n, "%2hhx", &buf[n]) == 1; n++)
		continue;
	return n;
}

/* Goes through what an interpreter says; the number of instructions looked up. */
static u64 compare(FILE *from, u32 version)
{
	static char line[1 << 20];
	static char hex[1 << 20];
	static u8 table[1 << 19];
	size_t len = 0;
	u32 first = 0, start, end, want, at;
	u64 count = 0;

	while (fgets(line, sizeof(line), from)) {
		if (sscanf(line, "C %u %1048575s", &first, hex) == 2) {
			len = *hex == '-' ? 0 : unhex(hex, table, sizeof(table));
			continue;
		}
		assert_int_equal(sscanf(line, "L %u %u %u", &start, &end, &want), 3);
		for (at = start; at < end; at += 2, count++) {
			u32 got = pyline_find(version, first, view__of(table, len), false, at / 2);

			if (got != want)
				fail_msg("3.%u: line %u, not %u, at %u of a function at %u",
					 version & 0xff, got, want, at, first);
		}
	}
	return count;
}

/* The path of CPython 3.`minor`, or false. */
static bool interpreter(u32 minor, char *buf, size_t sz)
{
	const char *home = getenv("HOME");
	glob_t found;
	bool is;

	snprintf(buf, sz, "/usr/bin/python3.%u", minor);
	if (!access(buf, X_OK))
		return true;
	snprintf(buf, sz, "%s/.pyenv/versions/3.%u.*/bin/python3.%u", home ? home : "", minor,
		 minor);
	is = !glob(buf, 0, NULL, &found) && found.gl_pathc;
	if (is)
		snprintf(buf, sz, "%s", found.gl_pathv[0]);
	globfree(&found);
	return is;
}

static void check_version(u32 minor)
{
	char path[512], command[sizeof(path) + 32];
	char *file;
	FILE *from, *to;
	int fd;

	if (!interpreter(minor, path, sizeof(path))) {
		print_message("SKIPPED: no CPython 3.%u here, its line tables are not compared\n",
			      minor);
		skip();
	}
	file = strdup("/tmp/test_pyline_XXXXXX");
	fd = mkstemp(file);
	assert_true(fd >= 0);
	to = fdopen(fd, "w");
	fputs(script, to);
	fclose(to);
	snprintf(command, sizeof(command), "%s -I %s", path, file);
	from = popen(command, "r");
	assert_non_null(from);
	assert_true(compare(from, V(minor)) > 40000);
	assert_int_equal(pclose(from), 0);
	unlink(file);
	free(file);
}

#define AGAINST(minor)                                                                             \
	static void test_pyline__agrees_with_3_##minor(void **state)                               \
	{                                                                                          \
		(void)state;                                                                       \
		check_version(minor);                                                              \
	}
AGAINST(8)
AGAINST(9)
AGAINST(10)
AGAINST(11)
AGAINST(12)
AGAINST(13)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pyline__lnotab_counts_lines_before_code),
		cmocka_unit_test(test_pyline__linetable_has_code_without_a_line),
		cmocka_unit_test(test_pyline__locations_of_each_kind),
		cmocka_unit_test(test_pyline__damaged_tables_have_no_line),
		cmocka_unit_test(test_pyline__other_versions_have_no_line),
		cmocka_unit_test(test_pyline__agrees_with_3_8),
		cmocka_unit_test(test_pyline__agrees_with_3_9),
		cmocka_unit_test(test_pyline__agrees_with_3_10),
		cmocka_unit_test(test_pyline__agrees_with_3_11),
		cmocka_unit_test(test_pyline__agrees_with_3_12),
		cmocka_unit_test(test_pyline__agrees_with_3_13),
	};

	return cmocka_run_group_tests_name("pyline", tests, NULL, NULL);
}
