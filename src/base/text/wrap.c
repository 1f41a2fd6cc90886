/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text/wrap.h"

#include <string.h>

#include "base/text/utf8.h"

/*
 * Words are printed one by one, each with the space or line break before it, so no line ends with a
 * space. A word too long for a line gets its own. File names are printed without control
 * characters.
 */

static void put_word(struct sink *out, const char *word, size_t len)
{
	const char *end = word + len;

	while (word < end)
		utf8_put(out, utf8_harmless(utf8_next(&word)));
}

const char *wrap_text(struct sink *out, const char *text, int column, int indent)
{
	const char *p = text;

	while (*p && strncmp(p, "\n\n", 2)) {
		size_t len;
		int wide;

		p += strspn(p, " ");
		if (*p == '\n' && p[1] != '\n')
			p++;
		len = strcspn(p, " \n");
		if (!len)
			continue;
		wide = (int)utf8_columns_until(p, p + len);
		if (column > indent && column + 1 + wide > WRAP_COLUMNS) {
			sink__printf(out, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			sink__puts(out, " ");
			column++;
		}
		put_word(out, p, len);
		column += wide;
		p += len;
	}
	sink__puts(out, "\n");
	return p + strspn(p, "\n");
}
