/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "proc/maps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct maps *m)
{
	size_t i;

	for (i = 0; i < m->len; i++) {
		const struct map_range *r = &m->ranges[i];

		if (r->start >= r->end || (i && r->start < r[-1].end))
			abort();
		if (maps__find(m, r->start) != r || maps__find(m, r->end - 1) != r)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct maps maps;

	if (maps__parse(&maps, view__of(data, size), NULL))
		return 0;
	check(&maps);
	maps__done(&maps);
	return 0;
}
