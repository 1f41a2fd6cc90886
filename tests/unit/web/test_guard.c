/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "web/http/connections.h"
#include "web/http/guard.h"
#include "web/http/listener.h"

static struct guard guard;

static int begin(void **state)
{
	(void)state;
	return guard__init(&guard, 8080, "db1", NULL) || guard__add_host(&guard, "db1");
}

static int end(void **state)
{
	(void)state;
	guard__done(&guard);
	return 0;
}

static void test_guard__secrets_are_long_and_differ(void **state)
{
	struct guard other;

	(void)state;
	assert_int_equal(guard__init(&other, 8080, "db=; 2", NULL), 0);
	assert_int_equal(strlen(guard.token), GUARD_SECRET_CHARS);
	assert_int_equal(strlen(guard.session), GUARD_SECRET_CHARS);
	assert_string_not_equal(guard.token, guard.session);
	assert_string_not_equal(guard.token, other.token);
	assert_string_equal(guard.cookie, "coldspot-8080-db1");
	assert_string_equal(other.cookie, "coldspot-8080-db2");
	guard__done(&other);
}

static enum guard_verdict judge(struct guard_view v)
{
	if (!v.host)
		v.host = "localhost:8080";
	return guard__judge(&guard, &v);
}

static void test_guard__token_opens(void **state)
{
	char bearer[64], cookie[80];

	(void)state;
	snprintf(bearer, sizeof(bearer), "bearer  %s", guard.token);
	snprintf(cookie, sizeof(cookie), "coldspot-8080-db1=%s", guard.session);
	assert_int_equal(judge((struct guard_view){ .token = guard.token, .is_page = true }),
			 GUARD_NEW);
	assert_int_equal(judge((struct guard_view){ .token = guard.token }), GUARD_WELCOME);
	assert_int_equal(judge((struct guard_view){ .authorization = bearer }), GUARD_WELCOME);
	assert_int_equal(judge((struct guard_view){ .cookie = cookie }), GUARD_WELCOME);
	assert_int_equal(judge((struct guard_view){
				 .cookie = cookie, .token = guard.token, .is_page = true }),
			 GUARD_NEW);
	assert_int_equal(judge((struct guard_view){ 0 }), GUARD_NO_TOKEN);
	assert_int_equal(judge((struct guard_view){ .is_open = true }), GUARD_WELCOME);
	assert_int_equal(judge((struct guard_view){ .token = "" }), GUARD_WRONG_TOKEN);
	bearer[strlen(bearer) - 1] ^= 1;
	cookie[strlen(cookie) - 1] ^= 1;
	assert_int_equal(judge((struct guard_view){ .authorization = bearer }), GUARD_WRONG_TOKEN);
	assert_int_equal(judge((struct guard_view){ .cookie = cookie }), GUARD_NO_TOKEN);
}

static void test_guard__password_replaces_the_token(void **state)
{
	char bearer[64];

	(void)state;
	strncat(guard.password, "secret:1", sizeof(guard.password) - 1);
	snprintf(bearer, sizeof(bearer), "Bearer %s", guard.token);
	assert_int_equal(judge((struct guard_view){ .authorization = bearer }), GUARD_NO_TOKEN);
	assert_int_equal(judge((struct guard_view){ .token = guard.token, .is_page = true }),
			 GUARD_NO_TOKEN);
	/* me:secret:1 */
	assert_int_equal(judge((struct guard_view){ .authorization = "Basic bWU6c2VjcmV0OjE=" }),
			 GUARD_WELCOME);
	/* me:secret */
	assert_int_equal(judge((struct guard_view){ .authorization = "Basic bWU6c2VjcmV0" }),
			 GUARD_WRONG_TOKEN);
	/* secret:1, which has the user "secret" */
	assert_int_equal(judge((struct guard_view){ .authorization = "Basic c2VjcmV0OjE=" }),
			 GUARD_WRONG_TOKEN);
}

