/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/name/place_words.h"
#include "base/mem.h"

static void check(void (*put)(struct sink *, const char *), const char *name, const char *want)
{
	struct sink out;
	size_t len;
	char *text;

	sink__init_mem(&out);
	put(&out, name);
	assert_int_equal(sink__finish(&out, NULL), 0);
	text = sink__steal(&out, &len);
	assert_string_equal(text, want);
	mem_free(text);
	sink__done(&out);
}

static void test_place_words__python_has_the_function_first(void **state)
{
	(void)state;
	check(place_words_python, "shop/app.py:main:200", "main (app.py:200)");
	check(place_words_python, "app.py:Cart.all", "Cart.all (app.py)");
	check(place_words_python, "<frozen runpy>:_run_code:88", "_run_code (<frozen runpy>:88)");
	check(place_words_python, "a:b.py:f:1", "f (a:b.py:1)");
	check(place_words_python, "garbage", "garbage");
	check(place_words_python, ":", " ()");
	check(place_words_python, "", "");
}

static void test_place_words__js_leaves_marks_and_column_out(void **state)
{
	(void)state;
	check(place_words_js, "JS:*handle /srv/app/server.js:46:12", "handle (server.js:46)");
	check(place_words_js, "LazyCompile:~ /srv/app/server.js:46:12",
	      "(anonymous) (server.js:46)");
	check(place_words_js, "handle", "handle");
	check(place_words_js, "JS:*handle", "JS:*handle");
	check(place_words_js, "a b:c d:1", "a b:c d:1");
	check(place_words_js, "", "");
}

static void test_place_words__call_has_its_public_name(void **state)
{
	(void)state;
	check(place_words_call, "recv", "recv");
	check(place_words_call, "__GI___libc_recv", "recv");
	check(place_words_call, "___pthread_cond_wait", "pthread_cond_wait");
	check(place_words_call, "__new_sem_wait", "sem_wait");
	check(place_words_call, "_", "_");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_place_words__python_has_the_function_first),
		cmocka_unit_test(test_place_words__js_leaves_marks_and_column_out),
		cmocka_unit_test(test_place_words__call_has_its_public_name),
	};

	return cmocka_run_group_tests_name("place_words", tests, NULL, NULL);
}
