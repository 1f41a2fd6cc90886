/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/request/http_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct http_head h;
	size_t len;

	if (!http_head_parse(&h, view__of(data, size)))
		return 0;
	len = strnlen(h.name, sizeof(h.name));
	if (len == sizeof(h.name) || len < 5)
		abort();
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)h.name[i] < ' ' || (unsigned char)h.name[i] >= 0x7f)
			abort();
	len = strnlen(h.trace, sizeof(h.trace));
	if (len && (len != HTTP_TRACE_LEN || strspn(h.trace, "0123456789abcdef") != len))
		abort();
	return 0;
}
