/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/name/java_name.h"

#include <stdio.h>
#include <string.h>

/* Packages that come with the JDK. */
static const char *const library_packages[] = {
	"java.", "javax.", "jdk.", "sun.", "com.sun.",
};

/* The class and the method, without the text around them; false if it is not such a name. */
static bool find(const char *name, const char **ret_start, size_t *ret_len)
{
	size_t len = strcspn(name, "(");
	const char *start = memrchr(name, ' ', len);

	if (!start || name[len] != '(' || name[strlen(name) - 1] != ')')
		return false;
	*ret_start = start + 1;
	*ret_len = len - (size_t)(start + 1 - name);
	return memchr(*ret_start, '.', *ret_len);
}

bool java_name_is(const char *name)
{
	const char *start;
	size_t len;

	return find(name, &start, &len);
}

bool java_name_is_library(const char *name)
{
	const char *start;
	size_t len, i;

	if (!find(name, &start, &len))
		return false;
	for (i = 0; i < ARRAY_LEN(library_packages); i++) {
		if (strncmp(start, library_packages[i], strlen(library_packages[i])) == 0)
			return true;
	}
	return memmem(start, len, "$$Lambda", 8);
}

void java_name_shorten(const char *name, char *buf, size_t sz)
{
	const char *start, *p;
	size_t len, dots = 0;

	if (!find(name, &start, &len)) {
		snprintf(buf, sz, "%s", name);
		return;
	}
	for (p = start + len; p > start; p--) {
		if (p[-1] == '.' && ++dots == 2)
			break;
	}
	snprintf(buf, sz, "%.*s", (int)(start + len - p), p);
}
