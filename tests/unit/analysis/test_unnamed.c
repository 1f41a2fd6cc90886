/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/view/unnamed.h"
#include "base/mem.h"
#include "lib/lit.h"

#define HEAD                                                                                       \
	"module app elf /usr/bin/app\n"                                                            \
	"module lib elf /usr/lib/lib.so\n"                                                         \
	"task 1/1 a\nwait S blocked=1ms\n"

static struct profile *sample(void)
{
	struct profile *p = lit(HEAD " u @app 0x1 main\n u @app 0x2 loop\n u @lib 0x3 work\n"
				     " u @lib 0x4 wait\n");

	/* lib lacks two, app one; "main" keeps its name */
	for (u32 i = 1; i < p->frames_len; i++)
		if (strcmp(profile__str(p, p->frames[i].name), "main"))
			assert_int_equal(profile__name_frame(p, i, NULL, 0, FRAME_NO_SYMBOL), 0);
	return p;
}

static void test_unnamed__find_names_the_module_with_most(void **state)
{
	struct profile *p = sample();
	struct unnamed un;

	(void)state;
	assert_int_equal(unnamed__find(&un, p), 0);
	assert_int_equal(un.frames, 3);
	assert_int_equal(un.most, 2);
	assert_string_equal(profile__str(p, p->modules[un.module].path), "/usr/lib/lib.so");
	assert_int_equal(un.reason, FRAME_NO_SYMBOL);
	profile__free(p);
}

static void test_unnamed__find_tells_reasons_apart(void **state)
{
	struct profile *p = sample();
	struct unnamed un;
	u32 first = 0;

	(void)state;
	for (u32 i = 1; i < p->frames_len; i++)
		if (!first && !strcmp(profile__str(p, p->modules[p->frames[i].module].path),
				      "/usr/lib/lib.so"))
			first = i;
	assert_int_not_equal(first, 0);
	assert_int_equal(profile__name_frame(p, first, NULL, 0, FRAME_FILE_GONE), 0);
	assert_int_equal(unnamed__find(&un, p), 0);
	assert_int_equal(un.frames, 3);
	assert_int_equal(un.most, 1);
	profile__free(p);
}

static void test_unnamed__find_nothing_is_zero(void **state)
{
	struct profile *p = lit(HEAD " u @app 0x1 main\n");
	struct unnamed un;

	(void)state;
	assert_int_equal(unnamed__find(&un, p), 0);
	assert_int_equal(un.frames, 0);
	assert_int_equal(un.most, 0);
	profile__free(p);
}

static void test_unnamed__find_tells_of_missing_memory(void **state)
{
	struct profile *p = sample();
	struct unnamed un;

	(void)state;
	mem_fail_nth(1);
	assert_int_equal(unnamed__find(&un, p), -12);
	assert_true(mem_fail_fired());
	mem_fail_nth(0);
	assert_int_equal(un.most, 0);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unnamed__find_names_the_module_with_most),
		cmocka_unit_test(test_unnamed__find_tells_reasons_apart),
		cmocka_unit_test(test_unnamed__find_nothing_is_zero),
		cmocka_unit_test(test_unnamed__find_tells_of_missing_memory),
	};

	return cmocka_run_group_tests_name("unnamed", tests, NULL, NULL);
}
