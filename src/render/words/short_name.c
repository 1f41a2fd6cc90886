/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names are read character by character, because one may be wide. Brackets count only in pairs:
 * "operator<" and "operator->" have none.
 */
#include "render/words/short_name.h"

#include <string.h>

#include "base/text/utf8.h"

#define GAP ".."

/* The bracket that closes the one at `open`; NULL if none does. */
static const char *closing(const char *open)
{
	const char *p;
	u32 depth = 0;

	for (p = open; *p; p++) {
		if (*p == '<')
			depth++;
		else if (*p == '>' && (p == open || p[-1] != '-') && !--depth)
			return p;
	}
	return NULL;
}

static void put_without_arguments(struct sink *out, const char *name)
{
	const char *end;

	for (; *name; name++) {
		end = *name == '<' && name[1] != '<' ? closing(name) : NULL;
		if (!end || end == name + 1) {
			sink__put(out, name, 1);
			continue;
		}
		sink__puts(out, "<" GAP ">");
		name = end;
	}
}

/* Characters in at most `columns`; returns what is left. */
static const char *put_head(struct sink *out, const char *name, u32 columns)
{
	const char *next = name;
	u32 cp;

	while ((cp = utf8_next(&next)) && utf8_width(cp) <= columns) {
		utf8_put(out, utf8_harmless(cp));
		columns -= utf8_width(cp);
		name = next;
	}
	return name;
}

static void put_in_columns(struct sink *out, const char *name, u32 columns)
{
	u32 head = (columns - (u32)strlen(GAP)) / 2;
	u32 tail = columns - (u32)strlen(GAP) - head;

	if (utf8_columns(name) <= columns) {
		utf8_put_harmless(out, name);
		return;
	}
	name = put_head(out, name, head);
	while (utf8_columns(name) > tail)
		utf8_next(&name);
	sink__puts(out, GAP);
	utf8_put_harmless(out, name);
}

void short_name_put(struct sink *out, const char *name, u32 columns)
{
	struct sink plain;
	int r;

	if (utf8_columns(name) <= columns) {
		utf8_put_harmless(out, name);
		return;
	}
	sink__init_mem(&plain);
	put_without_arguments(&plain, name);
	r = sink__finish(&plain, NULL);
	if (!r)
		put_in_columns(out, plain.buf, columns);
	else if (!out->error)
		out->error = r;
	sink__done(&plain);
}
