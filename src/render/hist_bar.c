/* SPDX-License-Identifier: Apache-2.0 */
/* What the histograms of waits and of threads have in common. */
#include "render/hist_bar.h"

#include "base/units.h"
#include "render/utf8.h"

#define STARS 40

void hist_bar_head(struct sink *out, const char *what)
{
	sink__printf(out, "     %-19s : count    distribution\n", what);
}

void hist_bar(struct sink *out, u64 from_ns, u64 below_ns, u64 count, u64 most)
{
	u64 stars = (u64)((unsigned __int128)count * STARS / most), i;
	char from[32] = "0", below[32] = "";

	if (from_ns)
		units_format_ns(from_ns, from, sizeof(from));
	if (~below_ns)
		units_format_ns(below_ns, below, sizeof(below));
	sink__printf(out, "%10s -> %-10s : %-8llu |", from, below, count);
	for (i = 0; i < STARS; i++)
		sink__put(out, i < stars ? "*" : " ", 1);
	sink__puts(out, "|\n");
}

void hist_bar_name(struct sink *out, const char *name)
{
	utf8_put_harmless(out, *name ? name : "[no name]");
}

void hist_bar_json(struct sink *out, u64 from_ns, u64 below_ns, u64 count)
{
	if (~below_ns)
		sink__printf(out, "[%llu,%llu,%llu]", from_ns, below_ns, count);
	else
		sink__printf(out, "[%llu,null,%llu]", from_ns, count);
}
