/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_UTF8_H
#define RENDER_UTF8_H

#include "base/sink.h"
#include "base/types.h"

/* Names come from programs, so they may be any bytes but NUL. */

#define UTF8_BAD 0xfffd /* what stands for a byte that is not UTF-8 */

/*
 * The code point at *p, which moves behind it; 0 at the end. A byte that begins no valid, shortest
 * form is UTF8_BAD by itself.
 */
u32 utf8_next(const char **p);
/*
 * Length of what begins at `s` of printable ASCII and none of `but` (two characters at most): most
 * of all text, which can be copied as it is.
 */
size_t utf8_plain(const char *s, const char *but);
/* Number of code points. */
size_t utf8_len(const char *s);
/* Writes one code point. */
void utf8_put(struct sink *out, u32 cp);
/*
 * For what a terminal may read: the code point, or '?' for one that it would obey, which are C0,
 * DEL and C1 (U+0080 .. U+009F). A line of names stays a line.
 */
u32 utf8_harmless(u32 cp);
/* All of `text` so. */
void utf8_put_harmless(struct sink *out, const char *text);
/* The same into memory, as many whole characters as there is room for; `buf`. */
const char *utf8_copy_harmless(const char *text, char *buf, size_t sz);
/* Valid UTF-8 from any bytes; free with mem_free(). NULL when memory is short. */
char *utf8_clean(const char *s);

#endif
