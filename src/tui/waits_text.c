/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/waits_text.h"

#include <stdio.h>

#include "base/text/units.h"

void waits_text(u64 ns, u64 count, char *buf, size_t sz)
{
	char number[32];

	units_format_count(count, number, sizeof(number));
	if (ns && !count)
		snprintf(buf, sz, "in an unknown number of waits");
	else
		snprintf(buf, sz, "in %s wait%s", number, units_plural(count));
}
