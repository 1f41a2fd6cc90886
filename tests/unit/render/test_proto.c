/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "render/encode/proto.h"

static void assert_bytes(const struct proto *m, const void *want, size_t sz)
{
	assert_int_equal(m->error, 0);
	assert_int_equal(m->bytes.len, sz);
	if (sz)
		assert_memory_equal(m->bytes.data, want, sz);
}

/* The first examples of the specification of the wire format. */
static void test_proto__u64_is_a_tag_and_a_varint(void **state)
{
	struct proto m;

	(void)state;
	proto__init(&m);
	proto__u64(&m, 1, 150);
	assert_bytes(&m, "\x08\x96\x01", 3);
	proto__reset(&m);
	proto__u64(&m, 16, ~0ULL);
	assert_bytes(&m, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
	proto__done(&m);
}

static void test_proto__u64_of_zero_is_nothing(void **state)
{
	struct proto m;

	(void)state;
	proto__init(&m);
	proto__u64(&m, 1, 0);
	assert_bytes(&m, "", 0);
	proto__done(&m);
}

static void test_proto__bytes_have_their_length(void **state)
{
	struct proto m;

	(void)state;
	proto__init(&m);
	proto__bytes(&m, 2, "testing", 7);
	proto__bytes(&m, 6, "", 0);
	assert_bytes(&m, "\x12\x07testing\x32\x00", 11);
	proto__done(&m);
}

static void test_proto__message_moves_into_another(void **state)
{
	struct proto m, inner;

	(void)state;
	proto__init(&m);
	proto__init(&inner);
	proto__varint(&inner, 3);
	proto__varint(&inner, 270);
	proto__varint(&inner, 0);
	proto__message(&m, 4, &inner);
	assert_bytes(&m, "\x22\x04\x03\x8e\x02\x00", 6);
	assert_bytes(&inner, "", 0);
	proto__done(&m);
	proto__done(&inner);
}

static void test_proto__is_bounded(void **state)
{
	static const char block[PROTO_MAX / 4];
	struct proto m, outer;
	int i;

	(void)state;
	proto__init(&m);
	proto__init(&outer);
	for (i = 0; i < 3; i++)
		proto__bytes(&m, 1, block, sizeof(block));
	assert_int_equal(m.error, 0);
	proto__bytes(&m, 1, block, sizeof(block));
	assert_int_equal(m.error, -E2BIG);
	assert_true(m.bytes.len <= PROTO_MAX);
	proto__message(&outer, 1, &m);
	assert_int_equal(outer.error, -E2BIG);
	proto__done(&m);
	proto__done(&outer);
}

static void test_proto__errors_stay(void **state)
{
	struct proto m;

	(void)state;
	proto__init(&m);
	mem_fail_nth(1);
	proto__u64(&m, 1, 1);
	mem_fail_nth(0);
	assert_int_equal(m.error, -ENOMEM);
	proto__u64(&m, 1, 1);
	assert_int_equal(m.error, -ENOMEM);
	proto__reset(&m);
	assert_int_equal(m.error, -ENOMEM);
	proto__done(&m);
	proto__done(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_proto__u64_is_a_tag_and_a_varint),
		cmocka_unit_test(test_proto__u64_of_zero_is_nothing),
		cmocka_unit_test(test_proto__bytes_have_their_length),
		cmocka_unit_test(test_proto__message_moves_into_another),
		cmocka_unit_test(test_proto__is_bounded),
		cmocka_unit_test(test_proto__errors_stay),
	};

	return cmocka_run_group_tests_name("proto", tests, NULL, NULL);
}
