/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/workdir.h"
#include "push/cursor.h"
#include "push/sent_stacks.h"

static void test_push_cursor__is_what_was_written(void **state)
{
	const struct push_place place = { { { 20782, 3 }, 1439 }, 1795478400000000007 };
	struct push_cursor c;
	struct workdir dir;

	(void)state;
	workdir__init(&dir);
	assert_int_equal(push_cursor__init(&c, workdir__path(&dir, "."), "", "otlp+http://a/",
					   NULL),
			 0);
	assert_true(c.is_new);
	assert_int_equal(push_cursor__write(&c, &c.place, NULL), 0);
	assert_false(c.is_new);
	assert_int_equal(push_cursor__write(&c, &place, NULL), 0);
	push_cursor__done(&c);
	assert_int_equal(push_cursor__init(&c, workdir__path(&dir, "."), "", "otlp+http://a/",
					   NULL),
			 0);
	assert_false(c.is_new);
	assert_int_equal(store_cursor_compare(&c.place.at, &place.at), 0);
	assert_int_equal(c.place.begin_wall_ns, place.begin_wall_ns);
	push_cursor__done(&c);
	/* of another store */
	assert_int_equal(push_cursor__init(&c, workdir__path(&dir, "."), "/srv/b", "otlp+http://a/",
					   NULL),
			 0);
	assert_true(c.is_new);
	push_cursor__done(&c);
	/* of another target */
	assert_int_equal(push_cursor__init(&c, workdir__path(&dir, "."), "", "otlp+http://b/",
					   NULL),
			 0);
	assert_true(c.is_new);
	push_cursor__done(&c);
	workdir__done(&dir);
}

static void test_push_cursor__has_one_user(void **state)
{
	struct push_cursor a, b;
	struct err err = { 0 };
	struct workdir dir;

	(void)state;
	workdir__init(&dir);
	assert_int_equal(push_cursor__init(&a, workdir__path(&dir, "."), "", "t", NULL), 0);
	assert_int_equal(push_cursor__init(&b, workdir__path(&dir, "."), "", "t", &err), -EBUSY);
	push_cursor__done(&b);
	push_cursor__done(&a);
	assert_int_equal(push_cursor__init(&b, workdir__path(&dir, "."), "", "t", NULL), 0);
	push_cursor__done(&b);
	workdir__done(&dir);
}

static bool parses(const char *text)
{
	struct push_place place;

	return push_cursor_parse(view__of_str(text), &place);
}

static void test_push_cursor__refuses_what_it_did_not_write(void **state)
{
	(void)state;
	assert_true(parses("coldspot push 1\nt\n2026-11-25.2.coldspot 7\n"));
	assert_true(parses("coldspot push 1\nt\n2026-11-25.2.coldspot 7\nbegin 1795478400\n"));
	assert_true(parses("coldspot push 1\nt\n- 0\n"));
	assert_false(parses("coldspot push 1\nt\n2026-11-25.2.coldspot 7\nbegin x\n"));
	assert_false(parses("coldspot push 1\nt\n2026-11-25.2.coldspot 7\nend 1795478400\n"));
	assert_false(parses(""));
	assert_false(parses("coldspot push 2\nt\n2026-11-25.coldspot 7\n"));
	assert_false(parses("coldspot push 1\nt\n"));
	assert_false(parses("coldspot push 1\nt\n2026-11-25.coldspot\n"));
	assert_false(parses("coldspot push 1\nt\n2026-11-25.coldspot 7 8\n"));
	assert_false(parses("coldspot push 1\nt\n2026-11-25.coldspot 4294967296\n"));
	assert_false(parses("coldspot push 1\nt\n../x 7\n"));
	assert_false(parses("coldspot push 1\nt\n- 7\n"));
}

static void test_sent_stacks__are_sent_until_they_are_taken(void **state)
{
	struct sent_stacks s;

	(void)state;
	sent_stacks__init(&s);
	sent_stacks__begin(&s, 1);
	assert_int_equal(sent_stacks__add(&s, 0), 1);
	assert_int_equal(sent_stacks__add(&s, 7), 1);
	assert_int_equal(sent_stacks__add(&s, 7), 0);
	/* the window was not taken */
	sent_stacks__begin(&s, 1);
	assert_int_equal(sent_stacks__add(&s, 7), 1);
	sent_stacks__taken(&s);
	sent_stacks__begin(&s, 1);
	assert_int_equal(sent_stacks__add(&s, 7), 0);
	assert_int_equal(sent_stacks__add(&s, 0), 1);
	/* the next day */
	sent_stacks__begin(&s, 2);
	assert_int_equal(sent_stacks__add(&s, 7), 1);
	sent_stacks__done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_push_cursor__is_what_was_written),
		cmocka_unit_test(test_push_cursor__has_one_user),
		cmocka_unit_test(test_push_cursor__refuses_what_it_did_not_write),
		cmocka_unit_test(test_sent_stacks__are_sent_until_they_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
