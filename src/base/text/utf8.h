/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TEXT_UTF8_H
#define BASE_TEXT_UTF8_H

#include "base/sink.h"
#include "base/types.h"

/* Names come from programs, so they may contain any bytes except NUL. */

#define UTF8_BAD 0xfffd /* replaces a byte that is not UTF-8 */

/*
 * The code point at *p, and advances *p; 0 at the end. A byte that does not begin a valid, shortest
 * form is UTF8_BAD by itself.
 */
u32 utf8_next(const char **p);
/*
 * Length of the prefix of `s` that is printable ASCII and contains none of `but` (two characters at
 * most). Most text is, and can be copied unchanged.
 */
size_t utf8_plain(const char *s, const char *but);
/* Number of code points. */
size_t utf8_len(const char *s);
/* Columns on a terminal: 2 for wide characters, 0 for combining ones. */
u32 utf8_width(u32 cp);
size_t utf8_columns(const char *s);
/* Of the text before `end`. */
u32 utf8_columns_until(const char *s, const char *end);
/*
 * For "%*s": the width in bytes with which `text` takes `columns` columns on a terminal. Negative
 * for the left edge, as in printf().
 */
int utf8_pad(const char *text, int columns);
/* Writes one code point. */
void utf8_put(struct sink *out, u32 cp);
/*
 * For output on a terminal: the code point, or '?' for a control character (C0, DEL, and C1: U+0080
 * .. U+009F), so that a line of names stays one line.
 */
u32 utf8_harmless(u32 cp);
/* All of `text` in that form. */
void utf8_put_harmless(struct sink *out, const char *text);
/* The same into memory, as many whole characters as fit; returns `buf`. */
const char *utf8_copy_harmless(const char *text, char *buf, size_t sz);
/* `text` for a terminal without UTF-8, in as many columns: 'u' for 'µ', '~' for '±', else '?'. */
void utf8_put_ascii(struct sink *out, const char *text);
/* Valid UTF-8 from any bytes; free with mem_free(). NULL when out of memory. */
char *utf8_clean(const char *s);

#endif
