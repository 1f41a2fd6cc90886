/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fleet/fleet_url.h"

static struct push_url parsed(const char *text)
{
	struct push_url u;
	struct err err = { 0 };

	if (fleet_url_parse(&u, text, &err))
		fail_msg("%s: %s", text, err.msg);
	return u;
}

static void test_fleet_url__is_not_a_file(void **state)
{
	(void)state;
	assert_true(fleet_url_is("clickhouse://h"));
	assert_true(fleet_url_is("clickhouse+https://h"));
	assert_false(fleet_url_is("clickhouse.coldspot"));
	assert_false(fleet_url_is("parca+http://h"));
}

static void test_fleet_url__short_form_has_port_and_database(void **state)
{
	struct push_url u = parsed("clickhouse://h/waits");

	(void)state;
	assert_string_equal(u.base, "http://h:8123/");
	assert_string_equal(u.query, "database=waits");
	u = parsed("clickhouse://me:p%40ss@h:8443/waits?a=1");
	assert_string_equal(u.base, "https://h:8443/");
	assert_string_equal(u.query, "database=waits&a=1");
	assert_string_equal(u.user, "me");
	assert_string_equal(u.password, "p@ss");
	u = parsed("clickhouse://me:8443@h?a=1");
	assert_string_equal(u.base, "http://h:8123/");
	assert_string_equal(u.password, "8443");
	assert_string_equal(u.query, "a=1");
	u = parsed("clickhouse://[::1]:443");
	assert_string_equal(u.base, "https://[::1]:443/");
	u = parsed("clickhouse://[::1]");
	assert_string_equal(u.base, "http://[::1]:8123/");
	assert_string_equal(u.query, "");
}

static void test_fleet_url__long_form_is_a_target_of_push(void **state)
{
	struct push_url u = parsed("clickhouse+https://h:9/x?database=w&header-file=/t");

	(void)state;
	assert_string_equal(u.base, "https://h:9/x");
	assert_string_equal(u.header_file, "/t");
}

static void test_fleet_url__refuses_without_a_password(void **state)
{
	static const char *const bad[] = { "clickhouse://me:s3cr3t@/x", "clickhouse://h/a/b",
					   "clickhouse://me:s3cr3t@h/x y", "clickhouse://" };
	struct push_url u;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err err = { 0 };

		assert_true(fleet_url_parse(&u, bad[i], &err) < 0);
		assert_null(strstr(err.msg, "s3cr3t"));
		assert_true(*err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fleet_url__is_not_a_file),
		cmocka_unit_test(test_fleet_url__short_form_has_port_and_database),
		cmocka_unit_test(test_fleet_url__long_form_is_a_target_of_push),
		cmocka_unit_test(test_fleet_url__refuses_without_a_password),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
