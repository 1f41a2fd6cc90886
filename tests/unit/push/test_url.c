/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "push/target.h"

static struct push_url parsed(const char *text)
{
	struct push_url u;
	struct err err = { 0 };

	if (push_url__parse(&u, text, &err))
		fail_msg("%s: %s", text, err.msg);
	return u;
}

static void test_push_url__has_the_path_of_its_target(void **state)
{
	struct push_url u = parsed("otlp+http://collector:4318");

	(void)state;
	assert_ptr_equal(u.target, &push_otlp);
	assert_string_equal(u.base, "http://collector:4318/v1development/profiles");
	assert_string_equal(u.name, "otlp+http://collector:4318/v1development/profiles");
	u = parsed("parca+https://[::1]:7070/");
	assert_string_equal(u.base, "https://[::1]:7070/api/profiles/writeraw");
	u = parsed("pyroscope+https://h/gate/push.v1.PusherService/Push");
	assert_string_equal(u.base, "https://h/gate/push.v1.PusherService/Push");
	u = parsed("clickhouse+http://h?");
	assert_string_equal(u.base, "http://h/");
}

static void test_push_url__takes_out_what_is_ours(void **state)
{
	struct push_url u = parsed("otlp+http://a%20b:p%40%3a@h:1/x?a=1&service=web%2fshop&tenant=t"
				   "&header-file=/etc/t&b=%20");

	(void)state;
	assert_string_equal(u.user, "a b");
	assert_string_equal(u.password, "p@:");
	assert_string_equal(u.service, "web/shop");
	assert_string_equal(u.tenant, "t");
	assert_string_equal(u.header_file, "/etc/t");
	assert_string_equal(u.query, "a=1&b=%20");
	assert_string_equal(u.name, "otlp+http://h:1/x");
	/* an @ in a password that was not written as %40 */
	u = parsed("otlp+http://me:p@ss@h");
	assert_string_equal(u.password, "p@ss");
	assert_string_equal(u.name, "otlp+http://h/v1development/profiles");
}

static void test_push_url__refuses_without_quoting_a_password(void **state)
{
	static const char *const bad[] = {
		"",
		"otlp",
		"otlp+http:/h",
		"otlp+http://",
		"otlp+http://me:s3cret@",
		"otlp+http://me:s3cret%4@h",
		"otlp+http://me:s3cret%0a@h",
		"otlp+http://me:s3cret@h h",
		"otlp+http://me:s3cret@h/\n",
		"otlp+http://me:s3cret@h/#x",
		"otlp+http://me:s3cret/x@h",
		"otlp+http://me:s3cret?x@h",
		"otlp+http://h?service=",
		"otlp+http://h?service=a%0d%0ab",
		"otlp+http://h?a= ",
		"syslog+http://h",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = { 0 };
		struct push_url u;

		if (push_url__parse(&u, bad[i], &err) != -EINVAL)
			fail_msg("accepted: %s", bad[i]);
		assert_true(*err.msg);
		assert_null(strstr(err.msg, "s3cret"));
	}
}

static void test_push_url__has_bounds(void **state)
{
	char text[4096];
	struct push_url u;

	(void)state;
	for (size_t n = 1; n < sizeof(text); n += 7) {
		memset(text, 'h', n);
		memcpy(text, "otlp+http://", n < 12 ? n : 12);
		text[n] = '\0';
		if (!push_url__parse(&u, text, NULL))
			assert_true(n < 300);
	}
}

static enum push_verdict judged(const struct push_target *t, u32 status, const char *body,
				struct err *why)
{
	struct http_answer a = { .status = status, .trouble = "no route" };
	enum push_verdict verdict;

	sink__init_mem(&a.body);
	sink__puts(&a.body, body);
	verdict = push_judge(t, &a, why);
	http_answer__done(&a);
	return verdict;
}

static void test_push_judge__gives_up_a_window_only_for_its_own_faults(void **state)
{
	static const u32 refusals[] = { 400, 413, 422 };
	static const u32 later[] = { 0, 301, 401, 403, 404, 408, 415, 429, 500, 502, 503, 504 };
	struct err why = { 0 };

	(void)state;
	assert_int_equal(judged(&push_parca, 200, "{}", &why), PUSH_TAKEN);
	assert_int_equal(judged(&push_otlp, 204, "", &why), PUSH_TAKEN);
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
		assert_int_equal(judged(&push_otlp, refusals[i], "", &why), PUSH_REFUSED);
	for (size_t i = 0; i < ARRAY_LEN(later); i++)
		assert_int_equal(judged(&push_otlp, later[i], "", &why), PUSH_LATER);
	assert_int_equal(judged(&push_otlp, 0, "", &why), PUSH_LATER);
	assert_string_equal(why.msg, "no route");
	assert_int_equal(judged(&push_otlp, 500, "line\r\nother", &why), PUSH_LATER);
	assert_string_equal(why.msg, "status 500: line");
	/* something else listens there */
	assert_int_equal(judged(&push_otlp, 200, "<html>", &why), PUSH_LATER);
	assert_int_equal(judged(&push_clickhouse, 200, "<html>", &why), PUSH_LATER);
	assert_int_equal(judged(&push_otlp, 200, "\x0a\x02\x08\x03", &why), PUSH_REFUSED);
	/* a warning: nothing was rejected */
	assert_int_equal(judged(&push_otlp, 200, "\x0a\x03\x12\x01x", &why), PUSH_TAKEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_push_url__has_the_path_of_its_target),
		cmocka_unit_test(test_push_url__takes_out_what_is_ours),
		cmocka_unit_test(test_push_url__refuses_without_quoting_a_password),
		cmocka_unit_test(test_push_url__has_bounds),
		cmocka_unit_test(test_push_judge__gives_up_a_window_only_for_its_own_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
