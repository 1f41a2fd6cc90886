/* SPDX-License-Identifier: Apache-2.0 */
/* Text on the summary's screen: marks, shares, and names of untrusted programs within columns. */
#include <stdio.h>
#include <string.h>

#include "base/text/utf8.h"
#include "render/text/summary_priv.h"

const char *screen_bold(const struct screen *s)
{
	return s->opt->color ? "\033[1m" : "";
}

const char *screen_dim(const struct screen *s)
{
	return s->opt->color ? "\033[2m" : "";
}

const char *screen_plain(const struct screen *s)
{
	return s->opt->color ? "\033[0m" : "";
}

/* "12.3%" of a whole; "-" when there is none. */
void screen_format_share(u64 part, u64 whole, char *buf, size_t sz)
{
	u64 permille;

	if (!whole) {
		snprintf(buf, sz, "-");
		return;
	}
	permille = (u64)(((unsigned __int128)part * 1000 + whole / 2) / whole);
	snprintf(buf, sz, "%llu.%llu%%", permille / 10, permille % 10);
}

/* Up to the next place where a line may end: not between a number and its unit. */
static size_t word_len(const char *text)
{
	size_t len = strcspn(text, " ");

	while (text[len] && len && text[len - 1] >= '0' && text[len - 1] <= '9')
		len += 1 + strcspn(text + len + 1, " ");
	return len;
}

static void put_words(const struct screen *s, const char *text, u32 column, u32 indent)
{
	bool first = true;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		const char *end = text + word_len(text);

		if (!first && column + 1 + utf8_columns_until(text, end) > s->columns) {
			sink__printf(s->out, "\n%*s", (int)indent, "");
			column = indent;
		} else if (!first) {
			sink__puts(s->out, " ");
			column++;
		}
		first = false;
		while (text < end) {
			u32 cp = utf8_harmless(utf8_next(&text));

			if (column + utf8_width(cp) > s->columns) {
				sink__printf(s->out, "\n%*s", (int)indent, "");
				column = indent;
			}
			utf8_put(s->out, cp);
			column += utf8_width(cp);
		}
	}
}

void screen_put_wrapped(const struct screen *s, const char *text, u32 column, u32 indent)
{
	put_words(s, text, column, indent);
	sink__puts(s->out, "\n");
}

void screen_put_bold(const struct screen *s, const char *text, u32 column, u32 indent)
{
	sink__puts(s->out, screen_bold(s));
	put_words(s, text, column, indent);
	sink__printf(s->out, "%s\n", screen_plain(s));
}
