/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <cmocka.h>

#include "analysis/cause/syscall_name.h"

static void test_syscall_name__knows_this_machine(void **state)
{
	(void)state;
	assert_string_equal(syscall_name(NULL, SYS_futex), "futex");
	assert_string_equal(syscall_name("", SYS_read), "read");
	assert_string_equal(syscall_name(syscall_arch(), SYS_epoll_pwait), "epoll_pwait");
	assert_string_equal(syscall_name(NULL, SYS_exit_group), "exit_group");
}

static void test_syscall_name__knows_calls_that_are_newer_than_the_headers(void **state)
{
	(void)state;
	assert_string_equal(syscall_name(NULL, 454), "futex_wake");
	assert_string_equal(syscall_name(NULL, 462), "mseal");
}

static void test_syscall_name__is_null_for_no_call(void **state)
{
	(void)state;
	assert_null(syscall_name(NULL, -1));
	assert_null(syscall_name(NULL, 5000));
	assert_null(syscall_name(NULL, INT32_MIN));
}

static void test_syscall_name__is_null_for_another_machine(void **state)
{
	(void)state;
	assert_null(syscall_name("mips", 0));
}

static void test_syscall_number__finds_the_way_back(void **state)
{
	s32 i, known = 0;

	(void)state;
	for (i = 0; i < 600; i++) {
		const char *name = syscall_name(NULL, i);

		if (!name)
			continue;
		known++;
		assert_int_equal(syscall_number(name), i);
	}
	assert_true(known > 300);
	assert_int_equal(syscall_number("no_such_call"), -1);
}

static void test_syscall_arch__is_what_uname_says(void **state)
{
	struct utsname u;

	(void)state;
	assert_int_equal(uname(&u), 0);
	assert_string_equal(syscall_arch(), u.machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_syscall_name__knows_this_machine),
		cmocka_unit_test(test_syscall_name__knows_calls_that_are_newer_than_the_headers),
		cmocka_unit_test(test_syscall_name__is_null_for_no_call),
		cmocka_unit_test(test_syscall_name__is_null_for_another_machine),
		cmocka_unit_test(test_syscall_number__finds_the_way_back),
		cmocka_unit_test(test_syscall_arch__is_what_uname_says),
	};

	return cmocka_run_group_tests_name("syscall_name", tests, NULL, NULL);
}
