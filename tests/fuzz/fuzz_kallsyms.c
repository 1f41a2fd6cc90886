/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proc/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *name, *module;
	u64 addr = 0, off, start, end;
	struct kallsyms *k;

	if (kallsyms__parse(&k, view__of(data, size), NULL))
		return 0;
	/* look up what the text itself holds, as an address */
	for (; size >= sizeof(addr); data++, size--) {
		memcpy(&addr, data, sizeof(addr));
		if (!kallsyms__find(k, addr, &name, &module, &off))
			continue;
		if (kallsyms__hidden(k) || !*name || off > addr)
			abort();
		if (!kallsyms__range(k, name, &start, &end) || start > end)
			abort();
	}
	kallsyms__free(k);
	return 0;
}
