/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every read goes through view__bytes() or compares with `end` itself, and every failure goes
 * through fail(), which leaves the cursor at the end, so a loop over a damaged file always
 * terminates. Numbers are assembled byte by byte, because untrusted bytes have no alignment and
 * have the byte order of the format, not of the machine.
 */
#include "base/view.h"

#include <string.h>

static void fail(struct view *v)
{
	v->p = v->end;
	v->bad = true;
}

struct view view__of(const void *data, size_t sz)
{
	struct view v;

	/* NULL is a common way to say "no bytes", but arithmetic on it is undefined */
	v.p = data ? data : "";
	v.end = v.p + (data ? sz : 0);
	v.bad = false;
	return v;
}

struct view view__of_str(const char *s)
{
	return view__of(s, strlen(s));
}

size_t view__left(const struct view *v)
{
	return (size_t)(v->end - v->p);
}

const void *view__bytes(struct view *v, size_t sz)
{
	const u8 *p = v->p;

	if (sz > view__left(v)) {
		fail(v);
		return NULL;
	}
	v->p += sz;
	return p;
}

static u64 little_endian(struct view *v, size_t sz)
{
	const u8 *p = view__bytes(v, sz);
	u64 value = 0;

	while (p && sz--)
		value = value << 8 | p[sz];
	return value;
}

u8 view__u8(struct view *v)
{
	return (u8)little_endian(v, 1);
}

u16 view__u16(struct view *v)
{
	return (u16)little_endian(v, 2);
}

u32 view__u32(struct view *v)
{
	return (u32)little_endian(v, 4);
}

u64 view__u64(struct view *v)
{
	return little_endian(v, 8);
}

/*
 * LEB128: seven bits per byte, lowest first; the eighth says that more follow. Padding is legal and
 * linkers emit it, so a long number is wrong only if bits are set that do not fit in a u64.
 */
u64 view__uleb(struct view *v)
{
	u64 value = 0;
	u32 shift = 0;

	while (v->p < v->end) {
		u8 byte = *v->p++;
		u64 bits = byte & 0x7f;

		if (shift < 64) {
			if (bits << shift >> shift != bits)
				break;
			value |= bits << shift;
			shift += 7;
		} else if (bits) {
			break;
		}
		if (!(byte & 0x80))
			return value;
	}
	fail(v);
	return 0;
}

/* As above, in two's complement: bit 6 of the last byte is the sign, and padding repeats it. */
s64 view__sleb(struct view *v)
{
	u64 value = 0;
	u32 shift = 0;

	while (v->p < v->end) {
		u8 byte = *v->p++;
		u64 bits = byte & 0x7f;

		if (shift < 63) {
			value |= bits << shift;
		} else {
			/* one bit is left, or none: all seven must equal the sign */
			u64 sign = shift == 63 ? bits & 1 : value >> 63;

			if (bits != (sign ? 0x7f : 0))
				break;
			value |= sign << 63;
		}
		if (shift < 64)
			shift += 7;
		if (!(byte & 0x80)) {
			if (shift < 64 && (byte & 0x40))
				value |= ~0ULL << shift;
			return (s64)value;
		}
	}
	fail(v);
	return 0;
}

const char *view__cstr(struct view *v)
{
	const u8 *start = v->p, *nul = memchr(start, '\0', view__left(v));

	if (!nul) {
		fail(v);
		return NULL;
	}
	v->p = nul + 1;
	return (const char *)start;
}

struct view view__sub(const struct view *v, u64 off, u64 sz)
{
	size_t left = view__left(v);
	struct view sub;

	if (off > left || sz > left - off) {
		sub = view__of(v->end, 0);
		sub.bad = true;
		return sub;
	}
	return view__of(v->p + off, sz);
}

bool view__line(struct view *v, struct view *ret_line)
{
	size_t left = view__left(v);
	const u8 *newline;

	if (!left)
		return false;
	newline = memchr(v->p, '\n', left);
	*ret_line = view__of(v->p, newline ? (size_t)(newline - v->p) : left);
	v->p = newline ? newline + 1 : v->end;
	return true;
}

bool view__token(struct view *v, struct view *ret_tok)
{
	const u8 *start;

	view__blank(v);
	start = v->p;
	while (v->p < v->end && *v->p != ' ' && *v->p != '\t' && *v->p != '\n')
		v->p++;
	*ret_tok = view__of(start, (size_t)(v->p - start));
	return v->p > start;
}

void view__blank(struct view *v)
{
	while (v->p < v->end && (*v->p == ' ' || *v->p == '\t'))
		v->p++;
}

bool view__accept(struct view *v, char c)
{
	if (v->p == v->end || *v->p != (u8)c)
		return false;
	v->p++;
	return true;
}

/* The value of a digit, or a number beyond any base. */
static u32 digit_of(u8 c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 255;
}

static u64 number(struct view *v, u32 base)
{
	const u8 *start = v->p;
	u64 value = 0;

	for (; v->p < v->end && digit_of(*v->p) < base; v->p++) {
		if (__builtin_mul_overflow(value, (u64)base, &value) ||
		    __builtin_add_overflow(value, (u64)digit_of(*v->p), &value)) {
			fail(v);
			return 0;
		}
	}
	if (v->p == start)
		fail(v);
	return value;
}

u64 view__hex(struct view *v)
{
	return number(v, 16);
}

u64 view__dec(struct view *v)
{
	return number(v, 10);
}

bool view__eq(const struct view *v, const char *s)
{
	size_t len = strlen(s);

	return view__left(v) == len && memcmp(v->p, s, len) == 0;
}

bool view__copy(const struct view *v, char *buf, size_t sz)
{
	size_t left = view__left(v), n;

	if (!sz)
		return false;
	n = left < sz ? left : sz - 1;
	memcpy(buf, v->p, n);
	buf[n] = '\0';
	return n == left;
}
