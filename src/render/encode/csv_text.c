/* SPDX-License-Identifier: Apache-2.0 */
#include "render/encode/csv_text.h"

#include <string.h>

void csv_text_put(struct sink *out, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		sink__puts(out, s);
		return;
	}
	sink__puts(out, "\"");
	for (; *s; s++)
		sink__put(out, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
	sink__puts(out, "\"");
}
