/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/err.h"

static void test_err__set_stores_code_and_sentence(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(err__set(&err, -ENOENT, "no BTF at '%s'", "/x"), -ENOENT);
	assert_int_equal(err.code, -ENOENT);
	assert_string_equal(err.msg, "no BTF at '/x'");
}

static void test_err__set_without_err_returns_code(void **state)
{
	(void)state;
	assert_int_equal(err__set(NULL, -EPERM, "x"), -EPERM);
	assert_int_equal(err__wrap(NULL, -EPERM, "x"), -EPERM);
	assert_int_equal(err__nomem(NULL), -ENOMEM);
}

static void test_err__set_takes_its_own_message_as_argument(void **state)
{
	struct err err = { 0 };

	(void)state;
	err__set(&err, -EIO, "inner");
	err__set(&err, -EIO, "<%s>", err.msg);
	assert_string_equal(err.msg, "<inner>");
}

static void test_err__set_marks_a_message_that_is_cut(void **state)
{
	struct err err = { 0 };
	char text[1000], fits[sizeof(err.msg)];

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	err__set(&err, -EIO, "%s", text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_string_equal(err.msg + strlen(err.msg) - 4, "a...");
	text[sizeof(err.msg)] = '\0';
	err__set(&err, -EIO, "%s", text);
	assert_string_equal(err.msg + strlen(err.msg) - 4, "a...");
	/* the longest that fits is whole */
	memset(fits, 'b', sizeof(fits));
	fits[sizeof(fits) - 1] = '\0';
	err__set(&err, -EIO, "%s", fits);
	assert_string_equal(err.msg, fits);
}

/* A wide character that the C locale has no bytes for: vsnprintf() fails. */
static void test_err__set_of_what_cannot_be_printed_is_no_garbage(void **state)
{
	struct err err = { 0 };

	(void)state;
	err__set(&err, -EIO, "abc");
	assert_int_equal(err__set(&err, -ENOENT, "x%ls", L"\x20ac"), -ENOENT);
	assert_int_equal(err.code, -ENOENT);
	assert_string_equal(err.msg, "");
	err__set(&err, -EIO, "abc");
	err__wrap(&err, -EIO, "x%ls", L"\x20ac");
	assert_string_equal(err.msg, ": abc");
}

static void test_err__wrap_puts_context_before(void **state)
{
	struct err err = { 0 };

	(void)state;
	err__set(&err, -ENOENT, "no BTF at '%s'", "/x");
	assert_int_equal(err__wrap(&err, -EINVAL, "cannot start %s", "capture"), -EINVAL);
	assert_string_equal(err.msg, "cannot start capture: no BTF at '/x'");
	assert_int_equal(err.code, -ENOENT);
}

static void test_err__wrap_of_no_message_says_the_errno(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(err__wrap(&err, -ENOENT, "cannot start"), -ENOENT);
	assert_string_equal(err.msg, "cannot start: No such file or directory");
	assert_int_equal(err.code, -ENOENT);
}

static void test_err__wrap_marks_a_message_that_is_cut(void **state)
{
	struct err err = { 0 };
	int i;

	(void)state;
	err__set(&err, -EIO, "end");
	for (i = 0; i < 100; i++)
		err__wrap(&err, -EIO, "context %d", i);
	assert_memory_equal(err.msg, "context 99: context 98: ", 24);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_string_equal(err.msg + strlen(err.msg) - 3, "...");
}

static void test_err__nomem_has_a_sentence(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(err__nomem(&err), -ENOMEM);
	assert_int_equal(err.code, -ENOMEM);
	assert_string_equal(err.msg, "out of memory");
}

static void test_err_str_knows_both_signs_and_never_null(void **state)
{
	(void)state;
	assert_string_equal(err_str(ENOENT), "No such file or directory");
	assert_string_equal(err_str(-ENOENT), "No such file or directory");
	assert_non_null(err_str(123456));
	assert_non_null(err_str(INT32_MIN));
	assert_non_null(err_str(INT32_MAX));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_err__set_stores_code_and_sentence),
		cmocka_unit_test(test_err__set_without_err_returns_code),
		cmocka_unit_test(test_err__set_takes_its_own_message_as_argument),
		cmocka_unit_test(test_err__set_marks_a_message_that_is_cut),
		cmocka_unit_test(test_err__set_of_what_cannot_be_printed_is_no_garbage),
		cmocka_unit_test(test_err__wrap_puts_context_before),
		cmocka_unit_test(test_err__wrap_of_no_message_says_the_errno),
		cmocka_unit_test(test_err__wrap_marks_a_message_that_is_cut),
		cmocka_unit_test(test_err__nomem_has_a_sentence),
		cmocka_unit_test(test_err_str_knows_both_signs_and_never_null),
	};

	return cmocka_run_group_tests_name("base/err", tests, NULL, NULL);
}
