/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TEXT_UNITS_H
#define BASE_TEXT_UNITS_H

#include "base/err.h"
#include "base/types.h"

/*
 * Durations: a decimal number with an optional fraction and a unit: ns us ms s m h d. "µs" is
 * "us", with either code point. Without a unit, the number is multiplied by `bare_ns` (so "-d 10"
 * can mean seconds and bcc's "-m 10" microseconds); with bare_ns 0 a unit is required. One space
 * may precede the unit. Fractions of a nanosecond are dropped. Negative, empty, overflowing or
 * unknown text is -EINVAL with a message that quotes it.
 */
int units_parse_ns(const char *text, u64 bare_ns, u64 *ret_ns, struct err *err);
/*
 * Sizes: plain bytes, or with k, m, g (1024), optionally followed by "b" or "ib", in any case. One
 * space may precede the unit. No fraction. -EINVAL as above.
 */
int units_parse_bytes(const char *text, u64 *ret_bytes, struct err *err);
/* "1%", "0.5 %", or plain "2", in millionths; fractions of one are dropped. -EINVAL as above. */
int units_parse_percent(const char *text, u64 *ret_ppm, struct err *err);
/* A whole decimal number in [min, max]; else -EINVAL as above. */
int units_parse_u64(const char *text, u64 min, u64 max, u64 *ret_value, struct err *err);

/*
 * Three significant figures, rounded half up, and a unit: "0 ns", "987 ns", "1.23 µs", "45.6 ms",
 * "1.20 s", "312 s"; whole seconds from 1000 s on. 32 bytes hold any of these formats.
 * Text is UTF-8: see utf8_pad() for columns.
 */
void units_format_ns(u64 ns, char *buf, size_t sz);
/*
 * The error of a time, in the unit and with the digits of units_format_ns(ns), or with up to two
 * more if it would read as 0: "0.03" for 1.24 s and 31 ms. "?" for ~0, which is not known.
 */
void units_format_error_ns(u64 ns, u64 error_ns, char *buf, size_t sz);
/* "512 B", "1.5 KiB", "16.0 MiB". */
void units_format_bytes(u64 bytes, char *buf, size_t sz);
/* "12,345,678". */
void units_format_count(u64 n, char *buf, size_t sz);
/* The plural ending for `n` things: "" or "s". */
const char *units_plural(u64 n);
/* Nanoseconds to whole microseconds, rounded half up. */
u64 units_ns_to_us(u64 ns);
/* whole * part / of, rounded down, without overflow on the way; 0 if `of` is 0. */
u64 units_part(u64 whole, u64 part, u64 of);
/* 100 * part / whole, rounded half up, likewise; 0 if the whole is 0. */
u64 units_percent(u64 part, u64 whole);

#endif
