/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/name/label.h"
#include "lib/lit.h"

static const char text[] = "module app elf /usr/bin/app\n"
			   "module code anon [anon] tgid=1\n"
			   "module vdso vdso [vdso]\n"
			   "module kernel kernel [kernel]\n"
			   "module bare elf app2\n"
			   "module none elf /\n"
			   "module python code [python] tgid=1\n"
			   "task 1/1 a\n"
			   "wait S blocked=1ms\n"
			   " u @app 0x10 +0x1 main\n"
			   " u @app 0x20 +0x11 main\n"
			   " u @app 0x1234 !no_symbol\n"
			   " u @code 0x7f00 !anon\n"
			   " u @vdso 0x9c0 !no_symbol\n"
			   " u @- 0xdead !no_mapping\n"
			   " u @- 0xbeef !process_gone\n"
			   " u @bare 0x1 !no_symbol\n"
			   " u @none 0x1 !no_symbol\n"
			   " u @python 0x4000000100000001 !code_unread\n"
			   " u @python 0x4000000100000002 !code_unread\n"
			   " k @kernel 0xffffffff81000000 !kernel_hidden\n";

static void test_labels__show_the_name_or_the_place(void **state)
{
	static const char *const expected[] = {
		"",
		"main",
		"main",
		"[app+0x1234]",
		"[anon+0x7f00]",
		"[vdso+0x9c0]",
		"[unknown]",
		"[unknown]",
		"[app2+0x1]",
		"[unknown]",
		"[python: unread function]",
		"[python: unread function]",
		"[kernel+0xffffffff81000000]",
	};
	struct profile *p = lit(text);
	struct labels l;
	u32 i;

	(void)state;
	assert_int_equal(labels__init(&l, p, NULL), 0);
	assert_int_equal(p->frames_len, ARRAY_LEN(expected));
	for (i = 0; i < p->frames_len; i++)
		assert_string_equal(labels__frame(&l, i), expected[i]);
	labels__done(&l);
	profile__free(p);
}

static void test_labels__id_is_equal_for_equal_texts(void **state)
{
	struct profile *p = lit(text);
	struct labels l;

	(void)state;
	assert_int_equal(labels__init(&l, p, NULL), 0);
	assert_int_equal(labels__id(&l, 1), labels__id(&l, 2));
	assert_int_not_equal(labels__id(&l, 2), labels__id(&l, 3));
	assert_int_equal(labels__id(&l, 6), labels__id(&l, 7));
	assert_int_equal(labels__id(&l, 1000), 0);
	assert_string_equal(labels__frame(&l, 1000), "");
	labels__done(&l);
	profile__free(p);
}

/* The name of an interpreted function has its line already. */
static void test_labels__have_one_line(void **state)
{
	struct profile *p = lit("module python code [python] tgid=1\ntask 1/1 a\n"
				"wait S blocked=1ms\n u main\n u @python 1 shop/app.py:f:3\n");
	struct labels l;

	(void)state;
	assert_int_equal(profile__place_frame(p, 1, "/src/main.c", 7), 0);
	assert_int_equal(profile__place_frame(p, 2, "/srv/shop/app.py", 3), 0);
	assert_int_equal(labels__init(&l, p, NULL), 0);
	assert_string_equal(labels__frame(&l, 1), "main (main.c:7)");
	assert_string_equal(labels__frame(&l, 2), "shop/app.py:f:3");
	labels__done(&l);
	profile__free(p);
}

static void test_labels__done_accepts_null(void **state)
{
	(void)state;
	labels__done(NULL);
}

static void test_label_basename__is_after_the_last_slash(void **state)
{
	(void)state;
	assert_string_equal(label_basename("/usr/bin/app"), "app");
	assert_string_equal(label_basename("app"), "app");
	assert_string_equal(label_basename("/"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels__show_the_name_or_the_place),
		cmocka_unit_test(test_labels__id_is_equal_for_equal_texts),
		cmocka_unit_test(test_labels__have_one_line),
		cmocka_unit_test(test_labels__done_accepts_null),
		cmocka_unit_test(test_label_basename__is_after_the_last_slash),
	};

	return cmocka_run_group_tests_name("label", tests, NULL, NULL);
}
