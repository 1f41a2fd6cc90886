/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By the rules of the published format: columns of one length, indexes in range, parents before
 * children. tests/formats opens the same in the viewer's own code.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "analysis/cause/cause.h"
#include "lib/rendered.h"
#include "render/formats.h"

static json_t *written(const struct profile *p)
{
	char *text = rendered(p, &render_firefox, (struct render_options){ 0 });
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("%s at %d", error.text, error.line);
	mem_free(text);
	return root;
}

static json_t *table(json_t *root, const char *name)
{
	json_t *t = json_object_get(json_object_get(root, "shared"), name);

	assert_non_null(t);
	return t;
}

static size_t length(json_t *t)
{
	return (size_t)json_integer_value(json_object_get(t, "length"));
}

static void assert_columns(json_t *t)
{
	const char *key;
	json_t *column;

	json_object_foreach(t, key, column)
	{
		if (json_is_array(column))
			assert_int_equal(json_array_size(column), length(t));
	}
}

/* null and the sentinel -1 point nowhere. */
static void assert_indexes(json_t *t, const char *column, size_t end)
{
	json_t *value;
	size_t i;

	json_array_foreach(json_object_get(t, column), i, value)
	{
		if (!json_is_null(value) && json_integer_value(value) != -1)
			assert_true((size_t)json_integer_value(value) < end);
	}
}

static void assert_tables(json_t *root)
{
	static const char *const names[] = { "stackTable",    "frameTable", "funcTable",
					     "resourceTable", "sources",    "nativeSymbols" };
	size_t strings = json_array_size(table(root, "stringArray")), i;
	json_t *offset;

	for (i = 0; i < ARRAY_LEN(names); i++)
		assert_columns(table(root, names[i]));
	assert_indexes(table(root, "stackTable"), "frame", length(table(root, "frameTable")));
	assert_indexes(table(root, "frameTable"), "func", length(table(root, "funcTable")));
	assert_indexes(table(root, "frameTable"), "category",
		       json_array_size(
			       json_object_get(json_object_get(root, "meta"), "categories")));
	assert_indexes(table(root, "funcTable"), "name", strings);
	assert_indexes(table(root, "funcTable"), "resource", length(table(root, "resourceTable")));
	assert_indexes(table(root, "funcTable"), "source", length(table(root, "sources")));
	assert_indexes(table(root, "resourceTable"), "name", strings);
	assert_indexes(table(root, "sources"), "filename", strings);
	json_array_foreach(json_object_get(table(root, "stackTable"), "prefixOffset"), i, offset)
		assert_true((size_t)json_integer_value(offset) <= i);
}

/* In whole nanoseconds: weights are ms with six digits. */
static u64 sum_thread(json_t *thread, size_t stacks)
{
	json_t *samples = json_object_get(thread, "samples"), *weight;
	double before = -1;
	u64 sum = 0;
	size_t i;

	assert_columns(samples);
	assert_indexes(samples, "stack", stacks);
	json_array_foreach(json_object_get(samples, "weight"), i, weight)
	{
		double at = json_number_value(json_array_get(json_object_get(samples, "time"), i));

		assert_true(at >= before);
		before = at;
		sum += (u64)llround(json_number_value(weight) * 1e6);
	}
	return sum;
}

static void test_firefox__sums_are_those_of_the_profile(void **state)
{
	static const char *const cases[] = { "shop",   "nasty",	  "empty",  "lost", "deep",
					     "kernel", "unnamed", "python", "ends", "sampled" };
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct profile *p = NULL;
		struct profile_budget b;
		json_t *root, *thread;
		struct err err;
		char path[128];
		u64 sum = 0;

		snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", cases[i]);
		if (literal_load(path, &p, &err))
			fail_msg("%s", err.msg);
		assert_int_equal(profile__budget(p, &b), 0);
		root = written(p);
		assert_tables(root);
		json_array_foreach(json_object_get(root, "threads"), j, thread)
			sum += sum_thread(thread, length(table(root, "stackTable")));
		assert_int_equal(sum, b.listed_blocked_ns + b.listed_runq_ns);
		json_decref(root);
		profile__free(p);
	}
}

