/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "symbol/functions.h"

#define IMAGE 0x1234567890abcdefULL
#define CODE 0x7f0012345670ULL
#define V311 (3U << 8 | 11)

/* Two units of line 10, then one of line 11. */
static const char lines[] = "\x81\x00\xd8\x01\x02";

static u64 addr_of(u64 code, u32 instr)
{
	return 1ULL << 62 | code >> 4 << INTERPRETED_INSTR_BITS | instr;
}

static struct interpreted_code sample(const char *file, const char *name)
{
	return (struct interpreted_code){
		.image = IMAGE,
		.code = CODE,
		.version = V311,
		.first_line = 10,
		.file = file,
		.name = name,
		.lines = view__of(lines, sizeof(lines) - 1),
	};
}

static void check(struct functions *f, u32 instr, const char *want)
{
	struct function_name name = { .name = "nothing" };

	assert_int_equal(functions__name(f, IMAGE, addr_of(CODE, instr), &name), 0);
	if (want)
		assert_string_equal(name.name, want);
	else
		assert_null(name.name);
}

static void test_functions__path_is_what_a_person_looks_for(void **state)
{
	static const char *const paths[][2] = {
		{ "/usr/lib/python3.11/threading.py", "threading.py" },
		{ "/usr/lib/python3.11/asyncio/base_events.py", "asyncio/base_events.py" },
		{ "/opt/py/lib/python3.13t/json/decoder.py", "json/decoder.py" },
		{ "/usr/lib/python3/dist-packages/apt/cache.py", "apt/cache.py" },
		{ "/v/lib/python3.9/site-packages/django/db/models/query.py",
		  "django/db/models/query.py" },
		{ "/v/site-packages/a/site-packages/b/c.py", "b/c.py" },
		{ "/srv/shop/app/views.py", "app/views.py" },
		{ "app/views.py", "app/views.py" },
		{ "/views.py", "views.py" },
		{ "views.py", "views.py" },
		{ "<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>" },
		{ "<string>", "<string>" },
		{ "/usr/lib/python3.11", "lib/python3.11" },
		{ "/a/site-packages/", "site-packages/" },
		{ "/", "/" },
		{ "", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(paths); i++)
		assert_string_equal(functions_short_path(paths[i][0]), paths[i][1]);
}

static void test_functions__name_has_file_function_and_line(void **state)
{
	struct interpreted_code code = sample("/srv/shop/app/views.py", "View.get");
	struct functions f;

	(void)state;
	assert_int_equal(functions__init(&f), 0);
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, "app/views.py:View.get:10");
	check(&f, 1, "app/views.py:View.get:10");
	check(&f, 2, "app/views.py:View.get:11");
	/* behind the table: no line rather than a wrong one */
	check(&f, 3, "app/views.py:View.get");
	functions__done(&f);
	functions__done(NULL);
}

static void test_functions__name_has_the_whole_path(void **state)
{
	const struct interpreted_code code = sample("/v/lib/python3.9/site-packages/a/b/c.py", "f");
	const struct interpreted_code whole = sample(NULL, "void a.b()");
	struct function_name name;
	struct functions f;

	(void)state;
	assert_int_equal(functions__init(&f), 0);
	assert_int_equal(functions__give(&f, &code), 0);
	assert_int_equal(functions__name(&f, IMAGE, addr_of(CODE, 2), &name), 0);
	assert_string_equal(name.name, "a/b/c.py:f:11");
	assert_string_equal(name.file, "/v/lib/python3.9/site-packages/a/b/c.py");
	assert_int_equal(name.line, 11);
	assert_int_equal(functions__give(&f, &whole), 0);
	assert_int_equal(functions__name(&f, IMAGE, addr_of(CODE, 2), &name), 0);
	assert_null(name.file);
	functions__done(&f);
}

static void test_functions__name_of_an_unknown_function_is_null(void **state)
{
	struct interpreted_code code = sample("/srv/shop/app/views.py", "get");
	struct function_name name;
	struct functions f;

	(void)state;
	assert_int_equal(functions__init(&f), 0);
	check(&f, 0, NULL);
	assert_int_equal(functions__give(&f, &code), 0);
	assert_int_equal(functions__name(&f, IMAGE + 1, addr_of(CODE, 0), &name), 0);
	assert_null(name.name);
	assert_int_equal(functions__name(&f, IMAGE, addr_of(CODE + 16, 0), &name), 0);
	assert_null(name.name);
	/* neither could be read: as if it had not been told */
	code = sample("", "");
	code.code += 16;
	assert_int_equal(functions__give(&f, &code), 0);
	assert_int_equal(functions__name(&f, IMAGE, addr_of(CODE + 16, 0), &name), 0);
	assert_null(name.name);
	functions__done(&f);
}

static void test_functions__name_without_a_part_says_so(void **state)
{
	struct interpreted_code code = sample("", "get");
	struct functions f;

	(void)state;
	assert_int_equal(functions__init(&f), 0);
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, "?:get:10");
	code = sample("/srv/shop/app/views.py", "");
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, "app/views.py:?:10");
	functions__done(&f);
}

