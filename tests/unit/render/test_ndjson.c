/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "lib/rendered.h"
#include "render/formats.h"

static const char *const cases[] = { "shop",   "nasty",	  "empty",  "lost", "deep",
				     "kernel", "unnamed", "python", "ends", "sampled" };

static json_t *parse(const char *line)
{
	json_error_t error;
	json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, &error);

	if (!o)
		fail_msg("%s in '%s'", error.text, line);
	return o;
}

static const char *type_of(json_t *o)
{
	return json_string_value(json_object_get(o, "type"));
}

static u64 integer(json_t *o, const char *key)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	return (u64)json_integer_value(json_object_get(o, key));
}

struct counted {
	u64 off_ns;
	u64 tasks;
	u64 waits;
	u64 losses;
	u64 lines;
};

/* Each line is an object that can be read alone; the last one counts the others. */
static void count(char *text, struct counted *c)
{
	char *line, *save = NULL;
	bool ended = false;

	memset(c, 0, sizeof(*c));
	assert_int_equal(text[strlen(text) - 1], '\n');
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		json_t *o = parse(line);
		const char *type = type_of(o);

		assert_false(ended);
		assert_int_equal(strncmp(line, "{\"type\":", 8), 0);
		assert_int_equal(strcmp(type, "header") == 0, c->lines == 0);
		c->lines++;
		c->tasks += strcmp(type, "task") == 0;
		c->losses += strcmp(type, "loss") == 0;
		if (strcmp(type, "wait") == 0) {
			c->waits++;
			c->off_ns += integer(o, "blocked_ns") + integer(o, "runq_ns");
		}
		if (strcmp(type, "end") == 0) {
			ended = true;
			assert_int_equal(integer(o, "tasks"), c->tasks);
			assert_int_equal(integer(o, "waits"), c->waits);
			assert_int_equal(integer(o, "losses"), c->losses);
		}
		json_decref(o);
	}
	assert_true(ended);
}

static void test_ndjson__sums_are_those_of_the_profile(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct profile *p = NULL;
		struct profile_budget b;
		struct counted c;
		struct err err;
		char path[128], *text;

		snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", cases[i]);
		if (literal_load(path, &p, &err))
			fail_msg("%s", err.msg);
		assert_int_equal(profile__budget(p, &b), 0);
		text = rendered(p, &render_ndjson, (struct render_options){ 0 });
		count(text, &c);
		assert_int_equal(c.off_ns, b.listed_blocked_ns + b.listed_runq_ns);
		assert_int_equal(c.tasks, p->tasks_len - 1);
		assert_int_equal(c.waits, p->waits_len - 1);
		mem_free(text);
		profile__free(p);
	}
}

static void check(const char *literal, struct render_options opt, const char *want, bool there)
{
	struct profile *p = lit(literal);
	char *text = rendered(p, &render_ndjson, opt);

	if (!strstr(text, want) == there)
		fail_msg("'%s' %s in:\n%s", want, there ? "is not" : "is", text);
	mem_free(text);
	profile__free(p);
}

static void test_ndjson__waits_can_be_read_alone(void **state)
{
	(void)state;
	check("task 5/7 w group=app\nwait S blocked=3us runq=1us\n u main\n u lock\n k s\n",
	      (struct render_options){ 0 },
	      "{\"type\":\"wait\",\"tgid\":5,\"tid\":7,\"group_comm\":\"app\",\"comm\":\"w\","
	      "\"cgroup\":null,\"task\":0,\"state\":\"S\"",
	      true);
	check("task 5/7 w cgroup=7 cgroup_path=/a\\x22\\xff\nwait S blocked=3us\n u main\n",
	      (struct render_options){ 0 }, "\"cgroup\":\"/a\\\"\xef\xbf\xbd\",\"task\":0,", true);
	check("task 5/7 w group=app\nwait S blocked=3us runq=1us\n u main\n u lock\n k s\n",
	      (struct render_options){ 0 }, "\"user\":[\"lock\",\"main\"],\"kernel\":[\"s\"]}\n",
	      true);
}

/* There are no lines for modules and stacks, so nothing may point at one. */
static void test_ndjson__has_no_indexes_into_nothing(void **state)
{
	static const char text[] = "module m elf /lib/m.so\ntask 5/7 w\n"
				   "wait S blocked=3us\n utrunc no_cfi @m\n u @m 0x10 f\n k s\n";

	(void)state;
	check(text, (struct render_options){ 0 }, "\"type\":\"user_stacks\"", true);
	check(text, (struct render_options){ 0 }, "\"reason\":\"no_cfi\"", true);
	check(text, (struct render_options){ 0 }, "\"module\"", false);
	check(text, (struct render_options){ 0 }, "_stack\":", false);
}

static void test_ndjson__leaves_out_the_interpreter_unless_asked(void **state)
{
	static const char text[] = "module py elf /usr/bin/python3\n"
				   "module code code [python] tgid=5\ntask 5/7 w\n"
				   "wait S blocked=3us\n u @py 0x10 _PyEval_EvalFrameDefault\n"
				   " u @code 1 a.py:f:1\n k s\n";

	(void)state;
	check(text, (struct render_options){ 0 }, "_PyEval", false);
	check(text, (struct render_options){ .interpreter = true }, "_PyEval", true);
}

static void test_ndjson__knows_its_schema(void **state)
{
	json_t *schema = parse(render_ndjson.schema);

	(void)state;
	assert_non_null(json_object_get(schema, "$defs"));
	json_decref(schema);
	schema = parse(render_json.schema);
	assert_string_equal(json_string_value(json_object_get(schema, "title")),
			    "coldspot profile");
	json_decref(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ndjson__sums_are_those_of_the_profile),
		cmocka_unit_test(test_ndjson__waits_can_be_read_alone),
		cmocka_unit_test(test_ndjson__has_no_indexes_into_nothing),
		cmocka_unit_test(test_ndjson__leaves_out_the_interpreter_unless_asked),
		cmocka_unit_test(test_ndjson__knows_its_schema),
	};

	return cmocka_run_group_tests_name("ndjson", tests, NULL, NULL);
}
