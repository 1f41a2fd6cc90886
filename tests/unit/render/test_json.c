/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "lib/rendered.h"
#include "profile/row_type.h"
#include "render/formats.h"

static json_t *parsed(const struct profile *p)
{
	char *text = rendered(p, &render_json, (struct render_options){ 0 });
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("line %d: %s in\n%s", error.line, error.text, text);
	mem_free(text);
	return root;
}

static u64 number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value))
		fail_msg("no number '%s'", key);
	return (u64)json_integer_value(value);
}

static const char *string(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	if (!s)
		fail_msg("no string '%s'", key);
	return s;
}

static u64 sum(const json_t *array, const char *key)
{
	const json_t *element;
	size_t i;
	u64 n = 0;

	json_array_foreach(array, i, element) n += number(element, key);
	return n;
}

static u64 sum_states(json_t *object)
{
	const char *key;
	json_t *value;
	u64 n = 0;

	json_object_foreach(object, key, value) n += (u64)json_integer_value(value);
	return n;
}

static void assert_budget(const struct profile *p, const json_t *root)
{
	const json_t *tasks = json_object_get(root, "tasks");
	const json_t *waits = json_object_get(root, "waits");
	const json_t *budget = json_object_get(root, "budget"), *task;
	struct profile_budget b;
	u64 blocked = 0;
	size_t i;

	assert_int_equal(profile__budget(p, &b), 0);
	assert_int_equal(sum(tasks, "wall_ns"), b.wall_ns);
	assert_int_equal(sum(tasks, "on_ns"), b.on_ns);
	assert_int_equal(sum(tasks, "preempted_ns"), b.preempted_ns);
	assert_int_equal(sum(tasks, "runq_ns"), b.runq_ns);
	assert_int_equal(sum(tasks, "unaccounted_ns"), b.unaccounted_ns);
	json_array_foreach(tasks, i, task)
		blocked += sum_states(json_object_get(task, "blocked_ns"));
	assert_int_equal(blocked, b.blocked_ns);
	assert_int_equal(sum(waits, "blocked_ns"), b.listed_blocked_ns);
	assert_int_equal(sum(waits, "runq_ns"), b.listed_runq_ns);
	assert_int_equal(number(budget, "wall_ns"), b.wall_ns);
	assert_int_equal(number(budget, "wall_ns"),
			 number(budget, "on_ns") + number(budget, "preempted_ns") +
				 number(budget, "runq_ns") + number(budget, "blocked_ns") +
				 number(budget, "unaccounted_ns"));
	assert_int_equal(sum_states(json_object_get(budget, "blocked_by_state_ns")), b.blocked_ns);
}

/* The names in a wait are those of its stack in the tables. */
static void assert_names(const json_t *root, const json_t *wait, const char *names_key,
			 const char *stack_key)
{
	const json_t *stacks = json_object_get(root, "stacks");
	const json_t *frames = json_object_get(root, "frames");
	const json_t *names = json_object_get(wait, names_key), *at, *name;
	size_t i;

	at = json_object_get(wait, stack_key);
	json_array_foreach(names, i, name)
	{
		const json_t *node = json_array_get(stacks, (size_t)json_integer_value(at));
		const json_t *frame = json_array_get(frames, (size_t)number(node, "frame"));

		assert_true(json_is_integer(at));
		assert_string_equal(json_string_value(name), string(frame, "label"));
		at = json_object_get(node, "parent");
	}
	assert_true(json_is_null(at));
}

/* All 64 bits of them. */
static void assert_addresses(const struct profile *p, const json_t *root)
{
	const json_t *frame;
	char text[24];
	size_t i;

	json_array_foreach(json_object_get(root, "frames"), i, frame)
	{
		bool truncated = p->frames[i + 1].flags & FRAME_TRUNCATED;

		snprintf(text, sizeof(text), "0x%llx", truncated ? 0 : p->frames[i + 1].addr);
		assert_string_equal(string(frame, "addr"), text);
	}
	assert_int_equal(i, p->frames_len - 1);
}

static void test_json__adds_up_and_refers_to_itself_rightly(void **state)
{
	static const char *const cases[] = { "shop", "nasty",  "empty",	 "lost",
					     "deep", "kernel", "unnamed" };
	size_t i, j;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct profile *p = NULL;
		char path[128];
		json_t *root, *wait;

		snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", cases[i]);
		assert_int_equal(literal_load(path, &p, NULL), 0);
		root = parsed(p);
		assert_budget(p, root);
		assert_addresses(p, root);
		json_array_foreach(json_object_get(root, "waits"), j, wait)
		{
			assert_names(root, wait, "user", "user_stack");
			assert_names(root, wait, "kernel", "kernel_stack");
		}
		json_decref(root);
		profile__free(p);
	}
}

