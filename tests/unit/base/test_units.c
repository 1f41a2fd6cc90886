/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/text/units.h"

struct good {
	const char *text;
	u64 value;
};

static void test_units_parse_ns_reads_every_unit(void **state)
{
	static const struct good cases[] = {
		{ "0", 0 },
		{ "10", 10000 },
		{ "7ns", 7 },
		{ "10us", 10000 },
		{ "3ms", 3000000 },
		{ "2s", 2000000000 },
		{ "2m", 120000000000 },
		{ "1h", 3600000000000 },
		{ "21d", 1814400000000000 },
		{ "0.5us", 500 },
		{ "10µs", 10000 },
		{ "0.5 \u03bcs", 500 },
		{ "1.5h", 5400000000000 },
		{ "1.5", 1500 },
		{ "0.25s", 250000000 },
		{ "10 ms", 10000000 },
		{ "0000000000000000000000001s", 1000000000 },
		{ "0s", 0 },
	};
	u64 ns;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		ns = 1;
		assert_int_equal(units_parse_ns(cases[i].text, NSEC_PER_USEC, &ns, NULL), 0);
		assert_int_equal(ns, cases[i].value);
	}
}

static void test_units_parse_ns_drops_parts_of_a_nanosecond(void **state)
{
	u64 ns;

	(void)state;
	assert_int_equal(units_parse_ns("0.9ns", 1, &ns, NULL), 0);
	assert_int_equal(ns, 0);
	assert_int_equal(units_parse_ns("1.9999us", 1, &ns, NULL), 0);
	assert_int_equal(ns, 1999);
	assert_int_equal(units_parse_ns("0.000000000000000000000000000001h", 1, &ns, NULL), 0);
	assert_int_equal(ns, 0);
	assert_int_equal(units_parse_ns("0.333333333333333333333333333333h", 1, &ns, NULL), 0);
	assert_int_equal(ns, 1199999999999);
	assert_int_equal(units_parse_ns("0.999999999999999999999999999999s", 1, &ns, NULL), 0);
	assert_int_equal(ns, 999999999);
}

static void test_units_parse_ns_goes_to_the_last_nanosecond(void **state)
{
	static const char *const too_long[] = {
		"18446744073709551616ns", "18446744073709551615us",
		"18446744073.709551616s", "5124096h",
		"18446744073709551615h",  "18446744073709551615.9h",
	};
	struct err err = { 0 };
	u64 ns = 5;
	size_t i;

	(void)state;
	assert_int_equal(units_parse_ns("18446744073709551615ns", 1, &ns, NULL), 0);
	assert_true(ns == ~0ULL);
	assert_int_equal(units_parse_ns("18446744073.709551615s", 1, &ns, NULL), 0);
	assert_true(ns == ~0ULL);
	assert_int_equal(units_parse_ns("18446744073709551615.9", 1, &ns, NULL), 0);
	assert_true(ns == ~0ULL);
	ns = 5;
	for (i = 0; i < ARRAY_LEN(too_long); i++) {
		assert_int_equal(units_parse_ns(too_long[i], 1, &ns, &err), -EINVAL);
		assert_non_null(strstr(err.msg, too_long[i]));
	}
	assert_int_equal(ns, 5);
}

static void test_units_parse_ns_refuses_invalid_durations(void **state)
{
	static const char *const bad[] = {
		"",	"3q",	"-1",	"+1",	 "1e9",	   "us",    ".",      ".5",
		"5.",	"5.s",	"1..5", "1.5.s", "10us ",  " 10us", "10  ms", "10 ",
		"10 x", "0x10", "10US", "10Ms",	 "10sec",  "1s1",   "inf",    "nan",
		"1,5s", "10\n", "1.-5", "1.5 ",	 "10\tms", "1 .5s",
	};
	struct err err = { 0 };
	u64 ns = 5;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(units_parse_ns(bad[i], NSEC_PER_USEC, &ns, &err), -EINVAL);
		assert_non_null(strstr(err.msg, bad[i]));
		assert_non_null(strstr(err.msg, "is not a time; try 10us"));
	}
	assert_int_equal(ns, 5);
}

