/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "symbol/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfmap *pm = NULL;
	const char *name;
	u64 addr, start;

	/* in two pieces, as a file that grows */
	if (perfmap__new(&pm, NULL) || perfmap__add(pm, view__of(data, size / 2), NULL) ||
	    perfmap__add(pm, view__of(data + size / 2, size - size / 2), NULL))
		abort();
	for (addr = 0; addr < 0x10000; addr += 0x3f) {
		if (perfmap__find(pm, addr, &name, &start) && (!*name || start > addr))
			abort();
	}
	perfmap__free(pm);
	return 0;
}
