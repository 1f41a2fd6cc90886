/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "render/json_dump.h"

/* As jansson writes it; takes the value. */
static void assert_dump(json_t *value)
{
	char *want = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	struct sink out;

	assert_non_null(want);
	sink__init_mem(&out);
	assert_int_equal(json_dump_put(value, &out), 0);
	assert_int_equal(sink__finish(&out, NULL), 0);
	assert_string_equal(out.buf, want);
	sink__done(&out);
	free(want);
	json_decref(value);
}

static void test_json_dump_put__is_jansson_of_numbers(void **state)
{
	static const json_int_t numbers[] = { 0,	 1,	    -1,	       9,
					      10,	 -10,	    12345,     INT64_MAX,
					      INT64_MIN, 1LL << 53, 100000000, 999999999 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(numbers); i++)
		assert_dump(json_integer(numbers[i]));
	assert_dump(json_real(0.125));
	assert_dump(json_real(3));
	assert_dump(json_true());
	assert_dump(json_false());
	assert_dump(json_null());
}

/* Every byte that a string may hold, at its begin, in it, and at its end. */
static void test_json_dump_put__is_jansson_of_strings(void **state)
{
	int c;

	(void)state;
	for (c = 0; c < 128; c++) {
		const char text[] = { (char)c, 'a', (char)c, (char)c, 'b', (char)c };

		assert_dump(json_stringn(text, sizeof(text)));
	}
	assert_dump(json_string(""));
	assert_dump(json_string("gr\xc3\xb6\xc3\x9f/\xe2\x80\xa8\xf0\x9f\x92\xa5"));
}

static void test_json_dump_put__is_jansson_of_objects_and_arrays(void **state)
{
	(void)state;
	assert_dump(json_object());
	assert_dump(json_array());
	assert_dump(json_pack("{s:i, s:[i, s, n], s:{s:o, s:b}, s:f}", "z", 1, "a \"key\"", 2, "x",
			      "o", "empty", json_array(), "b", 1, "f", 1.5));
	assert_dump(json_pack("[[[]], {}, [{s:[]}], i]", "k", 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_dump_put__is_jansson_of_numbers),
		cmocka_unit_test(test_json_dump_put__is_jansson_of_strings),
		cmocka_unit_test(test_json_dump_put__is_jansson_of_objects_and_arrays),
	};

	return cmocka_run_group_tests_name("render/json_dump", tests, NULL, NULL);
}
