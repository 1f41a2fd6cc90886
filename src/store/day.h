/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORE_DAY_H
#define STORE_DAY_H

#include "base/types.h"

/*
 * Files of a store: one for each UTC day, "2026-11-25.coldspot". If a day needs more than one, the
 * others are its parts, from 2 on: "2026-11-25.2.coldspot".
 */
struct store_day {
	u32 day; /* since 1970-01-01 */
	u32 part; /* from 1 on */
};

#define STORE_NAME_SZ 48
#define STORE_PART_MAX 9999

u32 store_day_of(u64 wall_ns);
/* The instant at which it begins. */
u64 store_day_begin_ns(u32 day);
/* The name of its file; `name` has STORE_NAME_SZ bytes. */
void store_day_name(const struct store_day *d, char *name);
/* False: no file of a store has that name. */
bool store_day_parse(const char *name, struct store_day *ret);
/* Order of time; as in qsort(). */
int store_day_compare(const struct store_day *a, const struct store_day *b);

#endif
