/* SPDX-License-Identifier: Apache-2.0 */
/* Control bytes are not allowed in XML, not even as references. */
#include "render/encode/xml_text.h"

#include "base/text/utf8.h"

/* Unescaped characters at the start, at most `max`; they have one byte each. */
static size_t plain_len(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n] >= 0x20 && s[n] < 0x7f && s[n] != '&' && s[n] != '<' &&
	       s[n] != '>' && s[n] != '"' && s[n] != '\'')
		n++;
	return n;
}

void xml_text_put(struct sink *out, const char *text, size_t max)
{
	size_t n = 0;
	u32 cp;

	for (;;) {
		size_t plain = plain_len(text, max - n);

		sink__put(out, text, plain);
		text += plain;
		n += plain;
		cp = utf8_next(&text);
		if (!cp)
			return;
		if (n++ == max) {
			sink__puts(out, "..");
			return;
		}
		if (cp == '&')
			sink__puts(out, "&amp;");
		else if (cp == '<')
			sink__puts(out, "&lt;");
		else if (cp == '>')
			sink__puts(out, "&gt;");
		else if (cp == '"')
			sink__puts(out, "&quot;");
		else if (cp == '\'')
			sink__puts(out, "&#39;");
		else if (cp < 0x20 || cp == 0xfffe || cp == 0xffff)
			utf8_put(out, UTF8_BAD);
		else
			utf8_put(out, cp);
	}
}
