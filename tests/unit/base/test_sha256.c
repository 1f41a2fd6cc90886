/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of FIPS 180-4, and every length around the ends of blocks. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sha256.h"
#include "lib/workdir.h"

static void assert_sum(const char *text, size_t sz, const char *want)
{
	struct sha256 s;
	char hex[SHA256_HEX_SZ];

	sha256__init(&s);
	sha256__put(&s, text, sz);
	sha256__hex(&s, hex);
	assert_string_equal(hex, want);
}

static void test_sha256__is_that_of_the_standard(void **state)
{
	static const char long_text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	struct sha256 s;
	char hex[SHA256_HEX_SZ];

	(void)state;
	assert_sum("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_sum("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_sum(long_text, sizeof(long_text) - 1,
		   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	sha256__init(&s);
	for (u32 i = 0; i < 1000000; i++)
		sha256__put(&s, "a", 1);
	sha256__hex(&s, hex);
	assert_string_equal(hex,
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Against the program of coreutils. */
static void test_sha256_file_of_any_length(void **state)
{
	static char bytes[256];
	struct workdir dir;

	(void)state;
	workdir__init(&dir);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	for (size_t sz = 50; sz < 140; sz++) {
		char hex[SHA256_HEX_SZ];
		int fd;

		workdir__write(&dir, "x", bytes, sz);
		fd = open(workdir__path(&dir, "x"), O_RDONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_int_equal(sha256_file(fd, "x", hex, NULL), 0);
		close(fd);
		if (!workdir__run(&dir, "sha256sum x | grep -q '^%s '", hex))
			fail_msg("%zu bytes: %s", sz, hex);
	}
	workdir__done(&dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha256__is_that_of_the_standard),
		cmocka_unit_test(test_sha256_file_of_any_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
