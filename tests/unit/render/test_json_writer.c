/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/encode/json_writer.h"

static void assert_written(struct sink *out, const char *want)
{
	assert_int_equal(sink__finish(out, NULL), 0);
	assert_string_equal(out->buf, want);
	sink__done(out);
}

static void test_json__places_commas(void **state)
{
	struct sink out;
	struct json j = JSON_TO(&out);

	(void)state;
	sink__init_mem(&out);
	json__object(&j, NULL);
	json__array(&j, "none");
	json__end_array(&j);
	json__array(&j, "list");
	json__u64(&j, NULL, 1);
	json__object(&j, NULL);
	json__end_object(&j);
	json__null(&j, NULL);
	json__end_array(&j);
	json__bool(&j, "last", true);
	json__end_object(&j);
	assert_written(&out, "{\"none\":[],\"list\":[1,{},null],\"last\":true}");
}

static void test_json__line_follows_the_comma(void **state)
{
	struct sink out;
	struct json j = JSON_TO(&out);

	(void)state;
	sink__init_mem(&out);
	json__array(&j, NULL);
	json__line(&j);
	json__real(&j, NULL, -1);
	json__line(&j);
	json__pieces(&j, "2,3", 3);
	json__line(&j);
	json__text(&j, NULL, "a\n");
	json__text(&j, NULL, NULL);
	json__end_array(&j);
	assert_written(&out, "[\n-1.0,\n2,3,\n\"a\\u000a\",null]");
}

static void test_json__key_line_has_its_value_below(void **state)
{
	struct sink out;
	struct json j = JSON_TO(&out);

	(void)state;
	sink__init_mem(&out);
	json__object(&j, NULL);
	json__u64(&j, "a", 1);
	json__key_line(&j, "b");
	json__object(&j, NULL);
	json__end_object(&j);
	json__u64(&j, "c", 2);
	json__end_object(&j);
	assert_written(&out, "{\"a\":1,\"b\":\n{},\"c\":2}");
}

static void test_json__numbers(void **state)
{
	struct sink out;
	struct json j = JSON_TO(&out);

	(void)state;
	sink__init_mem(&out);
	json__u64(&j, NULL, 9223372036854775807ULL);
	json__u64(&j, NULL, ~0ULL);
	json__s64(&j, NULL, -9223372036854775807LL);
	json__real(&j, NULL, 2);
	json__real(&j, NULL, 0.1);
	json__printf(&j, NULL, "%.3f", 0.25);
	assert_written(&out, "9223372036854775807,9223372036854775807,-9223372036854775807,"
			     "2.0,0.10000000000000001,0.250");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json__places_commas),
		cmocka_unit_test(test_json__line_follows_the_comma),
		cmocka_unit_test(test_json__key_line_has_its_value_below),
		cmocka_unit_test(test_json__numbers),
	};

	return cmocka_run_group_tests_name("json_writer", tests, NULL, NULL);
}
