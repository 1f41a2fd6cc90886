/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as people type and read them. All arithmetic is in integers: a double cannot hold every
 * u64 and would round a bound that the user meant exactly. Products are 128 bits wide, so that one
 * comparison at the end finds every overflow.
 */
#include "base/units.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#include "base/view.h"

typedef unsigned __int128 wide;

struct unit {
	const char *name;
	u64 factor;
};

static const struct unit time_units[] = {
	{ "ns", 1 },	       { "us", NSEC_PER_USEC },	   { "ms", NSEC_PER_MSEC },
	{ "s", NSEC_PER_SEC }, { "m", 60 * NSEC_PER_SEC }, { "h", 3600 * NSEC_PER_SEC },
};

/* 10^18 is the largest power of ten whose product with a digit still fits a u64. */
#define FRACTION_DIGITS 18

/*
 * Digits behind a decimal point as numerator / 10^n. Digits behind the 18th are below 1 ns in any
 * unit and are only skipped. False when there is no digit.
 */
static bool fraction(struct view *v, u64 *ret_num, u64 *ret_den)
{
	u64 num = 0, den = 1;
	size_t n = 0;

	for (; v->p < v->end && *v->p >= '0' && *v->p <= '9'; v->p++, n++) {
		if (n >= FRACTION_DIGITS)
			continue;
		num = num * 10 + (*v->p - '0');
		den *= 10;
	}
	*ret_num = num;
	*ret_den = den;
	return n > 0;
}

/* The factor of the unit that is all of the rest of the text; 0 when there is no such unit. */
static u64 time_unit(const struct view *rest, u64 bare_ns)
{
	size_t i;

	if (!view__left(rest))
		return bare_ns;
	for (i = 0; i < ARRAY_LEN(time_units); i++) {
		if (view__eq(rest, time_units[i].name))
			return time_units[i].factor;
	}
	return 0;
}

int units_parse_ns(const char *text, u64 bare_ns, u64 *ret_ns, struct err *err)
{
	struct view v = view__of_str(text);
	u64 num = 0, den = 1, unit;
	bool ok = true;
	wide ns;

	ns = view__dec(&v);
	if (view__accept(&v, '.'))
		ok = fraction(&v, &num, &den);
	if (view__accept(&v, ' '))
		ok = ok && view__left(&v);
	unit = time_unit(&v, bare_ns);
	if (v.bad || !ok || !unit)
		return err__set(err, -EINVAL, "'%.64s' is not a time; try 10us, 3ms or 1.5s", text);
	ns = ns * unit + (wide)num * unit / den;
	if (ns > UINT64_MAX)
		return err__set(err, -EINVAL, "'%.64s' is too long a time", text);
	*ret_ns = (u64)ns;
	return 0;
}

static bool accept_any_case(struct view *v, char lower)
{
	return view__accept(v, lower) || view__accept(v, (char)(lower - 'a' + 'A'));
}

int units_parse_bytes(const char *text, u64 *ret_bytes, struct err *err)
{
	static const char prefixes[] = "kmg";
	struct view v = view__of_str(text);
	bool ok = true, prefixed = false;
	wide bytes;
	u32 i;

	bytes = view__dec(&v);
	if (view__accept(&v, ' '))
		ok = view__left(&v);
	for (i = 0; i < sizeof(prefixes) - 1 && !prefixed; i++) {
		prefixed = accept_any_case(&v, prefixes[i]);
		if (prefixed)
			bytes <<= 10 * (i + 1);
	}
	if (prefixed && accept_any_case(&v, 'i'))
		ok = accept_any_case(&v, 'b');
	else
		accept_any_case(&v, 'b');
	if (v.bad || !ok || view__left(&v))
		return err__set(err, -EINVAL, "'%.64s' is not a size; try 4096, 64k or 16m", text);
	if (bytes > UINT64_MAX)
		return err__set(err, -EINVAL, "'%.64s' is too large a size", text);
	*ret_bytes = (u64)bytes;
	return 0;
}

int units_parse_u64(const char *text, u64 min, u64 max, u64 *ret_value, struct err *err)
{
	struct view v = view__of_str(text);
	u64 value = view__dec(&v);

	if (v.bad || view__left(&v) || value < min || value > max)
		return err__set(err, -EINVAL, "'%.64s' is not a whole number from %llu to %llu",
				text, min, max);
	*ret_value = value;
	return 0;
}

static u64 divide_half_up(wide n, u64 by)
{
	return (u64)((n + by / 2) / by);
}

void units_format_ns(u64 ns, char *buf, size_t sz)
{
	static const struct unit *const units = &time_units[1]; /* us, ms, s */
	u64 value;
	u32 u;

	if (ns < NSEC_PER_USEC) {
		snprintf(buf, sz, "%llu ns", ns);
		return;
	}
	/* the first form whose rounded digits are three: 999.6 us rounds to four and becomes ms */
	for (u = 0; u < 3; u++) {
		value = divide_half_up((wide)ns * 100, units[u].factor);
		if (value < 1000) {
			snprintf(buf, sz, "%llu.%02llu %s", value / 100, value % 100,
				 units[u].name);
			return;
		}
		value = divide_half_up((wide)ns * 10, units[u].factor);
		if (value < 1000) {
			snprintf(buf, sz, "%llu.%llu %s", value / 10, value % 10, units[u].name);
			return;
		}
		value = divide_half_up(ns, units[u].factor);
		if (value < 1000 || u == 2) {
			snprintf(buf, sz, "%llu %s", value, units[u].name);
			return;
		}
	}
}

void units_format_bytes(u64 bytes, char *buf, size_t sz)
{
	static const char prefixes[] = "KMGTPE";
	u64 tenths = 0;
	u32 i;

	if (bytes < 1024) {
		snprintf(buf, sz, "%llu B", bytes);
		return;
	}
	for (i = 0; i < sizeof(prefixes) - 1; i++) {
		tenths = divide_half_up((wide)bytes * 10, 1ULL << (10 * (i + 1)));
		if (tenths < 10240)
			break;
	}
	snprintf(buf, sz, "%llu.%llu %ciB", tenths / 10, tenths % 10, prefixes[i]);
}

void units_format_count(u64 n, char *buf, size_t sz)
{
	char digits[24], out[32];
	int len = snprintf(digits, sizeof(digits), "%llu", n);
	int i, o = 0;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			out[o++] = ',';
		out[o++] = digits[i];
	}
	out[o] = '\0';
	snprintf(buf, sz, "%s", out);
}

u64 units_ns_to_us(u64 ns)
{
	/* not (ns + 500) / 1000, which wraps near the end */
	return ns / NSEC_PER_USEC + (ns % NSEC_PER_USEC >= 500);
}
