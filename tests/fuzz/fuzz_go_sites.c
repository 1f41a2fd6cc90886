/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "async/go/go_sites.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define AT 0x431840

/* Code of a function: each site is a call that is whole, and they come in order. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct go_callees to = { .mcall = AT + 0x40, .casgstatus = AT + 0x40 };

	for (int parks = 0; parks < 2; parks++) {
		struct vec sites;
		u64 before = 0;

		vec__init(&sites, sizeof(struct go_site));
		if (go_sites_scan(view__of(data, size), AT, &to, parks, &sites))
			abort();
		for (size_t i = 0; i < sites.len; i++) {
			const struct go_site *site = vec__at(&sites, i);

			if (site->off + 5 > size || data[site->off] != 0xe8 ||
			    (i && site->off <= before) || site->is_end == parks)
				abort();
			before = site->off;
		}
		vec__done(&sites);
	}
	return 0;
}
