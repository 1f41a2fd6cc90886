/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sink.h"
#include "base/text/utf8.h"

#define LINE_SZ 2048

void lines__init(struct lines *l, u32 cols, bool ascii)
{
	memset(l, 0, sizeof(*l));
	arena__init(&l->arena);
	vec__init(&l->list, sizeof(struct line));
	l->cols = cols;
	l->ascii = ascii;
}

void lines__done(struct lines *l)
{
	vec__done(&l->list);
	arena__done(&l->arena);
}

/* Up to the last space before the column, or all that fits in a word that is too long. */
static const char *end_of_line(const char *text, u32 columns)
{
	const char *p = text, *space = NULL, *here = text;
	u32 taken = 0, cp;

	while ((cp = utf8_next(&p))) {
		taken += utf8_width(utf8_harmless(cp));
		if (taken > columns && here > text)
			return space && space > text ? space : here;
		if (cp == ' ')
			space = here;
		here = p;
	}
	return here;
}

static void push(struct lines *l, u32 attr, u32 indent, const char *text, size_t len)
{
	struct line *line = vec__push(&l->list);
	char *copy = arena__alloc(&l->arena, indent + len + 1);

	if (!line || !copy) {
		l->failed = true;
		l->list.len -= line ? 1 : 0;
		return;
	}
	memset(copy, ' ', indent);
	memcpy(copy + indent, text, len);
	*line = (struct line){ attr, copy };
}

void lines__put(struct lines *l, u32 attr, u32 indent, const char *text)
{
	if (indent + 8 > l->cols)
		indent = 0;
	do {
		const char *end = end_of_line(text, l->cols > indent ? l->cols - indent : 1);

		push(l, attr, indent, text, (size_t)(end - text));
		text = end + strspn(end, " ");
	} while (*text && !l->failed);
}

void lines__printf(struct lines *l, u32 attr, u32 indent, const char *fmt, ...)
{
	char text[LINE_SZ];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	lines__put(l, attr, indent, text);
}
