/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proc/mountinfo.h"

static const char text[] =
	"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	"too short\n"
	"27 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,errors=continue\n"
	"28 27 0:38 / /mnt\\040a rw - btrfs /dev/mapper/a\\040b rw,subvol=/\n"
	"29 27 0:38 /x /again rw - btrfs /dev/other rw\n"
	"30 27 0:41 / /o rw - overlay overlay rw,lowerdir=/l:/m,upperdir=/u\\134:1,workdir=/w";

static void assert_view(struct view v, const char *expected)
{
	if (!view__eq(&v, expected))
		fail_msg("'%.*s', not '%s'", (int)view__left(&v), v.p, expected);
}

static bool find(u32 major, u32 minor, struct mount_line *ret)
{
	return mountinfo__find(view__of_str(text), major, minor, ret);
}

static void test_find__takes_the_first_of_a_device(void **state)
{
	struct mount_line line;

	(void)state;
	assert_true(find(254, 0, &line));
	assert_view(line.fs, "ext4");
	assert_view(line.source, "/dev/vda");
	assert_view(line.options, "rw,errors=continue");
	assert_true(find(0, 38, &line));
	assert_view(line.source, "/dev/mapper/a\\040b");
	assert_false(find(0, 254, &line));
	assert_false(find(254, 1, &line));
}

static void test_find__reads_nothing_into_a_line_that_is_cut(void **state)
{
	const size_t len = sizeof("22 27 0:21 / /proc rw,relatime - proc proc");
	struct mount_line line;
	size_t i;

	(void)state;
	for (i = 0; i < len; i++)
		assert_false(mountinfo__find(view__of(text, i), 0, 21, &line));
	assert_true(mountinfo__find(view__of(text, len + 2), 0, 21, &line));
}

static void test_unescape__puts_back_what_was_there(void **state)
{
	char buf[8];

	(void)state;
	assert_true(mountinfo__unescape(view__of_str("a\\040b\\134"), buf, sizeof(buf)));
	assert_string_equal(buf, "a b\\");
	assert_true(mountinfo__unescape(view__of_str("\\04\\9"), buf, sizeof(buf)));
	assert_string_equal(buf, "\\04\\9");
	assert_true(mountinfo__unescape(view__of_str("1234567"), buf, sizeof(buf)));
	assert_false(mountinfo__unescape(view__of_str("12345678"), buf, sizeof(buf)));
}

static void test_option__is_found_by_its_whole_name(void **state)
{
	struct mount_line line;
	struct view value;
	char buf[16];

	(void)state;
	assert_true(find(0, 41, &line));
	assert_true(mountinfo__option(line.options, "upperdir", &value));
	assert_true(mountinfo__unescape(value, buf, sizeof(buf)));
	assert_string_equal(buf, "/u\\:1");
	assert_true(mountinfo__option(line.options, "workdir", &value));
	assert_view(value, "/w");
	assert_false(mountinfo__option(line.options, "upper", &value));
	assert_false(mountinfo__option(line.options, "rw", &value));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find__takes_the_first_of_a_device),
		cmocka_unit_test(test_find__reads_nothing_into_a_line_that_is_cut),
		cmocka_unit_test(test_unescape__puts_back_what_was_there),
		cmocka_unit_test(test_option__is_found_by_its_whole_name),
	};

	return cmocka_run_group_tests_name("mountinfo", tests, NULL, NULL);
}
