/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/object_text.h"

#include <stdio.h>

#include "base/text/units.h"

/* " (82%)" if it is not all of the row. */
static void format_part(u64 ns, const struct top_row *row, char *buf, size_t sz)
{
	u64 whole = top_row__ns(row);

	buf[0] = '\0';
	if (ns < whole && whole)
		snprintf(buf, sz, " (%llu%%)", units_part(100, ns, whole));
}

/* A task runs also while a call of it blocks its thread. */
static void format_owner_time(const struct top_row *row, char *buf, size_t sz)
{
	const struct owner_time *t = &row->owner_time;
	const char *running = row->is_of_tasks ? "running" : "on a CPU";

	buf[0] = '\0';
	if (!t->wall_ns)
		return;
	if (t->cause_ns)
		snprintf(buf, sz, ", itself %llu%% %s and %llu%% %s",
			 units_percent(t->on_ns, t->wall_ns), running,
			 units_percent(t->cause_ns, t->wall_ns), cause_name(t->cause));
	else
		snprintf(buf, sz, ", itself %llu%% %s", units_percent(t->on_ns, t->wall_ns),
			 running);
}

bool object_text(const struct top_row *row, char *buf, size_t sz)
{
	char part[32], itself[128];
	int n = 0;

	buf[0] = '\0';
	if (row->object)
		n = snprintf(buf, sz, "for %s", row->object);
	if (row->owner && (size_t)n < sz) {
		format_part(row->owner_ns, row, part, sizeof(part));
		format_owner_time(row, itself, sizeof(itself));
		snprintf(buf + n, sz - (size_t)n, "%sheld by %s%s%s", n ? ", " : "", row->owner,
			 part, itself);
	}
	return row->object || row->owner;
}
