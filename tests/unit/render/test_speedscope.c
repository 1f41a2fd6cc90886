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

static json_t *written(const struct profile *p, struct render_options opt)
{
	char *text = rendered(p, &render_speedscope, opt);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("%s at %d", error.text, error.line);
	mem_free(text);
	return root;
}

static json_t *profile_of(json_t *root)
{
	return json_array_get(json_object_get(root, "profiles"), 0);
}

static u64 integer(json_t *object, const char *key)
{
	assert_true(json_is_integer(json_object_get(object, key)));
	return (u64)json_integer_value(json_object_get(object, key));
}

static void test_speedscope__sums_are_those_of_the_profile(void **state)
{
	static const char *const cases[] = { "shop",   "nasty",	  "empty",  "lost", "deep",
					     "kernel", "unnamed", "python", "ends", "sampled" };
	size_t i, j, k;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct profile *p = NULL;
		json_t *root, *sums, *samples, *weights, *frames;
		struct profile_budget b;
		struct err err;
		char path[128];
		u64 sum = 0;

		snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", cases[i]);
		if (literal_load(path, &p, &err))
			fail_msg("%s", err.msg);
		assert_int_equal(profile__budget(p, &b), 0);
		root = written(p, (struct render_options){ .root = GROUP_BY_THREAD });
		sums = profile_of(root);
		samples = json_object_get(sums, "samples");
		weights = json_object_get(sums, "weights");
		frames = json_object_get(json_object_get(root, "shared"), "frames");
		assert_int_equal(json_array_size(samples), json_array_size(weights));
		for (j = 0; j < json_array_size(weights); j++) {
			json_t *stack = json_array_get(samples, j);

			sum += (u64)json_integer_value(json_array_get(weights, j));
			assert_true(json_array_size(stack) > 0);
			for (k = 0; k < json_array_size(stack); k++)
				assert_true((size_t)json_integer_value(json_array_get(stack, k)) <
					    json_array_size(frames));
		}
		assert_int_equal(sum, b.listed_blocked_ns + b.listed_runq_ns);
		assert_int_equal(integer(sums, "endValue"), sum);
		assert_int_equal(integer(sums, "startValue"), 0);
		json_decref(root);
		profile__free(p);
	}
}

static u64 sum_of(json_t *profile)
{
	json_t *weights = json_object_get(profile, "weights");
	u64 sum = 0;
	size_t i;

	for (i = 0; i < json_array_size(weights); i++)
		sum += (u64)json_integer_value(json_array_get(weights, i));
	assert_int_equal(sum, integer(profile, "endValue"));
	return sum;
}

static void test_speedscope__has_a_profile_of_each_cause(void **state)
{
	static const char *const want[] = { "off-CPU", "off-CPU: sleep", "off-CPU: idle" };
	static const u64 sums[] = { 1510000000, 10000000, 1500000000 };
	struct profile *p =
		lit("arch x86_64\ntask 1/1 a S=1510ms\n"
		    "wait S sys=epoll_wait blocked=1s\n u main\n u event_loop\n"
		    "wait S sys=epoll_wait blocked=500ms\n u main\n u event_loop\n k ep_poll\n"
		    "wait S sys=clock_nanosleep blocked=10ms\n u main\n u nap\n");
	json_t *root = written(p, (struct render_options){ 0 });
	json_t *profiles = json_object_get(root, "profiles");
	size_t i;

	(void)state;
	assert_int_equal(json_array_size(profiles), ARRAY_LEN(want));
	for (i = 0; i < ARRAY_LEN(want); i++) {
		json_t *one = json_array_get(profiles, i);

		assert_string_equal(json_string_value(json_object_get(one, "name")), want[i]);
		assert_int_equal(sum_of(one), sums[i]);
	}
	json_decref(root);
	profile__free(p);
}

static void test_speedscope__has_one_profile_for_one_cause(void **state)
{
	struct profile *p = lit("arch x86_64\ntask 1/1 a S=10ms\n"
				"wait S sys=clock_nanosleep blocked=10ms\n u main\n u nap\n");
	json_t *root = written(p, (struct render_options){ 0 });

	(void)state;
	assert_int_equal(json_array_size(json_object_get(root, "profiles")), 1);
	json_decref(root);
	profile__free(p);
}

