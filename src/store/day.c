/* SPDX-License-Identifier: Apache-2.0 */
/* A name is accepted only if it is exactly what would be written, so that no two name one part. */
#include "store/day.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define DAY_NS (86400 * NSEC_PER_SEC)
/* 9999-12-31: names have four digits for the year. */
#define DAY_MAX 2932896

u32 store_day_of(u64 wall_ns)
{
	u64 day = wall_ns / DAY_NS;

	return day > DAY_MAX ? DAY_MAX : (u32)day;
}

u64 store_day_begin_ns(u32 day)
{
	return day * DAY_NS;
}

void store_day_name(const struct store_day *d, char *name)
{
	time_t seconds = (time_t)d->day * 86400;
	char part[16] = "";
	struct tm tm;

	gmtime_r(&seconds, &tm);
	if (d->part > 1)
		snprintf(part, sizeof(part), ".%u", d->part % (STORE_PART_MAX + 1));
	snprintf(name, STORE_NAME_SZ, "%04u-%02u-%02u%s.coldspot", ((u32)tm.tm_year + 1900) % 10000,
		 (u32)tm.tm_mon % 12 + 1, (u32)tm.tm_mday % 32, part);
}

bool store_day_parse(const char *name, struct store_day *ret)
{
	char back[STORE_NAME_SZ], day[32];
	u32 part = 1;
	u64 ns;

	if (strlen(name) >= sizeof(back))
		return false;
	snprintf(day, sizeof(day), "%.10s 00:00", name);
	if (clock_parse_wall(day, &ns, NULL))
		return false;
	if (name[10] == '.' && name[11] >= '0' && name[11] <= '9' &&
	    sscanf(name + 11, "%4u", &part) != 1)
		return false;
	*ret = (struct store_day){ store_day_of(ns), part };
	store_day_name(ret, back);
	return !strcmp(back, name);
}

int store_day_compare(const struct store_day *a, const struct store_day *b)
{
	if (a->day != b->day)
		return a->day < b->day ? -1 : 1;
	return a->part < b->part ? -1 : a->part > b->part;
}
