/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/sink.h"
#include "base/text/toml.h"

static int put(void *arg, const struct toml_item *item, struct err *err)
{
	struct sink *out = arg;

	if (!strcmp(item->key, "refused"))
		return err__set(err, -EINVAL, "no");
	if (item->type == TOML_TABLE)
		sink__printf(out, "%u[%s]%d;", item->line, item->table, item->is_list);
	else if (item->type == TOML_ARRAY)
		sink__printf(out, "%u %s.%s[];", item->line, item->table, item->key);
	else if (item->is_element)
		sink__printf(out, "%u <%s>;", item->line, item->text);
	else if (item->type == TOML_STRING)
		sink__printf(out, "%u %s.%s=<%s>;", item->line, item->table, item->key, item->text);
	else if (item->type == TOML_INTEGER)
		sink__printf(out, "%u %s.%s=%lld;", item->line, item->table, item->key,
			     item->number);
	else
		sink__printf(out, "%u %s.%s=%s;", item->line, item->table, item->key,
			     item->yes ? "yes" : "no");
	return 0;
}

static void assert_read(const char *text, const char *want)
{
	struct err err = { 0 };
	struct sink out;

	sink__init_mem(&out);
	if (toml_read(view__of_str(text), put, &out, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(sink__finish(&out, NULL), 0);
	assert_string_equal(out.buf, want);
	sink__done(&out);
}

static void test_toml_read_passes_items_in_order(void **state)
{
	(void)state;
	assert_read("", "");
	assert_read("\n# only\n  \t# comments\n\n", "");
	assert_read("a = 1\nb-c_2=true # why\r\nD='x # y'", "1 .a=1;2 .b-c_2=yes;3 .D=<x # y>;");
	assert_read("[t]\nk = \"a\\\"b\\\\c\\n\\t\"\n[[l.m]] # one\nk = false\n",
		    "1[t]0;2 t.k=<a\"b\\c\n\t>;3[l.m]1;4 l.m.k=no;");
	assert_read("a=-1_000\nb=+7\nc=0\nd=9223372036854775807",
		    "1 .a=-1000;2 .b=7;3 .c=0;4 .d=9223372036854775807;");
	assert_read("e = \"\"\nf = '\\n'", "1 .e=<>;2 .f=<\\n>;");
}

static void test_toml_read_passes_arrays_of_strings(void **state)
{
	(void)state;
	assert_read("a = []\nb = 1", "1 .a[];2 .b=1;");
	assert_read("a = [\"x\", 'y',] # two\nb = 1", "1 .a[];1 <x>;1 <y>;2 .b=1;");
	assert_read("[t]\na = [ # over\n  \"]\", # lines\n\n  '#'\n  ,\r\n]\nb = 'z'",
		    "1[t]0;2 t.a[];3 <]>;5 <#>;8 t.b=<z>;");
}

static void test_toml_read_refuses_the_rest_with_its_line(void **state)
{
	static const char *const bad[] = {
		"a",
		"a =",
		"= 1",
		"a = 1 2",
		"a.b = 1",
		"\"a\" = 1",
		"a = 01",
		"a = 1.5",
		"a = 1__0",
		"a = _1",
		"a = 1_",
		"a = 0x10",
		"a = yes",
		"a = \"x",
		"a = 'x",
		"a = [1]",
		"a = [[]]",
		"a = [,]",
		"a = ['x' 'y']",
		"a = ['x',,'y']",
		"a = ['x'] 1",
		"a = ['x",
		"a = \"\\x\"",
		"a = {}",
		"[t",
		"[]",
		"[[t]",
		"[t] a = 1",
		"a = -",
		"a = \"\x01\"",
		"a = 9223372036854775808",
		"a = \"x\" \"y\"",
		"a = \"\"\"x\"\"\"",
		"refused = 1",
		"a = 2026-11-25",
	};
	char text[2100], line[64];
	struct err err;
	struct sink out;

	(void)state;
	sink__init_mem(&out);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(line, sizeof(line), "\n\n%s\n", bad[i]);
		err = (struct err){ 0 };
		if (toml_read(view__of_str(line), put, &out, &err) != -EINVAL)
			fail_msg("'%s' was accepted", bad[i]);
		if (strncmp(err.msg, "line 3: ", 8) != 0)
			fail_msg("'%s': %s", bad[i], err.msg);
	}
	assert_int_equal(toml_read(view__of_str("a = ['x',\n"), put, &out, &err), -EINVAL);
	assert_string_equal(err.msg, "line 1: the array of 'a' lacks its ']'");
	/* too long, by one byte */
	memset(text, 'x', sizeof(text));
	memcpy(text, "a='", 3);
	memcpy(text + 3 + TOML_TEXT_SZ - 1, "'", 2);
	assert_int_equal(toml_read(view__of_str(text), put, &out, NULL), 0);
	text[3 + TOML_TEXT_SZ - 1] = 'x';
	memcpy(text + 3 + TOML_TEXT_SZ, "'", 2);
	assert_int_equal(toml_read(view__of_str(text), put, &out, NULL), -EINVAL);
	memset(text, 'x', TOML_NAME_SZ);
	memcpy(text + TOML_NAME_SZ, "=1", 3);
	assert_int_equal(toml_read(view__of_str(text), put, &out, NULL), -EINVAL);
	sink__done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_toml_read_passes_items_in_order),
		cmocka_unit_test(test_toml_read_passes_arrays_of_strings),
		cmocka_unit_test(test_toml_read_refuses_the_rest_with_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
