/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "elf/gopclntab.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Seeds are bare tables; the way to them through an ELF file is fuzz_elf's. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gopclntab *gp = NULL;
	const char *name;
	u64 start, end;
	size_t i, idx;
	u32 line;

	if (gopclntab__open_mem(view__of(data, size), 0x500000, 0x401000, &gp, NULL))
		return 0;
	for (i = 0; i < gopclntab__len(gp) && i < 64; i++) {
		if (!gopclntab__func(gp, i, &start, &end, &name))
			continue;
		if (!*name || end < start)
			abort();
		if (start < end && (!gopclntab__find(gp, start, &idx) || idx < i))
			abort();
		gopclntab__line(gp, start, &name, &line);
		gopclntab__line(gp, end - 1, &name, &line);
		gopclntab__frame(gp, start, &line, &name);
		gopclntab__frame(gp, end - 1, &line, &name);
	}
	gopclntab__free(gp);
	return 0;
}
