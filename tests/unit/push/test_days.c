/* SPDX-License-Identifier: Apache-2.0 */
/* When a day is over, and the keys of S3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "push/day_over.h"
#include "push/s3_keys.h"
#include "push/target.h"

#define DAY 20000
#define MINUTE_NS (60 * NSEC_PER_SEC)

static bool is_over(u32 newest, u64 after_ns, u64 delay_ns)
{
	const struct store_day file = { DAY, 1 }, other = { newest, 1 };

	return push_day_is_over(&file, &other, store_day_begin_ns(DAY + 1) + after_ns, delay_ns);
}

static void test_push_day_is_over_when_no_window_can_come(void **state)
{
	const struct store_day file = { DAY, 1 }, later = { DAY + 2, 1 };

	(void)state;
	/* its last window may be an hour long, and be written some time later */
	assert_false(is_over(DAY, 60 * MINUTE_NS, 0));
	assert_true(is_over(DAY, 65 * MINUTE_NS, 0));
	/* another day has begun */
	assert_true(is_over(DAY + 1, 0, 0));
	assert_false(push_day_is_over(&file, &later, store_day_begin_ns(DAY + 1) - 1, 0));
	/* hosts of a fleet do not come together */
	assert_false(is_over(DAY + 1, 10 * MINUTE_NS - 1, 10 * MINUTE_NS));
	assert_true(is_over(DAY + 1, 10 * MINUTE_NS, 10 * MINUTE_NS));
	assert_false(is_over(DAY, 64 * MINUTE_NS, 10 * MINUTE_NS));
}

static void test_s3_keys__parse_takes_the_default_section(void **state)
{
	struct s3_keys keys;

	(void)state;
	assert_true(s3_keys__parse(&keys, view__of_str("aws_access_key_id=A\r\n"
						       "  aws_secret_access_key =  b/c+d=\t\n"
						       "; aws_session_token = x\nregion = y\n")));
	assert_string_equal(keys.key_id, "A");
	assert_string_equal(keys.secret, "b/c+d=");
	assert_string_equal(keys.token, "");
	assert_true(s3_keys__parse(&keys, view__of_str("[work]\naws_access_key_id = A\n[default]\n"
						       "aws_access_key_id = B\n[x]\n"
						       "aws_access_key_id = C")));
	assert_string_equal(keys.key_id, "B");
	assert_false(s3_keys__parse(&keys, view__of_str("aws_secret_access_key = a b")));
	assert_false(s3_keys__parse(&keys, view__of_str("aws_session_token = a\rb")));
}

static void test_s3_keys__find_prefers_the_url(void **state)
{
	struct push_url url;
	struct s3_keys keys;
	struct err err = { 0 };

	(void)state;
	setenv("AWS_ACCESS_KEY_ID", "E", 1);
	setenv("AWS_SECRET_ACCESS_KEY", "s", 1);
	setenv("AWS_SESSION_TOKEN", "t", 1);
	assert_int_equal(push_url__parse(&url, "s3+https://A:b%2f@h/bucket", &err), 0);
	assert_int_equal(s3_keys__find(&keys, &url, &err), 0);
	assert_string_equal(keys.key_id, "A");
	assert_string_equal(keys.secret, "b/");
	assert_string_equal(keys.token, "");
	assert_int_equal(push_url__parse(&url, "s3+https://h/bucket", &err), 0);
	assert_int_equal(s3_keys__find(&keys, &url, &err), 0);
	assert_string_equal(keys.key_id, "E");
	assert_string_equal(keys.token, "t");
	unsetenv("AWS_SECRET_ACCESS_KEY");
	assert_int_not_equal(s3_keys__find(&keys, &url, &err), 0);
	assert_non_null(strstr(err.msg, "AWS_SECRET_ACCESS_KEY"));
}

static void test_push_url__of_directories(void **state)
{
	struct push_url u, v;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(push_url__parse(&u, "dir:/srv/a b@c#d?e//", &err), 0);
	assert_ptr_equal(u.target, &push_dir);
	assert_string_equal(u.base, "/srv/a b@c#d?e");
	assert_string_equal(u.name, "dir:/srv/a b@c#d?e");
	assert_int_equal(push_url__parse(&v, "file:///srv/a%20b%40c%23d%3fe", &err), 0);
	assert_true(push_url__is_same(&u, &v));
	assert_int_equal(push_url__parse(&u, "dir:/", &err), 0);
	assert_string_equal(u.base, "/");
	assert_int_not_equal(push_url__parse(&u, "dir:/a\nb", &err), 0);
	assert_int_not_equal(push_url__parse(&u, "file:///a%0ab", &err), 0);
	assert_int_not_equal(push_url__parse(&u, "dir:a", &err), 0);
	/* parameters of s3 are the server's elsewhere */
	assert_int_equal(push_url__parse(&u, "otlp+http://h?region=x", &err), 0);
	assert_string_equal(u.query, "region=x");
	assert_int_equal(push_url__parse(&u, "s3+https://h/b/p?region=x", &err), 0);
	assert_string_equal(u.query, "");
	assert_string_equal(u.region, "x");
	assert_string_equal(u.name, "s3+https://h/b/p");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_push_day_is_over_when_no_window_can_come),
		cmocka_unit_test(test_s3_keys__parse_takes_the_default_section),
		cmocka_unit_test(test_s3_keys__find_prefers_the_url),
		cmocka_unit_test(test_push_url__of_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
