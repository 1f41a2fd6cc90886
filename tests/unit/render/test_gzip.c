/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "lib/pprof_read.h"
#include "render/encode/gzip.h"

static void assert_comes_back(const u8 *data, size_t sz, size_t piece)
{
	struct gzip gz;
	struct sink out;
	size_t at, back_sz;
	char *back;

	sink__init_mem(&out);
	assert_int_equal(gzip__init(&gz, &out), 0);
	for (at = 0; at < sz; at += piece)
		gzip__put(&gz, data + at, sz - at < piece ? sz - at : piece);
	assert_int_equal(gzip__finish(&gz), 0);
	gzip__done(&gz);
	assert_int_equal(sink__finish(&out, NULL), 0);
	back = gunzip(out.buf, out.len, &back_sz);
	assert_non_null(back);
	assert_int_equal(back_sz, sz);
	assert_memory_equal(back, data, sz);
	mem_free(back);
	sink__done(&out);
}

static void test_gzip__gives_back_what_was_put(void **state)
{
	const size_t sz = 3u << 20;
	u8 *data = mem_alloc(sz);
	u32 seed = 1;
	size_t i;

	(void)state;
	assert_non_null(data);
	for (i = 0; i < sz; i++) {
		seed = seed * 1103515245 + 12345;
		data[i] = (u8)(seed >> 16);
	}
	assert_comes_back(data, 0, 1);
	assert_comes_back(data, 1, 1);
	assert_comes_back(data, 10000, 7);
	assert_comes_back(data, sz, sz);
	mem_free(data);
}

static void test_gzip__compresses(void **state)
{
	static const u8 zeros[100000];
	struct gzip gz;
	struct sink out;

	(void)state;
	sink__init_mem(&out);
	assert_int_equal(gzip__init(&gz, &out), 0);
	gzip__put(&gz, zeros, sizeof(zeros));
	assert_int_equal(gzip__finish(&gz), 0);
	gzip__done(&gz);
	assert_true(out.len < 2000);
	sink__done(&out);
}

static void test_gzip__without_memory_is_an_error_that_stays(void **state)
{
	struct gzip gz;
	struct sink out;

	(void)state;
	sink__init_mem(&out);
	mem_fail_nth(1);
	assert_int_equal(gzip__init(&gz, &out), -ENOMEM);
	mem_fail_nth(0);
	gzip__put(&gz, "x", 1);
	assert_int_equal(gzip__finish(&gz), -ENOMEM);
	gzip__done(&gz);
	gzip__done(NULL);
	assert_int_equal(out.len, 0);
	sink__done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gzip__gives_back_what_was_put),
		cmocka_unit_test(test_gzip__compresses),
		cmocka_unit_test(test_gzip__without_memory_is_an_error_that_stays),
	};

	return cmocka_run_group_tests_name("gzip", tests, NULL, NULL);
}