static void check(const char *literal, const char *want)
{
	struct profile *p = lit(literal);
	char *text = rendered(p, &render_firefox, (struct render_options){ 0 });

	if (!strstr(text, want))
		fail_msg("no '%s' in:\n%s", want, text);
	mem_free(text);
	profile__free(p);
}

static void test_firefox__samples_follow_each_other(void **state)
{
	static const char text[] =
		"window 1s\ntask 5/7 a group=app begin=100ms\n"
		"wait S blocked=3ms runq=1us\n u x\n k s\nwait S blocked=2ms\n u y\n"
		" k s\n";

	(void)state;
	check(text, "\"samples\":{\"stack\":[1,3],\"time\":[100.000000,103.001000],"
		    "\"weight\":[3.001000,2.000000],\"weightType\":\"tracing-ms\",\"length\":2}");
	check(text, "{\"name\":\"a\",\"processName\":\"app\",\"isMainThread\":false,"
		    "\"pid\":\"5\",\"tid\":7,");
	check(text, "\"Time axis\",\"format\":\"string\",\"value\":\"synthetic");
}

static void test_firefox__each_record_of_a_thread_has_its_own_tid(void **state)
{
	static const char text[] = "task 5/5 sh flags=execed\nwait S blocked=3ms\n u x\n"
				   "task 5/5 make\nwait S blocked=1ms\n u x\n";

	(void)state;
	check(text, "\"pid\":\"5\",\"tid\":5,");
	check(text, "\"pid\":\"5\",\"tid\":\"5.1\",");
	check(text, "\"isMainThread\":true");
}

/* Category 4 is the first cause; kernel is 3, user 1. */
static void test_firefox__leaf_has_the_cause_as_its_category(void **state)
{
	char want[64];

	(void)state;
	snprintf(want, sizeof(want), "\"category\":[1,3,%d,%d],", 4 + CAUSE_FUTEX, 4 + CAUSE_SLEEP);
	check("arch x86_64\ntask 5/7 a\nwait S sys=futex blocked=3ms\n u main\n k x\n k s\n"
	      "wait S sys=clock_nanosleep blocked=3ms\n u main\n k x\n k s\n",
	      want);
	check("sides user\ntask 5/7 a flags=kthread\nwait S blocked=3ms\n", "[no stack]");
}

static void test_firefox__frames_have_files_and_lines(void **state)
{
	struct profile *p = lit("sides user\ntask 5/7 a\nwait S blocked=3ms\n u main\n");
	char *text;

	(void)state;
	assert_int_equal(profile__place_frame(p, 1, "/src/main.c", 42), 0);
	text = rendered(p, &render_firefox, (struct render_options){ 0 });
	assert_non_null(strstr(text, "\"line\":[42],"));
	assert_non_null(strstr(text, "\"source\":[0],"));
	assert_non_null(strstr(text, "\"/src/main.c\""));
	assert_null(strstr(text, "main (main.c:42)"));
	mem_free(text);
	profile__free(p);
}

static void test_firefox__tells_losses(void **state)
{
	(void)state;
	check("loss stack_cut 3\n",
	      "{\"label\":\"Lost\",\"format\":\"string\",\"value\":\"3 kernel "
	      "stacks truncated at the depth limit\"}");
	check("", "\"value\":\"nothing\"");
	check("target PID 5 (a)\n", "\"product\":\"Off-CPU time of PID 5 (a)\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_firefox__sums_are_those_of_the_profile),
		cmocka_unit_test(test_firefox__samples_follow_each_other),
		cmocka_unit_test(test_firefox__each_record_of_a_thread_has_its_own_tid),
		cmocka_unit_test(test_firefox__leaf_has_the_cause_as_its_category),
		cmocka_unit_test(test_firefox__frames_have_files_and_lines),
		cmocka_unit_test(test_firefox__tells_losses),
	};

	return cmocka_run_group_tests_name("firefox", tests, NULL, NULL);
}
