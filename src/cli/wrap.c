/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/wrap.h"

#include <string.h>

#include "render/utf8.h"

/*
 * Words are put one by one, each with the space or the line break before it; so there is never a
 * space at the end of a line. A word that is too long for a line gets one for itself. Columns are
 * bytes: our own sentences are ASCII, and of other text only file names are printed here, of which
 * a terminal obeys nothing.
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
