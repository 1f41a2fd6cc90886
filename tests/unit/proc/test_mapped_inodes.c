/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "proc/mapped_inodes.h"

static void test_mapped_inodes__read_has_own_program_and_no_data(void **state)
{
	struct mapped_inodes m;
	struct stat program, data;

	(void)state;
	assert_int_equal(stat("/proc/self/exe", &program), 0);
	assert_int_equal(stat("/etc/passwd", &data), 0);
	assert_int_equal(mapped_inodes__read(&m), 0);
	assert_true(mapped_inodes__has(&m, program.st_ino));
	assert_false(mapped_inodes__has(&m, data.st_ino));
	assert_false(mapped_inodes__has(&m, 0));
	mapped_inodes__done(&m);
	assert_false(mapped_inodes__has(&m, program.st_ino));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mapped_inodes__read_has_own_program_and_no_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
