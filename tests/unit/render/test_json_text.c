/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/mem.h"
#include "render/encode/json_text.h"
#include "base/text/utf8.h"

static void assert_text(const char *s, const char *want)
{
	struct sink out;

	sink__init_mem(&out);
	json_text_put(&out, s);
	assert_int_equal(sink__finish(&out, NULL), 0);
	assert_string_equal(out.buf, want);
	sink__done(&out);
}

static void test_json_text_put__escapes_what_must_be(void **state)
{
	(void)state;
	assert_text("", "\"\"");
	assert_text("a \"b\" \\c/", "\"a \\\"b\\\" \\\\c/\"");
	assert_text("\n\x1b\x7f", "\"\\u000a\\u001b\\u007f\"");
	assert_text("\xe2\x80\xa8\xe2\x80\xa9", "\"\\u2028\\u2029\"");
}

static void test_json_text_put__keeps_utf8_and_replaces_the_rest(void **state)
{
	(void)state;
	assert_text("\xf0\x9f\x92\xa5gr\xc3\xb6\xc3\x9f", "\"\xf0\x9f\x92\xa5gr\xc3\xb6\xc3\x9f\"");
	assert_text("a\xff\xc0z", "\"a\xef\xbf\xbd\xef\xbf\xbdz\"");
}

/* Every byte, alone and before another, read by a parser that is not ours. */
static void test_json_text_put__is_read_by_a_parser(void **state)
{
	int a, b;

	(void)state;
	for (a = 1; a < 256; a++) {
		for (b = 1; b < 256; b += 7) {
			const char text[] = { (char)a, (char)b, 0 };
			char *clean = utf8_clean(text);
			struct sink out;
			json_t *value;

			sink__init_mem(&out);
			json_text_put(&out, text);
			assert_int_equal(sink__finish(&out, NULL), 0);
			value = json_loads(out.buf, JSON_DECODE_ANY, NULL);
			assert_non_null(value);
			assert_string_equal(json_string_value(value), clean);
			json_decref(value);
			mem_free(clean);
			sink__done(&out);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_text_put__escapes_what_must_be),
		cmocka_unit_test(test_json_text_put__keeps_utf8_and_replaces_the_rest),
		cmocka_unit_test(test_json_text_put__is_read_by_a_parser),
	};

	return cmocka_run_group_tests_name("json_text", tests, NULL, NULL);
}