static void test_units_parse_ns_may_require_a_unit(void **state)
{
	u64 ns;

	(void)state;
	assert_int_equal(units_parse_ns("10", 0, &ns, NULL), -EINVAL);
	assert_int_equal(units_parse_ns("10ns", 0, &ns, NULL), 0);
	assert_int_equal(ns, 10);
}

static void test_units_parse_ns_quotes_long_text_in_part(void **state)
{
	struct err err = { 0 };
	char text[5000];
	u64 ns;

	(void)state;
	memset(text, '9', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(units_parse_ns(text, 1, &ns, &err), -EINVAL);
	assert_true(strlen(err.msg) < 200);
	assert_non_null(strstr(err.msg, "is not a time"));
}

static void test_units_parse_bytes_reads_every_unit(void **state)
{
	static const struct good cases[] = {
		{ "0", 0 },
		{ "4096", 4096 },
		{ "1k", 1024 },
		{ "64K", 65536 },
		{ "16m", 16777216 },
		{ "1g", 1073741824 },
		{ "1kb", 1024 },
		{ "1KiB", 1024 },
		{ "2mib", 2097152 },
		{ "3GB", 3221225472 },
		{ "512 B", 512 },
		{ "16 MiB", 16777216 },
		{ "7b", 7 },
		{ "17179869183g", 18446744072635809792ULL },
		{ "18446744073709551615", ~0ULL },
	};
	u64 bytes;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		bytes = 1;
		assert_int_equal(units_parse_bytes(cases[i].text, &bytes, NULL), 0);
		assert_true(bytes == cases[i].value);
	}
}

static void test_units_parse_bytes_refuses_invalid_sizes(void **state)
{
	static const char *const bad[] = {
		"",	 "k",	 "-1k",		 "1.5k",
		"1t",	 "1ib",	 "1ki",		 "1kib2",
		"1 ",	 " 1k",	 "1  k",	 "1kk",
		"1k b",	 "1bb",	 "1e3",		 "18446744073709551616",
		"3q",	 "1kbi", "17179869184g", "18014398509481984k",
		"1\xe0",
	};
	struct err err = { 0 };
	u64 bytes = 5;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(units_parse_bytes(bad[i], &bytes, &err), -EINVAL);
		assert_non_null(strstr(err.msg, bad[i]));
	}
	assert_int_equal(bytes, 5);
}

static void test_units_parse_u64_keeps_its_bounds(void **state)
{
	struct err err = { 0 };
	u64 value;

	(void)state;
	assert_int_equal(units_parse_u64("18446744073709551615", 0, ~0ULL, &value, NULL), 0);
	assert_true(value == ~0ULL);
	assert_int_equal(units_parse_u64("1", 1, 1, &value, NULL), 0);
	assert_int_equal(value, 1);
	assert_int_equal(units_parse_u64("0", 1, 5, &value, &err), -EINVAL);
	assert_string_equal(err.msg, "'0' is not a whole number from 1 to 5");
	assert_int_equal(units_parse_u64("6", 1, 5, &value, NULL), -EINVAL);
	assert_int_equal(value, 1);
}

static void test_units_parse_u64_refuses_invalid_numbers(void **state)
{
	static const char *const bad[] = {
		"",    "-1",  "+1",    " 1", "1 ", "1.0",
		"1e3", "0x1", "1,000", "1k", "a",  "18446744073709551616"
	};
	struct err err = { 0 };
	u64 value = 5;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(units_parse_u64(bad[i], 0, ~0ULL, &value, &err), -EINVAL);
		assert_non_null(strstr(err.msg, bad[i]));
	}
	assert_int_equal(value, 5);
}

