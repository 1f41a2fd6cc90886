/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats with only names and numbers need no tree of objects, only this. DEL and the line
 * separators of JavaScript are escaped in addition to what JSON requires, so that the text is
 * harmless for a terminal or a script.
 */
#include "render/encode/json_text.h"

#include "base/text/utf8.h"

void json_text_put(struct sink *out, const char *s)
{
	size_t plain;
	u32 cp;

	sink__put(out, "\"", 1);
	for (;;) {
		plain = utf8_plain(s, "\"\\");
		sink__put(out, s, plain);
		s += plain;
		cp = utf8_next(&s);
		if (!cp)
			break;
		if (cp == '"' || cp == '\\')
			sink__printf(out, "\\%c", (char)cp);
		else if (cp < 0x20 || cp == 0x7f || cp == 0x2028 || cp == 0x2029)
			sink__printf(out, "\\u%04x", cp);
		else
			utf8_put(out, cp);
	}
	sink__put(out, "\"", 1);
}
