/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "push/cursor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct push_place place;

	if (push_cursor_parse(view__of(data, size), &place) && place.at.file.part > STORE_PART_MAX)
		abort();
	return 0;
}
