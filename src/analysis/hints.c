/* SPDX-License-Identifier: Apache-2.0 */
/* Chosen once, for the terminal, the JSON and the page: three who say it must not differ. */
#include "analysis/hints.h"

#include "analysis/cause.h"
#include "analysis/summary.h"

void hints__choose(const struct top *kinds, struct hints *ret)
{
	u64 least_ns = summary_busy_ns(kinds) / HINTS_MAX, told = 0;
	u32 i;

	ret->len = 0;
	for (i = 0; i < kinds->len - kinds->idle && ret->len < HINTS_MAX; i++) {
		const struct top_row *row = &kinds->rows[i];

		if (!*top_row__hint(row) || told >> row->cause & 1 || top_row__ns(row) < least_ns)
			continue;
		told |= 1ULL << row->cause;
		ret->rows[ret->len++] = row;
	}
}
