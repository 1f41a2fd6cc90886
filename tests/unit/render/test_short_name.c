/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/words/share_text.h"
#include "render/words/short_name.h"

static void assert_short(const char *name, u32 columns, const char *expected)
{
	struct sink s;

	sink__init_mem(&s);
	short_name_put(&s, name, columns);
	assert_int_equal(sink__finish(&s, NULL), 0);
	assert_string_equal(s.buf, expected);
	sink__done(&s);
}

static void test_short_name__that_fits_is_whole(void **state)
{
	(void)state;
	assert_short("std::vector<int>::push_back", 30, "std::vector<int>::push_back");
	assert_short("a\x1b", 30, "a?");
}

static void test_short_name__loses_template_arguments_first(void **state)
{
	(void)state;
	assert_short("std::map<std::string, std::vector<int> >::find(int)", 30,
		     "std::map<..>::find(int)");
	assert_short("operator<< <std::char_traits<char> >(x)", 30, "operator<< <..>(x)");
	assert_short("f<&A::operator->, B>::g_and_more_of_it", 30, "f<..>::g_and_more_of_it");
	assert_short("Less::operator<(Less, Less)_more", 20, "Less::ope..ess)_more");
}

static void test_short_name__keeps_both_ends(void **state)
{
	(void)state;
	assert_short("abcdefghijklmnopqrstuvwxyz", 10, "abcd..wxyz");
	assert_short("abcdefghijklmnopqrstuvwxyz", 11, "abcd..vwxyz");
	assert_short("\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5\xe6\x97\xa5", 6,
		     "\xe6\x97\xa5..\xe6\x97\xa5");
}

static void assert_share(struct shared_time part, struct shared_time whole, const char *expected)
{
	char text[SHARE_TEXT_SZ];

	share_text(part, whole, 1, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void test_share__is_of_what_is_not_idle(void **state)
{
	(void)state;
	assert_share((struct shared_time){ 30, 0 }, (struct shared_time){ 100, 40 }, "50.0%");
	assert_share((struct shared_time){ 70, 40 }, (struct shared_time){ 100, 40 }, "50.0%");
	assert_share((struct shared_time){ 40, 40 }, (struct shared_time){ 100, 40 }, "idle");
	assert_share((struct shared_time){ 50, 50 }, (struct shared_time){ 100, 100 }, "50.0%");
	assert_share((struct shared_time){ 0, 0 }, (struct shared_time){ 100, 40 }, "0.0%");
	assert_share((struct shared_time){ 0, 0 }, (struct shared_time){ 0, 0 }, "-");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_name__that_fits_is_whole),
		cmocka_unit_test(test_short_name__loses_template_arguments_first),
		cmocka_unit_test(test_short_name__keeps_both_ends),
		cmocka_unit_test(test_share__is_of_what_is_not_idle),
	};

	return cmocka_run_group_tests_name("short_name", tests, NULL, NULL);
}
