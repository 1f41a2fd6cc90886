/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text/utf8.h"

static void assert_clean(const char *bytes, const char *expected)
{
	char *clean = utf8_clean(bytes);

	assert_non_null(clean);
	assert_string_equal(clean, expected);
	mem_free(clean);
}

static void test_utf8_clean__leaves_valid_text_alone(void **state)
{
	(void)state;
	assert_clean("", "");
	assert_clean("plain", "plain");
	assert_clean("na\xc3\xafve \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x92\xa5",
		     "na\xc3\xafve \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x92\xa5");
	assert_clean("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf"); /* U+10FFFF */
	assert_clean("\x01\x7f", "\x01\x7f");
}

#define BAD "\xef\xbf\xbd"

static void test_utf8_clean__replaces_each_bad_byte(void **state)
{
	(void)state;
	assert_clean("a\xff"
		     "b",
		     "a" BAD "b");
	assert_clean("\x80\xbf", BAD BAD);
	assert_clean("\xc3", BAD);
	assert_clean("\xe6\x97", BAD BAD);
	assert_clean("\xe6\x97"
		     "a",
		     BAD BAD "a");
	assert_clean("\xf0\x9f\x92", BAD BAD BAD);
}

static void test_utf8_clean__refuses_forms_that_parsers_refuse(void **state)
{
	(void)state;
	assert_clean("\xc0\xaf", BAD BAD); /* overlong */
	assert_clean("\xe0\x80\xaf", BAD BAD BAD);
	assert_clean("\xf0\x80\x80\xaf", BAD BAD BAD BAD);
	assert_clean("\xed\xa0\x80", BAD BAD BAD); /* surrogate */
	assert_clean("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* above U+10FFFF */
	assert_clean("\xf5\x80\x80\x80", BAD BAD BAD BAD);
}

static void test_utf8_next__gives_code_points(void **state)
{
	const char *p = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xa5";

	(void)state;
	assert_int_equal(utf8_next(&p), 'a');
	assert_int_equal(utf8_next(&p), 0xe9);
	assert_int_equal(utf8_next(&p), 0x20ac);
	assert_int_equal(utf8_next(&p), 0x1f4a5);
	assert_int_equal(utf8_next(&p), 0);
	assert_int_equal(utf8_next(&p), 0);
}

static void test_utf8_put__is_the_way_back(void **state)
{
	u32 cp;

	(void)state;
	for (cp = 1; cp <= 0x10ffff; cp += cp < 0x900 ? 1 : 97) {
		struct sink s;
		const char *p;
		char *text;
		size_t len;

		if (cp >= 0xd800 && cp <= 0xdfff)
			continue;
		sink__init_mem(&s);
		utf8_put(&s, cp);
		assert_int_equal(sink__finish(&s, NULL), 0);
		text = sink__steal(&s, &len);
		p = text;
		assert_int_equal(utf8_next(&p), cp);
		assert_ptr_equal(p, text + len);
		mem_free(text);
		sink__done(&s);
	}
}

static void test_utf8_len__counts_code_points(void **state)
{
	(void)state;
	assert_int_equal(utf8_len(""), 0);
	assert_int_equal(utf8_len("na\xc3\xafve"), 5);
	assert_int_equal(utf8_len("\xff\xff"), 2);
}

static void test_utf8_columns__counts_what_a_terminal_shows(void **state)
{
	const char *text = "1.00 µs";

	(void)state;
	assert_int_equal(utf8_columns(""), 0);
	assert_int_equal(utf8_columns(text), 7);
	assert_int_equal(utf8_columns_until(text, strchr(text, ' ')), 4);
	assert_int_equal(utf8_columns("\xe6\x97\xa5\xe6\x9c\xac"), 4); /* two wide characters */
	assert_int_equal(utf8_columns("e\xcc\x81"), 1); /* a combining one */
}

static void test_utf8_pad__makes_columns_equal(void **state)
{
	static const struct {
		const char *text;
		int columns;
		const char *padded;
	} rows[] = {
		{ "1.00 ms", 9, "  1.00 ms" },	  { "1.00 µs", 9, "  1.00 µs" },
		{ "1.00 µs", -9, "1.00 µs  " },	  { "\xe6\x97\xa5", 3, " \xe6\x97\xa5" },
		{ "e\xcc\x81", 2, " e\xcc\x81" }, { "too long", 2, "too long" },
	};
	char buf[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(buf, sizeof(buf), "%*s", utf8_pad(rows[i].text, rows[i].columns),
			 rows[i].text);
		assert_string_equal(buf, rows[i].padded);
	}
}

static void test_utf8_put_ascii__keeps_columns(void **state)
{
	struct sink s;

	(void)state;
	sink__init_mem(&s);
	utf8_put_ascii(&s, "1.00 µs ±2 na\xc3\xafve \xe6\x97\xa5 e\xcc\x81 \x1b[1m\n");
	assert_int_equal(sink__finish(&s, NULL), 0);
	assert_string_equal(s.buf, "1.00 us ~2 na?ve ?? e \x1b[1m\n");
	sink__done(&s);
}

/* Whatever goes in, what comes out is stable: cleaning it again changes nothing. */
static void test_utf8_clean__of_random_bytes_is_clean(void **state)
{
	int turn;

	(void)state;
	srandom(7);
	for (turn = 0; turn < 20000; turn++) {
		static const u8 often[] = { 0xc2, 0xe0, 0xed, 0xf0, 0xf4, 0x80, 0x9f, 0xbf, 'a' };
		char bytes[9], *once, *twice;
		size_t i;

		for (i = 0; i < 8; i++)
			bytes[i] = (char)(random() % 2 ? often[(size_t)random() % sizeof(often)] :
							 1 + random() % 255);
		bytes[8] = '\0';
		once = utf8_clean(bytes);
		twice = utf8_clean(once);
		assert_string_equal(once, twice);
		mem_free(once);
		mem_free(twice);
	}
}

static void test_utf8_plain__ends_at_the_first_special_character(void **state)
{
	(void)state;
	assert_int_equal(utf8_plain("", ";"), 0);
	assert_int_equal(utf8_plain("plain ~text", ";"), 11);
	assert_int_equal(utf8_plain("a;b", ";"), 1);
	assert_int_equal(utf8_plain("a\"b;", "\";"), 1);
	assert_int_equal(utf8_plain("a;b\"", "\";"), 1);
	assert_int_equal(utf8_plain("a\nb", ""), 1);
	assert_int_equal(utf8_plain("a\x7f", ""), 1);
	assert_int_equal(utf8_plain("a\xc3\xa4", ""), 1);
	assert_int_equal(utf8_plain("\x01", ""), 0);
}

static void test_utf8_copy_harmless__lets_a_terminal_obey_nothing(void **state)
{
	char buf[64], small[8];

	(void)state;
	assert_string_equal(utf8_copy_harmless("m\x1b[2Jain\n", buf, sizeof(buf)), "m?[2Jain?");
	assert_string_equal(utf8_copy_harmless("\xc2\x80\xc2\x9f\xc2\xa0\x7f~", buf, sizeof(buf)),
			    "??\xc2\xa0?~");
	/* a C1 byte that is no UTF-8 */
	assert_string_equal(utf8_copy_harmless("\x9b"
					       "31m",
					       buf, sizeof(buf)),
			    "\xef\xbf\xbd"
			    "31m");
	assert_string_equal(utf8_copy_harmless("abc\xe6\x97\xa5", small, sizeof(small)),
			    "abc\xe6\x97\xa5");
	assert_string_equal(utf8_copy_harmless("abcd\xe6\x97\xa5", small, sizeof(small)), "abcd");
	assert_string_equal(utf8_copy_harmless("", buf, sizeof(buf)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_utf8_clean__leaves_valid_text_alone),
		cmocka_unit_test(test_utf8_clean__replaces_each_bad_byte),
		cmocka_unit_test(test_utf8_clean__refuses_forms_that_parsers_refuse),
		cmocka_unit_test(test_utf8_next__gives_code_points),
		cmocka_unit_test(test_utf8_put__is_the_way_back),
		cmocka_unit_test(test_utf8_len__counts_code_points),
		cmocka_unit_test(test_utf8_columns__counts_what_a_terminal_shows),
		cmocka_unit_test(test_utf8_pad__makes_columns_equal),
		cmocka_unit_test(test_utf8_put_ascii__keeps_columns),
		cmocka_unit_test(test_utf8_clean__of_random_bytes_is_clean),
		cmocka_unit_test(test_utf8_copy_harmless__lets_a_terminal_obey_nothing),
		cmocka_unit_test(test_utf8_plain__ends_at_the_first_special_character),
	};

	return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
