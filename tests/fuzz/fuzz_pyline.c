/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "symbol/pyline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first byte is the version, the next two the first line; the rest is the table. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view v = view__of(data, size);
	u32 version = 3U << 8 | (view__u8(&v) & 15), first = view__u16(&v), instr, line;

	for (instr = 0; instr < 4096; instr = instr * 2 + 1) {
		line = pyline_find(version, first, v, false, instr);
		if (line > INT32_MAX)
			abort();
		if (pyline_find(version, first, v, true, instr) > line)
			abort();
	}
	return 0;
}
