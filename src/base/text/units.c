/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers as people write and read them. All arithmetic is on integers: a double cannot hold every
 * u64 and would round a bound that the user meant exactly. Products are 128 bits wide, so that one
 * comparison at the end detects every overflow.
 */
#include "base/text/units.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/view.h"

typedef unsigned __int128 wide;

struct unit {
	const char *name;
	u64 factor;
};

static const struct unit time_units[] = {
	{ "ns", 1 },	       { "µs", NSEC_PER_USEC },	   { "ms", NSEC_PER_MSEC },
	{ "s", NSEC_PER_SEC }, { "m", 60 * NSEC_PER_SEC }, { "h", 3600 * NSEC_PER_SEC },
};

/*
 * Understood, and never printed. U+00B5, the micro sign, is what we print; keyboards also have
 * U+03BC, the Greek letter.
 */
static const struct unit other_units[] = {
	{ "us", NSEC_PER_USEC },
	{ "\u03bcs", NSEC_PER_USEC },
	{ "d", 86400 * NSEC_PER_SEC },
};

/* 10^18 is the largest power of ten whose product with a digit still fits a u64. */
#define FRACTION_DIGITS 18

/*
 * Digits after a decimal point as numerator / 10^n. Digits after the 18th are below 1 ns in any
 * unit and are skipped. False if there is no digit.
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

/* The factor of the unit that makes up the rest of the text; 0 if it is not a unit. */
static u64 time_unit(const struct view *rest, u64 bare_ns)
{
	size_t i;

	if (!view__left(rest))
		return bare_ns;
	for (i = 0; i < ARRAY_LEN(time_units); i++) {
		if (view__eq(rest, time_units[i].name))
			return time_units[i].factor;
	}
	for (i = 0; i < ARRAY_LEN(other_units); i++) {
		if (view__eq(rest, other_units[i].name))
			return other_units[i].factor;
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

int units_parse_percent(const char *text, u64 *ret_ppm, struct err *err)
{
	struct view v = view__of_str(text);
	u64 num = 0, den = 1;
	bool ok = true;
	wide ppm = (wide)view__dec(&v) * 10000;

	if (view__accept(&v, '.'))
		ok = fraction(&v, &num, &den);
	if (view__accept(&v, ' '))
		ok = ok && view__left(&v);
	view__accept(&v, '%');
	ppm += (wide)num * 10000 / den;
	if (v.bad || !ok || view__left(&v) || ppm > 1000000)
		return err__set(err, -EINVAL, "'%.64s' is not a percentage; try 1%% or 0.5%%",
				text);
	*ret_ppm = (u64)ppm;
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

/* The unit and the decimals with which a time has three digits. */
struct form {
	const struct unit *unit;
	u32 decimals;
	u64 value; /* in the last of the digits */
};

static struct form form_of(u64 ns)
{
	static const u32 tens[] = { 1, 10, 100 };
	struct form f = { .unit = &time_units[0], .value = ns };
	u32 u, d;

	if (ns < NSEC_PER_USEC)
		return f;
	/*
	 * the first form that rounds to three digits: 999.6 µs would round to four, so it becomes
	 * ms
	 */
	for (u = 1; u <= 3; u++) {
		for (d = 3; d-- > 0;) {
			f = (struct form){ &time_units[u], d, 0 };
			f.value = divide_half_up((wide)ns * tens[d], f.unit->factor);
			if (f.value < 1000)
				return f;
		}
	}
	return f; /* whole seconds */
}

static void print_decimals(u64 value, u32 decimals, char *buf, size_t sz)
{
	u64 ten = 1;
	u32 d;

	for (d = 0; d < decimals; d++)
		ten *= 10;
	if (decimals)
		snprintf(buf, sz, "%llu.%0*llu", value / ten, (int)decimals, value % ten);
	else
		snprintf(buf, sz, "%llu", value);
}

void units_format_ns(u64 ns, char *buf, size_t sz)
{
	struct form f = form_of(ns);
	char digits[32];

	print_decimals(f.value, f.decimals, digits, sizeof(digits));
	snprintf(buf, sz, "%s %s", digits, f.unit->name);
}

void units_format_error_ns(u64 ns, u64 error_ns, char *buf, size_t sz)
{
	static const u32 tens[] = { 1, 10, 100, 1000, 10000 };
	struct form f = form_of(ns);
	u32 d = f.decimals, most = f.unit->factor > 1 ? d + 2 : d;
	u64 value = divide_half_up((wide)error_ns * tens[d], f.unit->factor);

	if (error_ns == ~0ULL) {
		snprintf(buf, sz, "?");
		return;
	}
	while (!value && error_ns && d < most)
		value = divide_half_up((wide)error_ns * tens[++d], f.unit->factor);
	print_decimals(value ? value : error_ns != 0, d, buf, sz);
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
	char text[32];
	size_t at = sizeof(text), len, digits = 0;

	do {
		if (digits && digits % 3 == 0)
			text[--at] = ',';
		text[--at] = (char)('0' + n % 10);
		digits++;
		n /= 10;
	} while (n);
	len = sizeof(text) - at;
	if (!sz)
		return;
	if (len > sz - 1)
		len = sz - 1;
	memcpy(buf, text + at, len);
	buf[len] = '\0';
}

u64 units_ns_to_us(u64 ns)
{
	/* not (ns + 500) / 1000, which overflows near the end */
	return ns / NSEC_PER_USEC + (ns % NSEC_PER_USEC >= 500);
}

const char *units_plural(u64 n)
{
	return n == 1 ? "" : "s";
}

u64 units_part(u64 whole, u64 part, u64 of)
{
	return of ? (u64)((wide)whole * part / of) : 0;
}

u64 units_percent(u64 part, u64 whole)
{
	return whole ? (u64)(((wide)part * 100 + whole / 2) / whole) : 0;
}
