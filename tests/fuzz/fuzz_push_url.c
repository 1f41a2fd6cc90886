/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "push/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted is a URL of one line, and its name has nothing of what is before an '@'. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[2048];
	struct push_url u;
	size_t sz = size < sizeof(text) - 1 ? size : sizeof(text) - 1;

	if (sz)
		memcpy(text, data, sz);
	text[sz] = '\0';
	if (push_url__parse(&u, text, NULL))
		return 0;
	if (u.target == &push_dir) {
		if (u.base[0] != '/' || strpbrk(u.name, "\r\n\t"))
			abort();
		return 0;
	}
	if (!u.target || strpbrk(u.base, " \r\n\t?#") || strpbrk(u.query, " \r\n\t#") ||
	    strpbrk(u.tenant, "\r\n") || strchr(u.name, '@') || !strstr(u.name, u.base))
		abort();
	return 0;
}
