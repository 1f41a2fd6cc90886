/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "symbol/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jitdump *jd = NULL;
	const char *name;
	u64 addr, start;
	u32 line;
	int r;

	if (jitdump__new(&jd, NULL))
		abort();
	r = jitdump__add(jd, view__of(data, size), NULL);
	if (r && r != -EINVAL)
		abort();
	for (addr = 0; addr < 0x10000; addr += 0x3f) {
		if (jitdump__find(jd, addr, &name, &start) && (!*name || start > addr))
			abort();
		jitdump__line(jd, addr, &name, &line);
	}
	jitdump__free(jd);
	return 0;
}