static void test_units_format_ns_has_three_figures(void **state)
{
	static const struct good cases[] = {
		{ "0 ns", 0 },
		{ "1 ns", 1 },
		{ "987 ns", 987 },
		{ "999 ns", 999 },
		{ "1.00 µs", 1000 },
		{ "1.00 µs", 1004 },
		{ "1.01 µs", 1005 },
		{ "1.23 µs", 1234 },
		{ "9.99 µs", 9994 },
		{ "10.0 µs", 9995 },
		{ "99.9 µs", 99949 },
		{ "100 µs", 99950 },
		{ "999 µs", 999499 },
		{ "1.00 ms", 999500 },
		{ "45.6 ms", 45600000 },
		{ "999 ms", 999499999 },
		{ "1.00 s", 999500000 },
		{ "1.20 s", 1200000000 },
		{ "60.0 s", 59990000000 },
		{ "60.0 s", 59950000000 },
		{ "59.9 s", 59949999999 },
		{ "312 s", 312000000000 },
		{ "999 s", 999499999999 },
		{ "1000 s", 999500000000 },
		{ "86400 s", 86400000000000 },
		{ "18446744074 s", ~0ULL },
	};
	char buf[32];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		units_format_ns(cases[i].value, buf, sizeof(buf));
		assert_string_equal(buf, cases[i].text);
	}
}

static void test_units_format_bytes_moves_up_at_1024(void **state)
{
	static const struct good cases[] = {
		{ "0 B", 0 },
		{ "512 B", 512 },
		{ "1023 B", 1023 },
		{ "1.0 KiB", 1024 },
		{ "1.5 KiB", 1536 },
		{ "1023.9 KiB", 1048524 },
		{ "1.0 MiB", 1048525 },
		{ "16.0 MiB", 16777216 },
		{ "1.0 GiB", 1073741824 },
		{ "8.0 EiB", 1ULL << 63 },
		{ "16.0 EiB", ~0ULL },
	};
	char buf[32];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		units_format_bytes(cases[i].value, buf, sizeof(buf));
		assert_string_equal(buf, cases[i].text);
	}
}

static void test_units_format_count_groups_by_three(void **state)
{
	static const struct good cases[] = {
		{ "0", 0 },
		{ "12", 12 },
		{ "999", 999 },
		{ "1,000", 1000 },
		{ "12,345,678", 12345678 },
		{ "123,456", 123456 },
		{ "18,446,744,073,709,551,615", ~0ULL },
	};
	char buf[32];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		units_format_count(cases[i].value, buf, sizeof(buf));
		assert_string_equal(buf, cases[i].text);
	}
}

static void test_units_format_keeps_small_buffers(void **state)
{
	char buf[4] = "zzz";

	(void)state;
	units_format_count(1234567, buf, 3);
	assert_memory_equal(buf, "1,\0z", 3);
	units_format_ns(987, buf, 2);
	assert_string_equal(buf, "9");
	units_format_bytes(1536, buf, 1);
	assert_string_equal(buf, "");
}

static void test_units_ns_to_us_rounds_half_up(void **state)
{
	(void)state;
	assert_int_equal(units_ns_to_us(0), 0);
	assert_int_equal(units_ns_to_us(499), 0);
	assert_int_equal(units_ns_to_us(500), 1);
	assert_int_equal(units_ns_to_us(999), 1);
	assert_int_equal(units_ns_to_us(1499), 1);
	assert_int_equal(units_ns_to_us(1500), 2);
	assert_true(units_ns_to_us(~0ULL) == 18446744073709552ULL);
}

static void test_units_format_error_ns_has_the_digits_of_the_time(void **state)
{
	static const struct {
		u64 ns;
		u64 error_ns;
		const char *text;
	} cases[] = {
		{ 1240000000, 31000000, "0.03" },
		{ 12400000000ULL, 310000000, "0.3" },
		{ 124000000, 3100000, "3" },
		{ 999600, 12000, "0.01" }, /* shown as 1.00 ms */
		{ 1240000000, 0, "0.00" },
		{ 1240000000, 3000000, "0.003" },
		{ 1240000000, 200000, "0.0002" },
		{ 1240000000, 1000, "0.0001" }, /* not nothing */
		{ 124000000, 310000, "0.3" },
		{ 124000000, 1, "0.01" },
		{ 987, 20, "20" },
		{ 5000000000000ULL, 31000000000ULL, "31" },
		{ ~0ULL, ~0ULL - 1, "18446744074" },
		{ 5000, ~0ULL, "?" },
	};
	char buf[32];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		units_format_error_ns(cases[i].ns, cases[i].error_ns, buf, sizeof(buf));
		assert_string_equal(buf, cases[i].text);
	}
}