static void test_json__has_a_wait_in_full(void **state)
{
	struct profile *p = lit("arch x86_64\ntask 7/8 c group=g flags=born,exited cgroup=7 "
				"cgroup_path=/a\\x20\\x22b\n"
				"wait D sys=fsync blocked=5us runq=1us count=3 max=4us "
				"flags=iowait,open hist=0:2,3:1\n u main\n k sys\n");
	json_t *root = parsed(p);
	const json_t *wait = json_array_get(json_object_get(root, "waits"), 0);
	const json_t *task = json_array_get(json_object_get(root, "tasks"), 0);
	char *text = json_dumps(wait, JSON_COMPACT);

	(void)state;
	assert_string_equal(
		text, "{\"task\":0,\"state\":\"D\",\"sysno\":74,\"syscall\":\"fsync\","
		      "\"cause\":\"disk-sync\",\"class\":\"work\",\"flags\":[\"iowait\",\"open\"],"
		      "\"object\":null,\"object_label\":null,\"owner\":null,"
		      "\"blocked_ns\":5000,\"runq_ns\":1000,\"count\":3,\"max_ns\":4000,"
		      "\"samples\":3,\"se_ns\":0,"
		      "\"hist\":[[0,2],[4096,1]],\"user_stack\":0,\"kernel_stack\":1,"
		      "\"user\":[\"main\"],\"kernel\":[\"sys\"]}");
	free(text);
	assert_string_equal(string(task, "group_comm"), "g");
	assert_string_equal(string(task, "cgroup"), "/a \"b");
	text = json_dumps(json_object_get(task, "flags"), JSON_COMPACT);
	assert_string_equal(text, "[\"exited\",\"born\"]");
	free(text);
	json_decref(root);
	profile__free(p);
}

static void test_json__writes_null_for_none(void **state)
{
	struct profile *p = lit("task 1/1 c\nwait S blocked=1ns\n");
	json_t *root = parsed(p);
	const json_t *wait = json_array_get(json_object_get(root, "waits"), 0);
	static const char *const keys[] = { "sysno", "syscall", "user_stack", "kernel_stack" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(keys); i++)
		assert_true(json_is_null(json_object_get(wait, keys[i])));
	assert_int_equal(json_array_size(json_object_get(wait, "user")), 0);
	assert_true(json_is_null(json_object_get(json_object_get(root, "header"), "max_ns")));
	json_decref(root);
	profile__free(p);
}

static void test_json__saturates_what_does_not_fit(void **state)
{
	struct profile *p = lit("loss stack_cut 18446744073709551615 max\nmax 5us\n"
				"switches_seen 9223372036854775807\n");
	json_t *root = parsed(p);
	const json_t *loss = json_array_get(json_object_get(root, "losses"), 0);
	const json_t *header = json_object_get(root, "header");

	(void)state;
	assert_true(number(loss, "events") == INT64_MAX);
	assert_true(number(loss, "ns") == INT64_MAX);
	assert_true(number(header, "switches_seen") == INT64_MAX);
	assert_int_equal(number(header, "max_ns"), 5000);
	json_decref(root);
	profile__free(p);
}

static void test_json__tells_why_stacks_are_not_whole(void **state)
{
	struct profile *p = lit("module foo elf /lib/libfoo.so\ntask 1/1 a\nwait S blocked=5ns\n"
				" u f\nwait S blocked=3ns count=2\n utrunc no_cfi @foo\n u f\n");
	json_t *root = parsed(p);
	const json_t *stacks = json_object_get(root, "user_stacks");
	const json_t *rest = json_array_get(json_object_get(stacks, "rest"), 0);
	const json_t *frames = json_object_get(root, "frames");

	(void)state;
	assert_int_equal(number(stacks, "total_ns"), 8);
	assert_int_equal(number(stacks, "whole_ns"), 5);
	assert_string_equal(string(rest, "reason"), "no_cfi");
	assert_string_equal(string(rest, "words"), "no CFI in libfoo.so");
	assert_int_equal(number(rest, "module"), 0);
	assert_int_equal(number(rest, "ns"), 3);
	assert_int_equal(number(rest, "events"), 2);
	assert_true(json_is_null(json_object_get(json_array_get(frames, 0), "truncated")));
	assert_string_equal(string(json_array_get(frames, 1), "truncated"), "no_cfi");
	assert_string_equal(string(json_array_get(frames, 1), "label"),
			    "[truncated: no CFI in libfoo.so]");
	json_decref(root);
	profile__free(p);
}

static void test_json__has_no_user_stacks_if_none_were_taken(void **state)
{
	struct profile *p = lit("sides kernel\ntask 1/1 a\nwait S blocked=5ns\n k f\n");
	json_t *root = parsed(p);

	(void)state;
	assert_true(json_is_null(json_object_get(root, "user_stacks")));
	json_decref(root);
	profile__free(p);
}