static void test_functions__name_cannot_break_an_output(void **state)
{
	struct interpreted_code code = sample("<a;b\nc>", "x\x1b[1m;\x7fy");
	struct functions f;

	(void)state;
	assert_int_equal(functions__init(&f), 0);
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, "<a,b?c>:x?[1m,?y:10");
	functions__done(&f);
}

/* As of a Java method. */
static void test_functions__name_without_a_file_is_whole(void **state)
{
	struct interpreted_code code = sample(NULL, "void java.lang.Object.wait(long)");
	struct functions f;

	(void)state;
	code.version = 0;
	code.first_line = 0;
	code.lines = view__of("", 0);
	assert_int_equal(functions__init(&f), 0);
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, "void java.lang.Object.wait(long)");
	check(&f, 9, "void java.lang.Object.wait(long)");
	/* it replaces, and is replaced */
	code.name = "void Work.run()";
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, "void Work.run()");
	/* it could not be read: as if it had not been told */
	code.name = "";
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, "void Work.run()");
	functions__done(&f);

	assert_int_equal(functions__init(&f), 0);
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, NULL);
	functions__done(&f);
}

static void test_functions__name_without_a_file_cannot_break_an_output(void **state)
{
	struct interpreted_code code = sample(NULL, ";void a.\x1b[1mB.\x7f_\n(;);");
	struct functions f;

	(void)state;
	code.lines = view__of("", 0);
	code.first_line = 0;
	assert_int_equal(functions__init(&f), 0);
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, ",void a.?[1mB.?_?(,),");
	functions__done(&f);
}

static void test_functions__give_replaces(void **state)
{
	struct interpreted_code code = sample("/a/b/c.py", "old");
	struct functions f;

	(void)state;
	assert_int_equal(functions__init(&f), 0);
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, "b/c.py:old:10");
	code = sample("/a/b/d.py", "new");
	code.first_line = 20;
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, "b/d.py:new:20");
	functions__done(&f);
}

static void test_functions__forget_leaves_the_others(void **state)
{
	struct interpreted_code code = sample("/a/b/c.py", "f");
	struct functions f;
	struct ended ended;

	(void)state;
	ended__init(&ended);
	assert_int_equal(functions__init(&f), 0);
	assert_int_equal(functions__give(&f, &code), 0);
	assert_int_equal(ended__add_image(&ended, code.image + 1), 0);
	functions__forget(&f, &ended);
	check(&f, 0, "b/c.py:f:10");
	assert_int_equal(ended__add_image(&ended, code.image), 0);
	functions__forget(&f, &ended);
	assert_int_equal(intern__len(&f.table), 1);
	functions__done(&f);
	ended__done(&ended);
}

static void test_functions__cut_table_of_the_old_kind_is_not_believed(void **state)
{
	struct interpreted_code code = sample("/a/b/c.py", "f");
	struct functions f;

	(void)state;
	code.version = 3U << 8 | 8;
	code.lines = view__of("\x02\x01", 2);
	assert_int_equal(functions__init(&f), 0);
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 9, "b/c.py:f:11");
	code.lines_cut = true;
	assert_int_equal(functions__give(&f, &code), 0);
	check(&f, 0, "b/c.py:f:10");
	check(&f, 9, "b/c.py:f");
	functions__done(&f);
}

static void survive(const struct interpreted_code *code)
{
	struct function_name name;
	struct functions f;
	u64 nth;
	int r;

	for (nth = 1;; nth++) {
		mem_fail_nth(nth);
		r = functions__init(&f);
		if (!r)
			r = functions__give(&f, code);
		if (!r)
			r = functions__name(&f, IMAGE, addr_of(CODE, 0), &name);
		functions__done(&f);
		if (!mem_fail_fired())
			break;
		assert_int_equal(r, -ENOMEM);
	}
	mem_fail_nth(0);
	assert_int_equal(r, 0);
	assert_true(nth > 4);
}

static void test_functions__survive_every_failed_allocation(void **state)
{
	struct interpreted_code python = sample("/a/b/c.py", "f"),
				java = sample(NULL, "void a.b()");

	(void)state;
	survive(&python);
	survive(&java);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions__path_is_what_a_person_looks_for),
		cmocka_unit_test(test_functions__name_has_file_function_and_line),
		cmocka_unit_test(test_functions__name_has_the_whole_path),
		cmocka_unit_test(test_functions__name_of_an_unknown_function_is_null),
		cmocka_unit_test(test_functions__name_without_a_part_says_so),
		cmocka_unit_test(test_functions__name_cannot_break_an_output),
		cmocka_unit_test(test_functions__name_without_a_file_is_whole),
		cmocka_unit_test(test_functions__name_without_a_file_cannot_break_an_output),
		cmocka_unit_test(test_functions__give_replaces),
		cmocka_unit_test(test_functions__forget_leaves_the_others),
		cmocka_unit_test(test_functions__cut_table_of_the_old_kind_is_not_believed),
		cmocka_unit_test(test_functions__survive_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("functions", tests, NULL, NULL);
}
