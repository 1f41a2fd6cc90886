/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entries take 16 bytes each, in order of arrival, which is their rank. The sweep of spans resolves
 * overlaps, from scratch when there are new entries: a log is read rarely, before a profile gets
 * its names, and sorting a million entries takes less time than writing them did.
 */
#include "symbol/code_log.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
	    log->names.bytes.len + len >= CODE_LOG_NAMES_MAX_SZ)
		return -ENOSPC;
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

/* Adds an entry of `from` to `to`, which has room for it. */
static int copy_entry(const struct code_log *from, u32 id, struct code_log *to)
{
	const struct code_entry *entry = code_log__entry(from, id);
	const char *name = code_log__name(from, id);

	return code_log__add(to, entry->start, entry->len, name, strlen(name), NULL);
}

static int copy_visible(const struct code_log *from, struct code_log *to)
{
	size_t i, len = from->entries.len;
	u8 *seen = mem_alloc(len ? len : 1);
	int r = seen ? 0 : -ENOMEM;

	for (i = 0; !r && i < spans__len(&from->spans); i++)
		seen[spans__id_at(&from->spans, i)] = 1;
	for (i = 0; !r && i < len; i++)
		if (seen[i])
			r = copy_entry(from, (u32)i, to);
	mem_free(seen);
	return r;
}

int code_log__compact(struct code_log *log)
{
	struct code_log smaller;
	int r;

	if (log->entries.len - log->compacted < CODE_LOG_COMPACT_AFTER)
		return 0;
	r = code_log__init(&smaller);
	if (!r)
		r = code_log__settle(log);
	if (!r)
		r = copy_visible(log, &smaller);
	if (r) {
		code_log__done(&smaller);
		return r;
	}
	smaller.dropped = log->dropped;
	smaller.compacted = smaller.entries.len;
	code_log__done(log);
	*log = smaller;
	return 0;
}
