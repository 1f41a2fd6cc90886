/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/hash.h"

static void test_hash_bytes_depends_on_every_byte_and_the_length(void **state)
{
	u8 data[40] = { 0 };
	u64 base, h;
	size_t sz, i;

	(void)state;
	for (sz = 1; sz <= sizeof(data); sz++) {
		base = hash_bytes(data, sz);
		assert_true(base != hash_bytes(data, sz - 1));
		for (i = 0; i < sz; i++) {
			data[i] = 1;
			h = hash_bytes(data, sz);
			data[i] = 0;
			assert_true(h != base);
		}
		assert_true(base == hash_bytes(data, sz));
	}
}

static void test_hash_bytes_reads_unaligned_and_only_its_bytes(void **state)
{
	u8 a[32] = "0123456789abcdef", b[32];
	size_t off;

	(void)state;
	for (off = 1; off < 9; off++) {
		memset(b, (int)off, sizeof(b));
		memcpy(b + off, a, 13);
		assert_true(hash_bytes(b + off, 13) == hash_bytes(a, 13));
	}
}

/* Page addresses and multiples of powers of two must spread over the low bits of a table. */
static void test_hash_u64_spreads_regular_keys(void **state)
{
	u32 shift, i, most, load[1024];

	(void)state;
	for (shift = 0; shift < 54; shift++) {
		memset(load, 0, sizeof(load));
		most = 0;
		for (i = 0; i < 1024; i++) {
			u32 slot = hash_u64((u64)i << shift) & 1023;

			if (++load[slot] > most)
				most = load[slot];
		}
		/* throwing 1024 balls at random gives 5 to 7; all in one slot is what we fear */
		assert_in_range(most, 1, 16);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash_bytes_depends_on_every_byte_and_the_length),
		cmocka_unit_test(test_hash_bytes_reads_unaligned_and_only_its_bytes),
		cmocka_unit_test(test_hash_u64_spreads_regular_keys),
	};

	return cmocka_run_group_tests_name("base/hash", tests, NULL, NULL);
}
