/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries are kept in 16 bytes each, in the order of their coming, which is their rank. The sweep
 * of spans settles the overlaps, all anew when there is more: a log is read seldom, before a
 * profile gets its names, and sorting a million entries takes less than writing them did.
 */
#include "symbol/code_log.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

int code_log__init(struct code_log *log)
{
	int r;

	*log = (struct code_log){ 0 };
	vec__init(&log->entries, sizeof(struct code_entry));
	r = strtab__init(&log->names);
	return r ? r : spans__init(&log->spans);
}

void code_log__done(struct code_log *log)
{
	if (!log)
		return;
	vec__done(&log->entries);
	strtab__done(&log->names);
	spans__done(&log->spans);
}

int code_log__add(struct code_log *log, u64 start, u64 sz, const char *name, size_t len,
		  u32 *ret_id)
{
	struct code_entry *entry;
	u32 id;

	if (!sz || start + sz <= start || !len || !*name)
		return -EINVAL;
	if (log->entries.len >= CODE_LOG_ENTRIES_MAX ||
	    log->names.bytes.len + len >= CODE_LOG_NAMES_MAX_SZ) {
		log->dropped++;
		return -ENOSPC;
	}
	if (strtab__add_len(&log->names, name, len, &id))
		return -ENOMEM;
	entry = vec__push(&log->entries);
	if (!entry)
		return -ENOMEM;
	entry->start = start;
	entry->len = sz < UINT32_MAX ? (u32)sz : UINT32_MAX;
	entry->name = id;
	if (ret_id)
		*ret_id = (u32)log->entries.len - 1;
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

int code_log__settle(struct code_log *log)
{
	size_t i, len = log->entries.len;
	struct span *ranges;
	int r;

	if (log->settled == len)
		return 0;
	ranges = mem_array(len, sizeof(*ranges));
	if (!ranges)
		return -ENOMEM;
	for (i = 0; i < len; i++) {
		const struct code_entry *entry = vec__at(&log->entries, i);

		ranges[i] = (struct span){ .start = entry->start,
					   .end = entry->start + entry->len,
					   .rank = i,
					   .name = (u32)i };
	}
	qsort(ranges, len, sizeof(*ranges), compare_starts);
	r = spans__build(&log->spans, ranges, len);
	mem_free(ranges);
	if (!r)
		log->settled = len;
	return r;
}

bool code_log__find(const struct code_log *log, u64 addr, u32 *ret_id)
{
	u64 start;

	return spans__find_id(&log->spans, addr, ret_id, &start);
}

const struct code_entry *code_log__entry(const struct code_log *log, u32 id)
{
	return vec__at(&log->entries, id);
}

const char *code_log__name(const struct code_log *log, u32 id)
{
	return strtab__get(&log->names, code_log__entry(log, id)->name);
}
