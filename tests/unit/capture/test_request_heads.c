/* SPDX-License-Identifier: Apache-2.0 */
/* What requests of HTTP/1 begin with: names, trace ids, and heads that are cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "capture/request/request_heads.h"

#define TRACE "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00-" TRACE "-00f067aa0ba902b7-01"

static void test_names_are_folded(void **state)
{
	static const struct {
		const char *line;
		const char *name;
	} cases[] = {
		{ "GET / HTTP/1.1\r\n", "GET /" },
		{ "GET /users/17 HTTP/1.1\r\n", "GET /users/{}" },
		{ "GET /users/17?q=/a/b HTTP/1.1\r\n", "GET /users/{}" },
		{ "POST /v2/orders/ HTTP/1.0\r\n", "POST /v2/orders/" },
		{ "GET /o/2026-11-28/x HTTP/1.1\r\n", "GET /o/{}/x" },
		{ "GET /o/550e8400-e29b-41d4-a716-446655440000 HTTP/1.1\r\n", "GET /o/{}" },
		{ "GET /c/deadbeef1 HTTP/1.1\r\n", "GET /c/{}" },
		{ "GET /facade HTTP/1.1\r\n", "GET /facade" },
		{ "GET /a%20b HTTP/1.1\r\n", "GET /{}" },
		{ "GET /s/order-number-2026-of-shop HTTP/1.1\r\n", "GET /s/{}" },
		{ "GET /a/b/c/d/e/f/g/h HTTP/1.1\r\n", "GET /a/b/c/d/e/f/..." },
		{ "OPTIONS * HTTP/1.1\r\n", "OPTIONS ..." },
		{ "GET http://other/ HTTP/1.1\r\n", "GET ..." },
		{ "DELETE /it\r\n", "DELETE /it" },
		{ "PROPFIND /dav/7 HTTP/1.1\r\n", "PROPFIND /dav/{}" },
		{ "PURGE /img/a HTTP/1.1\r\n", "PURGE /img/a" },
		{ "ET /its/first/byte/was/read HTTP/1.1\r\n", "GET /its/first/byte/was/read" },
		{ "UT * HTTP/1.1\r\n", "PUT ..." },
	};
	struct http_head h;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_true(http_head_parse(&h, view__of_str(cases[i].line)));
		assert_string_equal(h.name, cases[i].name);
		assert_true(h.is_cut);
		assert_string_equal(h.trace, "");
	}
}

/* A name whose end is not there may be any. */
static void test_a_path_that_is_cut(void **state)
{
	struct http_head h;

	(void)state;
	assert_true(http_head_parse(&h, view__of_str("GET /users/alice")));
	assert_string_equal(h.name, "GET /users/...");
}

static void test_what_is_no_request(void **state)
{
	static const char *const cases[] = { "",	   "GET",
					     "GET ",	   "get / HTTP/1.1\r\n",
					     "GETS / x",   "HTTP/1.1 200",
					     "PRI",	   "\x16\x03\x01",
					     "ET / x\r\n", "T / HTTP/1.1\r\n" };
	struct http_head h;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_false(http_head_parse(&h, view__of_str(cases[i])));
}

static void test_traces_are_found(void **state)
{
	static const struct {
		const char *headers;
		const char *trace;
		bool is_cut;
	} cases[] = {
		{ "\r\n", "", false },
		{ "Host: a\r\ntraceparent: " PARENT "\r\n\r\n", TRACE, true },
		{ "TraceParent:" PARENT " \r\nHost: a\r\n\r\n", TRACE, true },
		{ "x-traceparent: " PARENT "\r\n\r\n", "", false },
		{ "traceparent: " PARENT "\n\n", TRACE, true },
		{ "traceparent: ff"
		  "-" TRACE "-00f067aa0ba902b7-01\r\n\r\n",
		  "", false },
		{ "traceparent: 00-00000000000000000000000000000000-00f067aa0ba902b7-01\r\n\r\n",
		  "", false },
		{ "traceparent: 00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01\r\n\r\n",
		  "", false },
		{ "traceparent: 00-" TRACE "\r\n\r\n", "", false },
		{ "traceparent: " PARENT "a\r\n\r\n", "", false },
		{ "traceparent: " PARENT "-more\r\n\r\n", TRACE, true },
		/* in the body */
		{ "\r\ntraceparent: " PARENT "\r\n\r\n", "", false },
		/* the line has no end */
		{ "Host: a\r\ntraceparent: " PARENT, "", true },
	};
	struct http_head h;
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(text, sizeof(text), "GET / HTTP/1.1\r\n%s", cases[i].headers);
		assert_true(http_head_parse(&h, view__of_str(text)));
		assert_string_equal(h.trace, cases[i].trace);
		assert_int_equal(h.is_cut, cases[i].is_cut);
	}
}

static void see(struct request_heads *heads, const char *text, struct request_head *ret)
{
	struct cs_head head = { .len = (u32)strlen(text) };

	memcpy(head.bytes, text, strlen(text));
	assert_int_equal(request_heads__see(heads, &head, ret), 0);
}

/* The names of a program with a path for each user are few, and say so. */
static void test_names_are_limited(void **state)
{
	struct request_heads heads;
	struct request_head ret;
	char text[64];

	(void)state;
	assert_int_equal(request_heads__init(&heads), 0);
	for (u32 i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "GET /u%c%c%c HTTP/1.1\r\n\r\n", 'a' + i / 100,
			 'a' + i / 10 % 10, 'a' + i % 10);
		see(&heads, text, &ret);
		assert_false(ret.is_cut);
		assert_string_equal(strtab__get(&heads.names, ret.name),
				    i < REQUEST_HEADS_MAX ? (text[strlen(text) - 13] = '\0', text) :
							    REQUEST_HEADS_OTHER);
	}
	see(&heads, "GET /uaaa HTTP/1.1\r\n\r\n", &ret);
	assert_string_equal(strtab__get(&heads.names, ret.name), "GET /uaaa");
	see(&heads, "\x16\x03\x01", &ret);
	assert_int_equal(ret.name, 0);
	see(&heads, "GET /uaaa HTTP/1.1\r\nHost:", &ret);
	assert_true(ret.is_cut);
	request_heads__done(&heads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_folded),
		cmocka_unit_test(test_a_path_that_is_cut),
		cmocka_unit_test(test_what_is_no_request),
		cmocka_unit_test(test_traces_are_found),
		cmocka_unit_test(test_names_are_limited),
	};

	return cmocka_run_group_tests_name("request_heads", tests, NULL, NULL);
}
