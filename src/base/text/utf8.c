/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding cannot fail: each invalid byte becomes U+FFFD, so that a name with a bad byte still
 * shows the rest. It is strict because readers of our output are: XML and JSON parsers refuse
 * surrogates, overlong forms and anything above U+10FFFF.
 */
#include "base/text/utf8.h"

#include <string.h>

#include "base/mem.h"

/* Length of the sequence that a first byte begins, 0 if none, and its payload bits. */
static u32 lead(u8 c, u32 *ret_bits)
{
	if (c < 0x80) {
		*ret_bits = c;
		return 1;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		*ret_bits = c & 0x1f;
		return 2;
	}
	if ((c & 0xf0) == 0xe0) {
		*ret_bits = c & 0x0f;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*ret_bits = c & 0x07;
		return 4;
	}
	return 0;
}

static bool is_scalar(u32 cp, u32 len)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return cp >= least[len] && cp <= 0x10ffff && !(cp >= 0xd800 && cp <= 0xdfff);
}

u32 utf8_next(const char **p)
{
	const u8 *s = (const u8 *)*p;
	u32 cp = 0, len, i;

	if (!*s)
		return 0;
	len = lead(*s, &cp);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			break;
		cp = cp << 6 | (s[i] & 0x3f);
	}
	if (!len || i < len || !is_scalar(cp, len)) {
		*p += 1;
		return UTF8_BAD;
	}
	*p += len;
	return cp;
}

size_t utf8_plain(const char *s, const char *but)
{
	char a = but[0], b = a ? but[1] : 0;
	size_t n = 0;

	while (s[n] >= 0x20 && s[n] < 0x7f && s[n] != a && s[n] != b)
		n++;
	return n;
}

size_t utf8_len(const char *s)
{
	size_t n = 0;

	while (utf8_next(&s))
		n++;
	return n;
}

/* The larger ranges of wide and of combining characters; names in programs rarely have others. */
static const struct {
	u32 first, last, columns;
} widths[] = {
	{ 0x300, 0x36f, 0 },	 { 0x1100, 0x115f, 2 },	  { 0x200b, 0x200f, 0 },
	{ 0x20d0, 0x20ff, 0 },	 { 0x2e80, 0x303e, 2 },	  { 0x3041, 0xa4cf, 2 },
	{ 0xac00, 0xd7a3, 2 },	 { 0xf900, 0xfaff, 2 },	  { 0xfe00, 0xfe0f, 0 },
	{ 0xfe30, 0xfe6f, 2 },	 { 0xff00, 0xff60, 2 },	  { 0xffe0, 0xffe6, 2 },
	{ 0x1f300, 0x1f64f, 2 }, { 0x1f900, 0x1f9ff, 2 }, { 0x20000, 0x3fffd, 2 },
};

u32 utf8_width(u32 cp)
{
	size_t i;

	if (cp < widths[0].first)
		return 1;
	for (i = 0; i < ARRAY_LEN(widths); i++) {
		if (cp >= widths[i].first && cp <= widths[i].last)
			return widths[i].columns;
	}
	return 1;
}

u32 utf8_columns_until(const char *s, const char *end)
{
	u32 n = 0;

	while (s < end)
		n += utf8_width(utf8_next(&s));
	return n;
}

size_t utf8_columns(const char *s)
{
	return utf8_columns_until(s, s + strlen(s));
}

int utf8_pad(const char *text, int columns)
{
	int more = (int)strlen(text) - (int)utf8_columns(text);

	return columns < 0 ? columns - more : columns + more;
}

/* The bytes of a code point; returns their number. */
static size_t encode(u32 cp, char *buf)
{
	size_t len, i;

	if (cp < 0x80) {
		buf[0] = (char)cp;
		len = 1;
	} else if (cp < 0x800) {
		buf[0] = (char)(0xc0 | cp >> 6);
		len = 2;
	} else if (cp < 0x10000) {
		buf[0] = (char)(0xe0 | cp >> 12);
		len = 3;
	} else {
		buf[0] = (char)(0xf0 | cp >> 18);
		len = 4;
	}
	for (i = len; i-- > 1; cp >>= 6)
		buf[i] = (char)(0x80 | (cp & 0x3f));
	return len;
}

void utf8_put(struct sink *out, u32 cp)
{
	char buf[4];

	sink__put(out, buf, encode(cp, buf));
}

u32 utf8_harmless(u32 cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) ? '?' : cp;
}

void utf8_put_harmless(struct sink *out, const char *text)
{
	size_t plain;
	u32 cp;

	for (;;) {
		plain = utf8_plain(text, "");
		sink__put(out, text, plain);
		text += plain;
		cp = utf8_next(&text);
		if (!cp)
			break;
		utf8_put(out, utf8_harmless(cp));
	}
}

void utf8_put_ascii(struct sink *out, const char *text)
{
	u32 cp, columns;

	while ((cp = utf8_next(&text))) {
		const char *stand_in = cp == 0xb5 ? "u" : cp == 0xb1 ? "~" : "?";

		if (cp < 0x80) {
			utf8_put(out, cp);
			continue;
		}
		for (columns = utf8_width(cp); columns; columns--)
			sink__puts(out, stand_in);
	}
}

const char *utf8_copy_harmless(const char *text, char *buf, size_t sz)
{
	size_t len = 0;
	u32 cp;

	while (len + 4 < sz && (cp = utf8_next(&text)))
		len += encode(utf8_harmless(cp), buf + len);
	buf[len] = '\0';
	return buf;
}

char *utf8_clean(const char *s)
{
	struct sink out;
	char *clean;
	size_t sz;
	u32 cp;

	sz = utf8_plain(s, "");
	if (!s[sz])
		return mem_strndup(s, sz);
	sink__init_mem(&out);
	sink__put(&out, s, sz);
	s += sz;
	while ((cp = utf8_next(&s)))
		utf8_put(&out, cp);
	if (sink__finish(&out, NULL)) {
		sink__done(&out);
		return NULL;
	}
	clean = sink__steal(&out, &sz);
	sink__done(&out);
	return clean;
}
