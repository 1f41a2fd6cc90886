/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"
#include "base/text/suffix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1), buf[256], stripped[256];
	const char *left;

	memcpy(name, data, size);
	name[size] = '\0';
	if (demangle_name(name, buf, sizeof(buf)) && strnlen(buf, sizeof(buf)) == sizeof(buf))
		abort();
	left = suffix_strip(name, stripped, sizeof(stripped));
	if (strlen(left) > strlen(name) || (*name && !*left))
		abort();
	free(name);
	return 0;
}