static void test_guard__host_is_ours(void **state)
{
	static const char *const good[] = { "localhost",  "LocalHost:1", "127.0.0.1", "10.1.2.3:80",
					    "[::1]:8080", "[fe80::1]",	 "db1",	      "DB1:443" };
	static const char *const bad[] = { "",	    "evil.example", "localhost.", "db1.evil:80",
					   "1.2.3", "[::1",	    "[::1]x",	  "db1:8o",
					   ":80",   "localhost:1:2" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(good); i++)
		assert_int_equal(judge((struct guard_view){ .host = good[i] }), GUARD_NO_TOKEN);
	for (i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(judge((struct guard_view){ .host = bad[i], .is_open = true }),
				 GUARD_WRONG_HOST);
	assert_int_equal(guard__judge(&guard, &(struct guard_view){ .is_open = true }),
			 GUARD_WRONG_HOST);
}

static void test_guard__origin_is_ours(void **state)
{
	struct guard_view v = { .host = "db1:8080", .is_open = true };

	(void)state;
	v.origin = "http://db1:8080";
	assert_int_equal(judge(v), GUARD_WELCOME);
	v.origin = "https://DB1:8080";
	assert_int_equal(judge(v), GUARD_WELCOME);
	v.origin = "http://db1:8081";
	assert_int_equal(judge(v), GUARD_WRONG_ORIGIN);
	v.origin = "null";
	assert_int_equal(judge(v), GUARD_WRONG_ORIGIN);
	v.origin = NULL;
	v.fetch_site = "same-site";
	assert_int_equal(judge(v), GUARD_WRONG_ORIGIN);
	v.is_page = true;
	assert_int_equal(judge(v), GUARD_WELCOME);
}

static void parses(const char *where, const char *host, u16 port)
{
	char got[64];
	u16 got_port;

	assert_int_equal(listen_parse(where, got, sizeof(got), &got_port, NULL), 0);
	assert_string_equal(got, host);
	assert_int_equal(got_port, port);
}

static void test_listen_parse(void **state)
{
	static const char *const bad[] = { "",	  ":80",     "[::1",   "[]:1", "a:",
					   "a:x", "a:65536", "[::1]8", "a:-1" };
	struct err err = { 0 };
	char host[64];
	u16 port;

	(void)state;
	parses("127.0.0.1:80", "127.0.0.1", 80);
	parses("localhost", "localhost", 0);
	parses("[::1]:65535", "::1", 65535);
	parses("[::]", "::", 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(listen_parse(bad[i], host, sizeof(host), &port, &err), -EINVAL);
}

static void test_connections__are_few_and_end(void **state)
{
	const struct sockaddr_in one = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(1) };
	const struct sockaddr_in two = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(2) };
	const struct sockaddr *from_one = (const void *)&one, *from_two = (const void *)&two;
	struct connection *conn[CONNECTIONS_MAX_OF_ONE];
	struct connections c;
	u32 i;

	(void)state;
	connections__init(&c);
	for (i = 0; i < CONNECTIONS_MAX_OF_ONE; i++) {
		conn[i] = connections__add(&c, 1000000, from_one);
		assert_non_null(conn[i]);
	}
	assert_false(connections__has_room(&c, from_one));
	assert_null(connections__add(&c, 1000000, from_one));
	assert_true(connections__has_room(&c, from_two));
	assert_true(connections__set(&c, conn[0], PHASE_STREAM));
	assert_true(connections__set(&c, conn[1], PHASE_NEXT));
	assert_int_equal(connections__end_late(&c, 0), 0);
	/* all but the stream; one was idle */
	assert_int_equal(connections__end_late(&c, ~0ULL - 1), CONNECTIONS_MAX_OF_ONE - 2);
	assert_int_equal(connections__end_late(&c, ~0ULL - 1), 0);
	assert_false(connections__set(&c, conn[2], PHASE_ANSWER));
	assert_false(connections__remove(&c, conn[0]));
	assert_false(connections__remove(&c, conn[3]));
	conn[0] = connections__add(&c, 1000000, from_one);
	assert_true(connections__remove(&c, conn[0]));
	connections__done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_guard__secrets_are_long_and_differ, begin,
						end),
		cmocka_unit_test_setup_teardown(test_guard__token_opens, begin, end),
		cmocka_unit_test_setup_teardown(test_guard__password_replaces_the_token, begin,
						end),
		cmocka_unit_test_setup_teardown(test_guard__host_is_ours, begin, end),
		cmocka_unit_test_setup_teardown(test_guard__origin_is_ours, begin, end),
		cmocka_unit_test(test_listen_parse),
		cmocka_unit_test(test_connections__are_few_and_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