static void test_units_parse_percent_reads_parts(void **state)
{
	static const struct good cases[] = {
		{ "1%", 10000 },     { "1", 10000 }, { "0.5%", 5000 },	      { "0.01 %", 100 },
		{ "100%", 1000000 }, { "0", 0 },     { "12.34567%", 123456 },
	};
	static const char *const bad[] = { "",
					   "%",
					   "x",
					   "1x",
					   "-1",
					   "1.%",
					   "101%",
					   "1%%",
					   "1% ",
					   "100.0001%",
					   "99999999999999999999" };
	struct err err;
	u64 ppm;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		ppm = 1;
		assert_int_equal(units_parse_percent(cases[i].text, &ppm, NULL), 0);
		assert_int_equal(ppm, cases[i].value);
	}
	for (i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(units_parse_percent(bad[i], &ppm, &err), -EINVAL);
	assert_int_equal(units_parse_percent("lots", &ppm, &err), -EINVAL);
	assert_string_equal(err.msg, "'lots' is not a percentage; try 1% or 0.5%");
}

static void test_units_plural_is_for_all_but_one(void **state)
{
	(void)state;
	assert_string_equal(units_plural(0), "s");
	assert_string_equal(units_plural(1), "");
	assert_string_equal(units_plural(2), "s");
}

static void test_units_part_is_rounded_down_and_does_not_overflow(void **state)
{
	(void)state;
	assert_int_equal(units_part(10, 2, 3), 6);
	assert_true(units_part(~0ULL, ~0ULL, ~0ULL) == ~0ULL);
	assert_int_equal(units_part(10, 0, 3), 0);
	assert_int_equal(units_part(10, 2, 0), 0);
}

static void test_units_percent_is_rounded_half_up(void **state)
{
	(void)state;
	assert_int_equal(units_percent(1, 200), 1);
	assert_int_equal(units_percent(1, 201), 0);
	assert_int_equal(units_percent(~0ULL, ~0ULL), 100);
	assert_int_equal(units_percent(1, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units_parse_ns_reads_every_unit),
		cmocka_unit_test(test_units_parse_ns_drops_parts_of_a_nanosecond),
		cmocka_unit_test(test_units_parse_ns_goes_to_the_last_nanosecond),
		cmocka_unit_test(test_units_parse_ns_refuses_invalid_durations),
		cmocka_unit_test(test_units_parse_ns_may_require_a_unit),
		cmocka_unit_test(test_units_parse_ns_quotes_long_text_in_part),
		cmocka_unit_test(test_units_parse_bytes_reads_every_unit),
		cmocka_unit_test(test_units_parse_bytes_refuses_invalid_sizes),
		cmocka_unit_test(test_units_parse_u64_keeps_its_bounds),
		cmocka_unit_test(test_units_parse_u64_refuses_invalid_numbers),
		cmocka_unit_test(test_units_format_ns_has_three_figures),
		cmocka_unit_test(test_units_format_bytes_moves_up_at_1024),
		cmocka_unit_test(test_units_format_count_groups_by_three),
		cmocka_unit_test(test_units_format_keeps_small_buffers),
		cmocka_unit_test(test_units_ns_to_us_rounds_half_up),
		cmocka_unit_test(test_units_plural_is_for_all_but_one),
		cmocka_unit_test(test_units_format_error_ns_has_the_digits_of_the_time),
		cmocka_unit_test(test_units_parse_percent_reads_parts),
		cmocka_unit_test(test_units_part_is_rounded_down_and_does_not_overflow),
		cmocka_unit_test(test_units_percent_is_rounded_half_up),
	};

	return cmocka_run_group_tests_name("base/units", tests, NULL, NULL);
}
