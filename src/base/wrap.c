/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wrap.h"

#include <string.h>

#include "base/utf8.h"

/*
 * Words are printed one by one, each with the space or line break before it, so no line ends with a
 * space. A word too long for a line gets its own. Columns are bytes: our own sentences are ASCII,
 * and the only other text printed here is file names, without control characters.
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

		p += strspn(p, " ");
		if (*p == '\n' && p[1] != '\n')
			p++;
		len = strcspn(p, " \n");
		if (!len)
			continue;
		if (column > indent && column + 1 + (int)len > WRAP_COLUMNS) {
			sink__printf(out, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			sink__puts(out, " ");
			column++;
		}
		put_word(out, p, len);
		column += (int)len;
		p += len;
	}
	sink__puts(out, "\n");
	return p + strspn(p, "\n");
}
