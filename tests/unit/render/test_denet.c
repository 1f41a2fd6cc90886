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

/* The second line; the first is metadata. */
static json_t *tree_of(const struct profile *p)
{
	char *text = rendered(p, &render_denet, (struct render_options){ 0 });
	char *second = strchr(text, '\n') + 1;
	json_error_t error;
	json_t *root = json_loads(second, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("%s at %d in %s", error.text, error.column, second);
	mem_free(text);
	return root;
}

static json_t *offcpu_of(json_t *root)
{
	json_t *aggregated = json_object_get(root, "aggregated");

	return json_object_get(json_object_get(aggregated, "ebpf"), "offcpu");
}

static u64 integer(json_t *o, const char *key)
{
	assert_true(json_is_integer(json_object_get(o, key)));
	return (u64)json_integer_value(json_object_get(o, key));
}

static void test_denet__sums_are_those_of_the_profile(void **state)
{
	static const char *const cases[] = { "shop",   "nasty",	  "empty",  "lost", "deep",
					     "kernel", "unnamed", "python", "ends", "sampled" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		json_t *root, *offcpu, *thread;
		struct profile *p = NULL;
		struct profile_budget b;
		u64 sum = 0, events = 0;
		const char *key;
		struct err err;
		char path[128];

		snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", cases[i]);
		if (literal_load(path, &p, &err))
			fail_msg("%s", err.msg);
		assert_int_equal(profile__budget(p, &b), 0);
		root = tree_of(p);
		offcpu = offcpu_of(root);
		json_object_foreach(json_object_get(offcpu, "thread_stats"), key, thread)
		{
			sum += integer(thread, "total_time_ns");
			events += integer(thread, "count");
		}
		assert_int_equal(sum, b.listed_blocked_ns + b.listed_runq_ns);
		assert_int_equal(integer(offcpu, "total_time_ns"), sum);
		assert_int_equal(integer(offcpu, "total_events"), events);
		json_decref(root);
		profile__free(p);
	}
}

static void check(const char *literal, const char *want)
{
	struct profile *p = lit(literal);
	char *text = rendered(p, &render_denet, (struct render_options){ 0 });

	if (!strstr(text, want))
		fail_msg("no '%s' in:\n%s", want, text);
	mem_free(text);
	profile__free(p);
}

static void test_denet__adds_up_by_thread(void **state)
{
	static const char text[] =
		"task 5/7 a\nwait S blocked=3ms runq=1ms count=2 max=3ms\n u x\n"
		"wait D blocked=6ms\n u y\ntask 5/8 b\nwait S blocked=5ms\n u x\n";

	(void)state;
	check(text, "\"total_time_ns\":15000000,\"total_events\":4,\"avg_time_ns\":3750000,"
		    "\"max_time_ns\":6000000,");
	check(text, "\"5:7\":{\"tid\":7,\"total_time_ns\":10000000,\"count\":3,"
		    "\"avg_time_ns\":3333333,\"max_time_ns\":6000000,");
	check(text, "\"5:8\":{\"tid\":8,\"total_time_ns\":5000000,\"count\":1,"
		    "\"avg_time_ns\":5000000,\"max_time_ns\":5000000,\"min_time_ns\":5000000}");
	check(text, "\"top_blocking_threads\":[{\"tid\":7,\"pid\":5,\"time_ms\":10.0,"
		    "\"percentage\":66.67},{\"tid\":8,\"pid\":5,\"time_ms\":5.0,"
		    "\"percentage\":33.33}]");
}

static void test_denet__joins_the_records_of_a_thread(void **state)
{
	(void)state;
	check("task 5/7 sh flags=execed\nwait S blocked=3ms\n u x\n"
	      "task 5/7 make\nwait S blocked=1ms\n u x\n",
	      "\"thread_stats\":{\"5:7\":{\"tid\":7,\"total_time_ns\":4000000,\"count\":2,");
}

static void test_denet__shows_ten_threads_at_most(void **state)
{
	char text[2000] = "";
	struct profile *p;
	json_t *root;
	u32 i;

	(void)state;
	for (i = 1; i <= 12; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "task 5/%u a\nwait S blocked=%uus\n u x\n", i, i);
	p = lit(text);
	root = tree_of(p);
	assert_int_equal(json_object_size(json_object_get(offcpu_of(root), "thread_stats")), 12);
	assert_int_equal(json_array_size(json_object_get(offcpu_of(root), "top_blocking_threads")),
			 10);
	json_decref(root);
	profile__free(p);
}

static void test_denet__states_its_threshold(void **state)
{
	static const char text[] = "min 1ms\nfiltered\ntask 5/7 a S=9ms\n"
				   "wait S blocked=8ms count=3 max=5ms hist=11:2,13:1\n u x\n";

	(void)state;
	check(text, "\"threshold_ns\":1000000}}}");
	check(text, "\"selection\":\"\",\"windows\":1,\"threshold_ns\":1000000,");
	/* the bucket begins at 1048576 */
	check(text, "\"min_time_ns\":1048576,");
	check("task 5/7 a\nwait S blocked=8ms\n u x\n", "\"threshold_ns\":0}}}");
}

static void test_denet__says_what_it_did_not_measure(void **state)
{
	static const char text[] = "window 10s\nloss stack_cut 3 20ms\ntask 5/7 a on=5s S=5s\n"
				   "wait S blocked=5s\n u x\n";

	(void)state;
	check(text, "\"not_measured\":[\"mem_rss_kb\",");
	check(text, "\"losses\":{\"stack_cut\":{\"events\":3,\"ns\":20000000}}");
	check(text, "\"cpu_usage\":50.0,");
	check(text, "\"bottlenecks\":[],\"stack_traces\":[],");
}

static void test_denet__of_nothing_is_nothing(void **state)
{
	(void)state;
	check("", "\"total_time_ns\":0,\"total_events\":0,\"avg_time_ns\":0,\"max_time_ns\":0,"
		  "\"min_time_ns\":0,\"thread_stats\":{},\"top_blocking_threads\":[],");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_denet__sums_are_those_of_the_profile),
		cmocka_unit_test(test_denet__adds_up_by_thread),
		cmocka_unit_test(test_denet__joins_the_records_of_a_thread),
		cmocka_unit_test(test_denet__shows_ten_threads_at_most),
		cmocka_unit_test(test_denet__states_its_threshold),
		cmocka_unit_test(test_denet__says_what_it_did_not_measure),
		cmocka_unit_test(test_denet__of_nothing_is_nothing),
	};

	return cmocka_run_group_tests_name("denet", tests, NULL, NULL);
}
