/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/socket.h>

#include "capture/object/object_names.h"

static void assert_path(const char *bytes, u32 len, const char *expected)
{
	struct cs_object o = { .path_len = len };
	char buf[OBJECT_NAME_SZ];

	memcpy(o.path, bytes, len < sizeof(o.path) ? len : sizeof(o.path));
	assert_string_equal(object_name_path(&o, buf), expected);
}

static void test_path__is_turned_round(void **state)
{
	(void)state;
	assert_path("wal\0db\0var\0", 11, "/var/db/wal");
	assert_path("x\0", 2, "/x");
	assert_path("", 0, "");
	assert_path("\0\0", 2, "//");
}

static void test_path__that_was_cut_says_so(void **state)
{
	struct cs_object o = { .path_len = CS_OBJECT_PATH_SZ };
	char buf[OBJECT_NAME_SZ], *at;

	(void)state;
	memset(o.path, 'a', sizeof(o.path));
	memcpy(o.path, "leaf\0dir", 9);
	assert_string_equal(object_name_path(&o, buf), ".../dir/leaf");
	/* as many components as there is room for */
	for (at = o.path; at < o.path + sizeof(o.path); at += 2)
		memcpy(at, "b", 2);
	object_name_path(&o, buf);
	assert_int_equal(strlen(buf), 3 + CS_OBJECT_PATH_SZ);
	o.path_len = ~0U;
	object_name_path(&o, buf);
	assert_int_equal(strlen(buf), 3 + CS_OBJECT_PATH_SZ);
}

static void test_unix__shows_abstract_names(void **state)
{
	struct cs_object o = { .path_len = 5, .path = "\0abcd" };
	char buf[OBJECT_NAME_SZ];

	(void)state;
	assert_string_equal(object_name_unix(&o, buf), "@abcd");
	o = (struct cs_object){ .path_len = 6, .path = "/run/x" };
	assert_string_equal(object_name_unix(&o, buf), "/run/x");
	o.path_len = 0;
	assert_string_equal(object_name_unix(&o, buf), "");
}

static void test_inet__is_written_as_people_do(void **state)
{
	struct cs_object_key k = { .family = AF_INET, .peer = { 10, 0, 0, 5 } };
	char buf[OBJECT_NAME_SZ];

	(void)state;
	assert_string_equal(object_name_inet(&k, buf), "10.0.0.5");
	k = (struct cs_object_key){ .family = AF_INET6, .peer = { 0xfe, 0x80, [15] = 1 } };
	assert_string_equal(object_name_inet(&k, buf), "fe80::1");
	k = (struct cs_object_key){ .family = AF_INET6,
				    .peer = { [10] = 0xff, 0xff, 192, 168, 1, 2 } };
	assert_string_equal(object_name_inet(&k, buf), "192.168.1.2");
	k = (struct cs_object_key){ .family = AF_INET };
	assert_string_equal(object_name_inet(&k, buf), "");
}

static void assert_symbol(const char *text, const char *expected, u64 expected_off)
{
	struct cs_object o = { .path_len = (u32)strlen(text) + 1 };
	char buf[OBJECT_NAME_SZ];
	u64 off = 99;

	strcpy(o.path, text);
	if (!expected) {
		assert_null(object_name_symbol(&o, buf, &off));
		assert_int_equal(off, 99);
		return;
	}
	assert_string_equal(object_name_symbol(&o, buf, &off), expected);
	assert_int_equal(off, expected_off);
}

static void test_symbol__is_what_the_kernel_prints_less_its_size(void **state)
{
	(void)state;
	assert_symbol("rtnl_mutex+0x0/0x20", "rtnl_mutex", 0);
	assert_symbol("init_mm+0x78/0x400", "init_mm", 0x78);
	assert_symbol("nf_hook_mutex+0x0/0x20 [nf_tables]", "nf_hook_mutex [nf_tables]", 0);
	assert_symbol("table+0x8/0x20 [nf_tables 1234abcd]", "table [nf_tables]", 8);
}

static void test_symbol__is_none_where_the_kernel_prints_an_address(void **state)
{
	struct cs_object o = { .path_len = ~0U };
	char buf[OBJECT_NAME_SZ];
	u64 off;

	(void)state;
	assert_symbol("0xffff888104fc2340", NULL, 0);
	assert_symbol("", NULL, 0);
	assert_symbol("+0x0/0x20", NULL, 0);
	assert_symbol("a+0x10", NULL, 0);
	memset(o.path, 'a', sizeof(o.path));
	assert_null(object_name_symbol(&o, buf, &off));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path__is_turned_round),
		cmocka_unit_test(test_path__that_was_cut_says_so),
		cmocka_unit_test(test_unix__shows_abstract_names),
		cmocka_unit_test(test_inet__is_written_as_people_do),
		cmocka_unit_test(test_symbol__is_what_the_kernel_prints_less_its_size),
		cmocka_unit_test(test_symbol__is_none_where_the_kernel_prints_an_address),
	};

	return cmocka_run_group_tests_name("object_names", tests, NULL, NULL);
}
