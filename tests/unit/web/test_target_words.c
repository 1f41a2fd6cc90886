/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "web/ask/target_words.h"

static struct target_words words;

static int parse(const char *body)
{
	return target_words_parse(body, strlen(body), &words, NULL);
}

static void test_target_words__of_a_process(void **state)
{
	(void)state;
	assert_int_equal(parse(" {\"add\" : { \"pid\":812 }}\n"), 0);
	assert_true(words.add);
	assert_false(words.is_cgroup);
	assert_string_equal(words.whom, "812");
	assert_int_equal(parse("{\"remove\":{\"pid\":1}}"), 0);
	assert_false(words.add);
}

static void test_target_words__of_a_cgroup(void **state)
{
	(void)state;
	assert_int_equal(parse("{\"add\": {\"cgroup\": \"/shop.slice/a b\"}}"), 0);
	assert_true(words.add && words.is_cgroup);
	assert_string_equal(words.whom, "/shop.slice/a b");
}

static void test_target_words__refuse_everything_else(void **state)
{
	static const char *const bad[] = {
		"",
		"{}",
		"{\"add\":1}",
		"{\"add\":{\"pid\":0}}",
		"{\"add\":{\"pid\":-1}}",
		"{\"add\":{\"pid\":99999999999}}",
		"{\"add\":{\"pid\":1}} x",
		"{\"add\":{\"pid\":1}",
		"{\"add\":{\"tid\":1}}",
		"{\"add\":{\"pid\":1,\"cgroup\":\"/\"}}",
		"{\"add\":{\"cgroup\":\"\"}}",
		"{\"add\":{\"cgroup\":\"/a\"",
		"{\"add\":{\"cgroup\":\"/a",
		"{\"add\":{\"cgroup\":\"/a\\n\"}}",
		"{\"add\":{\"cgroup\":\"/a\nb\"}}",
		"{\"add\":{\"cgroup\":7}}",
	};
	char longest[TARGET_WHOM_SZ + 64];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(parse(bad[i]), -EINVAL);
	snprintf(longest, sizeof(longest), "{\"add\":{\"cgroup\":\"%0*d\"}}", TARGET_WHOM_SZ - 1,
		 0);
	assert_int_equal(parse(longest), 0);
	assert_int_equal(strlen(words.whom), TARGET_WHOM_SZ - 1);
	snprintf(longest, sizeof(longest), "{\"add\":{\"cgroup\":\"%0*d\"}}", TARGET_WHOM_SZ, 0);
	assert_int_equal(parse(longest), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_target_words__of_a_process),
		cmocka_unit_test(test_target_words__of_a_cgroup),
		cmocka_unit_test(test_target_words__refuse_everything_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
