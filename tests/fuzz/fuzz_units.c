/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of options: durations, sizes, whole numbers. Beside not crashing, what is accepted must be
 * right where that is easy to know: digits alone are what strtoull() makes of them, and every
 * formatted value must fit the stated buffer and, for durations, be read back within its rounding.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text/units.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* 0 and the value, or -EINVAL and a sentence; nothing else. */
static void require_answer(int r, u64 value, const struct err *err)
{
	require(r == 0 || r == -EINVAL);
	require((r == 0) == (err->msg[0] == '\0'));
	require(r == 0 || value == 77);
	require(strlen(err->msg) < sizeof(err->msg));
}

static void check_against_strtoull(const char *text, int r, u64 value)
{
	u64 want;

	errno = 0;
	want = strtoull(text, NULL, 10);
	require((r == 0) == (errno == 0));
	require(r || value == want);
}

static void check_round_trip(u64 ns)
{
	char text[32];
	u64 back = 0, diff;

	units_format_ns(ns, text, sizeof(text));
	require(strlen(text) < sizeof(text) - 1);
	/* the last half second of 64 bits is rounded up and out */
	if (units_parse_ns(text, 0, &back, NULL)) {
		require(ns > UINT64_MAX - NSEC_PER_SEC);
		return;
	}
	diff = back > ns ? back - ns : ns - back;
	require(diff <= ns / 200 + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size), buf[32];
	u64 value = 77;
	struct err err = { 0 };
	int r;

	require(text != NULL);
	r = units_parse_ns(text, 1, &value, &err);
	require_answer(r, value, &err);
	if (is_number(text))
		check_against_strtoull(text, r, value);
	if (!r)
		check_round_trip(value);

	value = 77;
	err = (struct err){ 0 };
	r = units_parse_bytes(text, &value, &err);
	require_answer(r, value, &err);
	if (is_number(text))
		check_against_strtoull(text, r, value);
	units_format_bytes(value, buf, sizeof(buf));

	value = 77;
	err = (struct err){ 0 };
	r = units_parse_u64(text, 0, UINT64_MAX, &value, &err);
	require_answer(r, value, &err);
	require(r || is_number(text));
	if (is_number(text))
		check_against_strtoull(text, r, value);
	units_format_count(value, buf, sizeof(buf));
	require(strlen(buf) >= 1);
	mem_free(text);
	return 0;
}
