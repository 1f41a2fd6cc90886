/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chains of futures, by a table that is hostile and in memory that is: what comes from the process
 * that reads debug information is the first part of the input, the futures are the rest. A word
 * whose upper half is POINTER leads into these.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "async/tokio/tk_awaits.h"

#define AREA_SZ 1024U
#define POINTER 0x50595059U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fill(u8 *area, const uint8_t *data, size_t size)
{
	memset(area, 0, AREA_SZ);
	for (size_t i = 0; i + 8 <= size && i + 8 <= AREA_SZ; i += 8) {
		u64 w;

		memcpy(&w, data + i, sizeof(w));
		if (w >> 32 == POINTER)
			w = (u64)(uintptr_t)area + (u32)w % AREA_SZ;
		memcpy(area + i, &w, sizeof(w));
	}
}

static void check(const struct tk_awaits *a, const struct future_table *t)
{
	if (a->len > TK_STEPS_MAX)
		abort();
	for (u32 i = 0; i < a->len; i++) {
		const struct future_case *c;

		if (a->types[i] >= t->types.len || a->awaits[i] >= t->cases.len)
			abort();
		c = vec__at(&t->cases, a->awaits[i]);
		if (!c->suspended || strlen(c->file) > AREA_SZ * 64)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static u8 area[AREA_SZ];
	struct task_memory mem = { .tgid = (u32)getpid() };
	struct tk_body body = { .mem = &mem, .at = (u64)(uintptr_t)area, .bytes = area };
	struct future_table table;
	struct tk_awaits a, again;
	size_t records;

	if (size < 2)
		return 0;
	records = data[0] * (size - 2) / 255;
	body.sz = data[1] * AREA_SZ / 255;
	fill(area, data + 2 + records, size - 2 - records);
	future_table__init(&table);
	if (future_table__parse(&table, view__of(data + 2, records)))
		table.types.len = 0;
	for (u32 type = 1; type < table.types.len && type < 64; type++) {
		tk_awaits__read(&a, &table, type, &body);
		check(&a, &table);
		tk_awaits__read(&again, &table, type, &body);
		if (!tk_awaits__equal(&a, &again))
			abort();
	}
	future_table__done(&table);
	return 0;
}