static void check(const char *literal, struct render_options opt, const char *want)
{
	struct profile *p = lit(literal);
	char *text = rendered(p, &render_speedscope, opt);

	if (!strstr(text, want))
		fail_msg("no '%s' in:\n%s", want, text);
	mem_free(text);
	profile__free(p);
}

static void test_speedscope__stacks_are_root_first(void **state)
{
	static const char text[] = "task 5/7 a group=app\nwait S blocked=3us\n u main\n u lock\n"
				   " k schedule\nwait S blocked=1us\n u main\n u read\n"
				   " k schedule\n";

	(void)state;
	check(text, (struct render_options){ 0 },
	      "\"frames\":[\n{\"name\":\"a\"},\n{\"name\":\"main\"},\n{\"name\":\"lock\"},\n"
	      "{\"name\":\"schedule\",\"file\":\"[kernel]\"},\n{\"name\":\"read\"}]");
	check(text, (struct render_options){ 0 },
	      "\"samples\":[\n[0,1,2,3],\n[0,1,4,3]],\n\"weights\":[3000,1000]}]}");
}

static void test_speedscope__root_is_the_requested_one(void **state)
{
	static const char text[] = "task 5/7 a group=app\nwait S blocked=3us\n u main\n"
				   " k schedule\n";

	(void)state;
	check(text, (struct render_options){ .root = GROUP_BY_PROCESS }, "{\"name\":\"app-5\"}");
	check(text, (struct render_options){ .root = GROUP_BY_THREAD }, "{\"name\":\"a-5/7\"}");
}

/* The format has no other place for them. Two threads of one are one frame then. */
static void test_speedscope__has_cgroups_as_first_frames(void **state)
{
	struct profile *p = lit("task 5/6 a cgroup=77 cgroup_path=/web.slice/one\n"
				"wait S blocked=3ms\n u main\n"
				"task 5/7 b cgroup=77 cgroup_path=/web.slice/one\n"
				"wait S blocked=4ms\n u main\n"
				"task 8/8 c cgroup=78\n"
				"wait S blocked=5ms\n u main\n");
	json_t *root = written(p, (struct render_options){ .root = GROUP_BY_CGROUP });
	json_t *frames = json_object_get(json_object_get(root, "shared"), "frames");
	json_t *weights = json_object_get(profile_of(root), "weights");
	json_t *first = json_array_get(frames, 0);

	(void)state;
	assert_string_equal(json_string_value(json_object_get(first, "name")), "/web.slice/one");
	assert_int_equal(json_array_size(weights), 2);
	assert_int_equal(json_integer_value(json_array_get(weights, 0)), 7000000);
	assert_int_equal(sum_of(profile_of(root)), 12000000);
	json_decref(root);
	profile__free(p);
}

static void test_speedscope__user_and_kernel_functions_of_a_name_are_two(void **state)
{
	(void)state;
	check("task 5/7 a\nwait S blocked=3us\n u main\n k main\n", (struct render_options){ 0 },
	      "{\"name\":\"main\"},\n{\"name\":\"main\",\"file\":\"[kernel]\"}]");
}

static void test_speedscope__name_tells_target_and_losses(void **state)
{
	(void)state;
	check("target PID 5 (a)\nloss stack_cut 3\ntask 5/7 a\nwait S blocked=3us\n u main\n",
	      (struct render_options){ 0 },
	      "\"name\":\"off-CPU time of PID 5 (a); lost: 3 kernel stacks truncated at the depth "
	      "limit\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_speedscope__sums_are_those_of_the_profile),
		cmocka_unit_test(test_speedscope__has_a_profile_of_each_cause),
		cmocka_unit_test(test_speedscope__has_one_profile_for_one_cause),
		cmocka_unit_test(test_speedscope__stacks_are_root_first),
		cmocka_unit_test(test_speedscope__root_is_the_requested_one),
		cmocka_unit_test(test_speedscope__has_cgroups_as_first_frames),
		cmocka_unit_test(test_speedscope__user_and_kernel_functions_of_a_name_are_two),
		cmocka_unit_test(test_speedscope__name_tells_target_and_losses),
	};

	return cmocka_run_group_tests_name("speedscope", tests, NULL, NULL);
}
