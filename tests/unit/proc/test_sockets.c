/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "proc/sockets.h"

static void test_socket_line__next_reads_connections(void **state)
{
	static const u8 loopback[4] = { 127, 0, 0, 1 };
	struct view text = view__of_str(
		"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when\n"
		"   0: 00000000:0BB8 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 "
		"       0 8811 1 0\n"
		"   1: 0100007F:0BB8 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000 "
		"       0 8812 1 0\n"
		"   2: rubbish\n");
	struct socket_line s;

	(void)state;
	assert_true(socket_line__next(&text, SOCKETS_TCP, &s));
	assert_true(s.is_listening);
	assert_int_equal(s.port, 3000);
	assert_int_equal(s.ino, 8811);
	assert_true(socket_line__next(&text, SOCKETS_TCP, &s));
	assert_false(s.is_listening);
	assert_int_equal(s.peer_port, 50000);
	assert_int_equal(s.ino, 8812);
	assert_memory_equal(s.peer, loopback, 4);
	assert_false(socket_line__next(&text, SOCKETS_TCP, &s));
}

static void test_socket_line__next_reads_ipv6(void **state)
{
	static const u8 loopback[16] = { [15] = 1 };
	struct view text = view__of_str("   1: 00000000000000000000000001000000:0050 "
					"00000000000000000000000001000000:C350 01 "
					"00000000:00000000 00:00000000 00000000  0 0 77 1\n");
	struct socket_line s;

	(void)state;
	assert_true(socket_line__next(&text, SOCKETS_TCP6, &s));
	assert_memory_equal(s.peer, loopback, 16);
	assert_int_equal(s.port, 80);
}

static void test_socket_line__next_takes_unix_paths_whole(void **state)
{
	struct view text = view__of_str(
		"Num       RefCount Protocol Flags    Type St Inode Path\n"
		"0000000000000000: 00000002 00000000 00010000 0001 01 900 /run/a b.sock\n"
		"0000000000000000: 00000003 00000000 00000000 0001 03 901\n"
		"0000000000000000: 00000003 00000000 00000000 0002 01 902 @abstract\n");
	struct socket_line s;

	(void)state;
	assert_true(socket_line__next(&text, SOCKETS_UNIX, &s));
	assert_true(s.is_listening);
	assert_string_equal(s.path, "/run/a b.sock");
	assert_true(socket_line__next(&text, SOCKETS_UNIX, &s));
	assert_string_equal(s.path, "");
	assert_int_equal(s.ino, 901);
	assert_true(socket_line__next(&text, SOCKETS_UNIX, &s));
	assert_string_equal(s.path, "@abstract");
	assert_int_equal(s.type, 2);
	assert_false(socket_line__next(&text, SOCKETS_UNIX, &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_socket_line__next_reads_connections),
		cmocka_unit_test(test_socket_line__next_reads_ipv6),
		cmocka_unit_test(test_socket_line__next_takes_unix_paths_whole),
	};

	return cmocka_run_group_tests_name("sockets", tests, NULL, NULL);
}
