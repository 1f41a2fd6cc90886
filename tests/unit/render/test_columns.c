/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "render/encode/columns.h"

static const struct column_kind kinds[] = { { "plain", false }, { "delta", true } };

static void assert_bytes(struct columns *c, u32 column, const char *bytes, size_t len)
{
	assert_int_equal(columns__error(c), 0);
	assert_int_equal(c->list[column].bytes.len, len);
	assert_memory_equal(c->list[column].bytes.buf, bytes, len);
}

static void test_columns__put_writes_varints(void **state)
{
	struct columns c;

	(void)state;
	assert_int_equal(columns__init(&c, kinds, 2), 0);
	columns__put(&c, 0, 0);
	columns__put(&c, 0, 127);
	columns__put(&c, 0, 128);
	columns__put(&c, 0, ~0ULL);
	assert_bytes(&c, 0, "\x00\x7f\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 14);
	assert_int_equal(c.list[0].rows, 4);
	assert_int_equal(c.list[1].rows, 0);
	columns__done(&c);
}

static void test_columns__put_writes_steps_up_and_down(void **state)
{
	struct columns c;

	(void)state;
	assert_int_equal(columns__init(&c, kinds, 2), 0);
	columns__put(&c, 1, 5); /* +5 */
	columns__put(&c, 1, 5); /* 0 */
	columns__put(&c, 1, 2); /* -3 */
	columns__put(&c, 1, 66); /* +64 */
	assert_bytes(&c, 1, "\x0a\x00\x05\x80\x01", 5);
	columns__done(&c);
}

static void test_columns__put_has_a_way_back_from_every_step(void **state)
{
	struct columns c;

	(void)state;
	assert_int_equal(columns__init(&c, kinds, 2), 0);
	columns__put(&c, 1, ~0ULL); /* -1 modulo 2^64 */
	columns__put(&c, 1, 0); /* +1 */
	columns__put(&c, 1, 1ULL << 62); /* a large step up is not one down */
	assert_bytes(&c, 1, "\x01\x02\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12);
	columns__done(&c);
}

static void test_columns__error_tells_that_memory_was_short(void **state)
{
	struct columns c;

	(void)state;
	mem_fail_nth(1);
	assert_int_equal(columns__init(&c, kinds, 2), -ENOMEM);
	columns__done(&c);
	assert_int_equal(columns__init(&c, kinds, 2), 0);
	mem_fail_nth(1);
	columns__put(&c, 1, 1);
	mem_fail_nth(0);
	columns__put(&c, 1, 2);
	assert_int_equal(columns__error(&c), -ENOMEM);
	columns__done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns__put_writes_varints),
		cmocka_unit_test(test_columns__put_writes_steps_up_and_down),
		cmocka_unit_test(test_columns__put_has_a_way_back_from_every_step),
		cmocka_unit_test(test_columns__error_tells_that_memory_was_short),
	};

	return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
