/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A screen lives for one picture, so its spans are in an arena. Text is clipped by columns as it is
 * written: names of programs may have wide, combining or control characters.
 */
#include "tui/screen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/sink.h"
#include "base/text/utf8.h"

#define LINE_SZ 1024

bool attr_cause(u32 attr, u32 *ret_cause)
{
	*ret_cause = (attr >> 8) - 1;
	return attr >> 8;
}

int screen__init(struct screen *s, u32 rows, u32 cols, bool ascii)
{
	memset(s, 0, sizeof(*s));
	arena__init(&s->arena);
	s->lines = arena__array(&s->arena, rows ? rows : 1, sizeof(*s->lines));
	if (!s->lines)
		return -ENOMEM;
	s->rows = rows;
	s->cols = cols;
	s->ascii = ascii;
	return 0;
}

void screen__done(struct screen *s)
{
	arena__done(&s->arena);
	s->lines = NULL;
	s->rows = 0;
}

u32 screen__left(const struct screen *s, u32 row)
{
	return row < s->rows && s->lines[row].col < s->cols ? s->cols - s->lines[row].col : 0;
}

static void append(struct screen *s, struct screen_line *line, u32 attr, const char *text)
{
	struct span *span = arena__alloc(&s->arena, sizeof(*span));
	char *copy = span ? arena__strdup(&s->arena, text) : NULL;

	if (!copy) {
		s->failed = true;
		return;
	}
	*span = (struct span){ .text = copy, .attr = attr };
	if (line->last)
		line->last->next = span;
	else
		line->first = span;
	line->last = span;
}

/* As much of the text as the columns hold. */
static void clip(struct sink *out, const char *text, u32 columns, u32 *taken)
{
	u32 cp;

	while ((cp = utf8_next(&text))) {
		u32 width;

		cp = utf8_harmless(cp);
		width = utf8_width(cp);
		if (*taken + width > columns)
			return;
		utf8_put(out, cp);
		*taken += width;
	}
}

static char *clipped(const struct screen *s, const char *text, u32 columns, u32 *taken)
{
	struct sink whole, plain;
	char *copy;
	size_t len;

	sink__init_mem(&whole);
	clip(&whole, text, columns, taken);
	copy = sink__steal(&whole, &len);
	sink__done(&whole);
	if (!copy || !s->ascii)
		return copy;
	sink__init_mem(&plain);
	utf8_put_ascii(&plain, copy);
	mem_free(copy);
	copy = sink__steal(&plain, &len);
	sink__done(&plain);
	return copy;
}

void screen__put(struct screen *s, u32 row, u32 attr, const char *text)
{
	u32 left = screen__left(s, row), taken = 0;
	char *fits = left ? clipped(s, text, left, &taken) : NULL;

	if (!left)
		return;
	if (!fits) {
		s->failed = true;
		return;
	}
	if (*fits)
		append(s, &s->lines[row], attr, fits);
	s->lines[row].col += taken;
	mem_free(fits);
}

void screen__printf(struct screen *s, u32 row, u32 attr, const char *fmt, ...)
{
	char text[LINE_SZ];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	screen__put(s, row, attr, text);
}

void screen__pad(struct screen *s, u32 row, u32 attr, u32 col)
{
	u32 at = row < s->rows ? s->lines[row].col : col;

	if (col > s->cols)
		col = s->cols;
	while (at < col) {
		u32 n = col - at < 64 ? col - at : 64;

		screen__printf(s, row, attr, "%*s", (int)n, "");
		at += n;
	}
}

void screen__put_right(struct screen *s, u32 row, u32 attr, const char *text, u32 col)
{
	u32 width = (u32)utf8_columns(text);

	screen__pad(s, row, attr, col > width ? col - width : 0);
	screen__put(s, row, attr, text);
}

void screen__cut(struct screen *s, u32 row, u32 col)
{
	const struct span *span = row < s->rows ? s->lines[row].first : NULL;
	u32 cols = s->cols;

	if (!span)
		return;
	s->lines[row] = (struct screen_line){ 0 };
	s->cols = col;
	for (; span; span = span->next)
		screen__put(s, row, span->attr, span->text);
	s->cols = cols;
}
