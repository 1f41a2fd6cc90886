/* SPDX-License-Identifier: Apache-2.0 */
/* Which marks are one request: of calls in a thread, and of reads and writes on a connection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/request/mark_pair.h"

static enum mark_step call(struct mark_pair *p, enum mark_kind kind, u64 at_ns)
{
	return mark_pair__take(p, kind, false, at_ns);
}

static enum mark_step bytes(struct mark_pair *p, enum mark_kind kind, u64 at_ns)
{
	return mark_pair__take(p, kind, true, at_ns);
}

static void test_the_outermost_call_is_the_request(void **state)
{
	struct mark_pair p = { 0 };

	(void)state;
	assert_int_equal(call(&p, MARK_END, 5), MARK_STRAY);
	assert_int_equal(call(&p, MARK_BEGIN, 10), MARK_BEGAN);
	assert_int_equal(call(&p, MARK_BEGIN, 20), MARK_INSIDE);
	assert_int_equal(call(&p, MARK_END, 30), MARK_INSIDE);
	assert_int_equal(p.begin_ns, 10);
	assert_int_equal(call(&p, MARK_END, 40), MARK_ENDED);
	assert_int_equal(p.depth, 0);
	assert_int_equal(call(&p, MARK_BEGIN, 50), MARK_BEGAN);
	assert_int_equal(p.begin_ns, 50);
}

static void test_a_probe_that_begins_anew_forgets_what_was_open(void **state)
{
	struct mark_pair p = { 0 };

	(void)state;
	assert_int_equal(call(&p, MARK_BEGIN_ANEW, 10), MARK_BEGAN);
	assert_int_equal(call(&p, MARK_BEGIN_ANEW, 20), MARK_BEGAN);
	assert_int_equal(p.begin_ns, 20);
	assert_int_equal(call(&p, MARK_END, 30), MARK_ENDED);
}

static void test_the_first_read_begins_and_the_last_write_answers(void **state)
{
	struct mark_pair p = { 0 };

	(void)state;
	assert_int_equal(bytes(&p, MARK_END, 5), MARK_STRAY);
	assert_int_equal(bytes(&p, MARK_BEGIN, 10), MARK_BEGAN);
	assert_int_equal(bytes(&p, MARK_BEGIN, 20), MARK_INSIDE);
	assert_int_equal(p.begin_ns, 10);
	assert_int_equal(bytes(&p, MARK_END, 30), MARK_WROTE);
	assert_int_equal(bytes(&p, MARK_END, 40), MARK_WROTE);
	assert_int_equal(p.answered_ns, 40);
	assert_int_equal(bytes(&p, MARK_BEGIN, 50), MARK_BEGAN);
	assert_int_equal(p.begin_ns, 50);
	assert_int_equal(p.answered_ns, 0);
}

static void test_a_further_read_may_tell_the_class(void **state)
{
	(void)state;
	assert_true(mark_class_tells_more(":80", ":80 GET /"));
	assert_false(mark_class_tells_more(":80", ":80"));
	assert_false(mark_class_tells_more(":80", ":8080 GET /"));
	assert_false(mark_class_tells_more(":80 GET /", ":80 GET / GET /"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_outermost_call_is_the_request),
		cmocka_unit_test(test_a_probe_that_begins_anew_forgets_what_was_open),
		cmocka_unit_test(test_the_first_read_begins_and_the_last_write_answers),
		cmocka_unit_test(test_a_further_read_may_tell_the_class),
	};

	return cmocka_run_group_tests_name("profile/request/mark_pair", tests, NULL, NULL);
}