static void test_json__has_all_frames_of_an_interpreter(void **state)
{
	struct profile *p = lit("module py elf /bin/py\nmodule code code [python] tgid=1\n"
				"task 1/1 a\nwait S blocked=5ns\n"
				" u @py 1 _PyEval_EvalFrameDefault\n u @code 2 a.py:f:1\n");
	json_t *root = parsed(p);
	const json_t *wait = json_array_get(json_object_get(root, "waits"), 0);
	const json_t *module = json_array_get(json_object_get(root, "modules"), 1);

	(void)state;
	assert_int_equal(json_array_size(json_object_get(wait, "user")), 2);
	assert_string_equal(string(module, "kind"), "code");
	assert_int_equal(number(module, "tgid"), 1);
	json_decref(root);
	profile__free(p);
}

static void test_json__replaces_bad_utf8(void **state)
{
	struct profile *p =
		lit("host \\xff\ntask 1/1 a\\xc3\nwait S blocked=1ns\n u \\xed\\xa0\\x80\n");
	json_t *root = parsed(p);
	const json_t *frame = json_array_get(json_object_get(root, "frames"), 0);

	(void)state;
	assert_string_equal(string(json_object_get(root, "header"), "host"), "\xef\xbf\xbd");
	assert_string_equal(string(frame, "label"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	json_decref(root);
	profile__free(p);
}

static void test_json__tells_why_a_frame_has_no_name(void **state)
{
	struct profile *p =
		lit("module m elf /a/b build=ab tgid=0\ntask 1/1 a\nwait S blocked=1ns\n"
		    " u @m 0x10 !no_symbol\n u @m 0x20 +0x3 named\n");
	json_t *root = parsed(p);
	json_t *frames = json_object_get(root, "frames");

	(void)state;
	assert_string_equal(string(json_array_get(frames, 0), "reason"),
			    frame_reason_sentence(FRAME_NO_SYMBOL));
	assert_true(json_is_null(json_object_get(json_array_get(frames, 0), "name")));
	assert_true(json_is_null(json_object_get(json_array_get(frames, 1), "reason")));
	assert_int_equal(number(json_array_get(frames, 1), "offset"), 3);
	assert_int_equal(number(json_array_get(frames, 1), "module"), 0);
	json_decref(root);
	profile__free(p);
}

/* A line tool must find one element on each line. */
static void test_json__puts_one_element_on_a_line(void **state)
{
	struct profile *p = lit("task 1/1 a\nwait S blocked=1ns\n u x\nwait D blocked=2ns\n u y\n");
	char *text = rendered(p, &render_json, (struct render_options){ 0 }), *line, *save = NULL;
	u32 waits = 0;

	(void)state;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		waits += strncmp(line, "{\"task\":", 8) == 0;
	assert_int_equal(waits, 2);
	mem_free(text);
	profile__free(p);
}

/* What JSON calls a column by another name; NULL: it is part of another member, or always 0. */
static const char *member_of(const struct row_column *c, const struct row_type *type)
{
	if (c->kind == ROW_ZERO || strcmp(c->name, "owner_tid") == 0)
		return NULL;
	if (c->kind == ROW_VARIANCE)
		return "se_ns";
	return c->kind == ROW_FLAGS && type == &hot_row_type ? "sampled" : c->name;
}

static void assert_members(const json_t *rows, const struct row_type *type)
{
	const json_t *row = json_array_get(rows, 0);
	u32 i;

	assert_non_null(row);
	for (i = 0; i < type->columns_len; i++) {
		const char *name = member_of(&type->columns[i], type);

		if (name && !json_object_get(row, name))
			fail_msg("a %s of the JSON has no '%s'", type->noun, name);
	}
}

static void test_json__has_every_column_of_a_row(void **state)
{
	struct profile *p = lit("on_cpu_hz 99\non_cpu_samples 70\ntask 1/1 a on=7ms\n"
				"wait S blocked=1ns\n u x\n woken A running=1ns\n"
				"hot on=7ms samples=70\n u y\nwaker A 1/1 a\n");
	json_t *root = parsed(p);

	(void)state;
	assert_members(json_object_get(root, "waits"), &wait_row_type);
	assert_members(json_object_get(root, "hots"), &hot_row_type);
	assert_members(json_object_get(root, "wakes"), &wake_row_type);
	json_decref(root);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json__adds_up_and_refers_to_itself_rightly),
		cmocka_unit_test(test_json__has_a_wait_in_full),
		cmocka_unit_test(test_json__writes_null_for_none),
		cmocka_unit_test(test_json__saturates_what_does_not_fit),
		cmocka_unit_test(test_json__tells_why_stacks_are_not_whole),
		cmocka_unit_test(test_json__has_no_user_stacks_if_none_were_taken),
		cmocka_unit_test(test_json__has_all_frames_of_an_interpreter),
		cmocka_unit_test(test_json__replaces_bad_utf8),
		cmocka_unit_test(test_json__tells_why_a_frame_has_no_name),
		cmocka_unit_test(test_json__puts_one_element_on_a_line),
		cmocka_unit_test(test_json__has_every_column_of_a_row),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
