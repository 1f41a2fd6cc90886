/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/model/output.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

void output__done(struct output *o)
{
	for (u32 i = 0; i < OUTPUT_LINES && o->lines; i++)
		mem_free(o->lines[i]);
	mem_free(o->lines);
	memset(o, 0, sizeof(*o));
}

static int end_line(struct output *o)
{
	u32 at = (o->first + o->len) % OUTPUT_LINES;
	char *line;

	if (!o->lines)
		o->lines = mem_array(OUTPUT_LINES, sizeof(*o->lines));
	o->partial[o->partial_len] = '\0';
	o->partial_len = 0;
	line = o->lines ? mem_strdup(o->partial) : NULL;
	if (!line)
		return -ENOMEM;
	mem_free(o->lines[at]);
	o->lines[at] = line;
	if (o->len < OUTPUT_LINES) {
		o->len++;
		return 0;
	}
	o->first = (o->first + 1) % OUTPUT_LINES;
	o->dropped++;
	return 0;
}

int output__add(struct output *o, const char *bytes, size_t len)
{
	int r = 0;

	for (size_t i = 0; i < len && !r; i++) {
		bool ends = bytes[i] == '\n' || bytes[i] == '\r';

		/* "\r\n" is one end */
		if (ends && !o->partial_len && i && bytes[i - 1] == '\r')
			continue;
		if (!ends)
			o->partial[o->partial_len++] = bytes[i] == '\t' || !bytes[i] ? ' ' :
										       bytes[i];
		if (ends || o->partial_len == OUTPUT_LINE_SZ - 1)
			r = end_line(o);
	}
	return r;
}

const char *output__line(const struct output *o, u32 idx)
{
	return idx < o->len ? o->lines[(o->first + idx) % OUTPUT_LINES] : NULL;
}
