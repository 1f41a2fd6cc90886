/* SPDX-License-Identifier: Apache-2.0 */
#include "web/source/own_cost.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text/units.h"

/* The second number of statm, in pages. */
u64 own_rss_bytes(void)
{
	char *text, *from;
	u64 pages = 0;
	size_t sz;

	if (file_read("/proc/self/statm", 4096, &text, &sz, NULL))
		return 0;
	from = strchr(text, ' ');
	if (from) {
		from++;
		from[strcspn(from, " ")] = '\0';
		if (units_parse_u64(from, 0, ~0ULL, &pages, NULL))
			pages = 0;
	}
	mem_free(text);
	return pages * (u64)sysconf(_SC_PAGESIZE);
}
