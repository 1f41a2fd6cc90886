/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_CODE_LOG_H
#define SYMBOL_CODE_LOG_H

#include "base/strtab.h"
#include "base/types.h"
#include "elf/spans.h"

/*
 * Which function is where, as a JIT compiler reports them. Entries are never withdrawn, but memory
 * is reused: where entries overlap, the later one is right. Not thread-safe.
 */
struct code_log {
	struct vec entries; /* struct code_entry, in order of arrival */
	struct strtab names;
	struct spans spans; /* as of the last settling */
	size_t settled; /* entries in `spans` */
	size_t compacted; /* entries left after the last compaction */
	u64 dropped; /* entries that did not fit */
};

struct code_entry {
	u64 start;
	u32 len;
	u32 name; /* in `names` */
};

/* Limits on what one process can make us keep. */
#define CODE_LOG_ENTRIES_MAX (2UL << 20)
/* Entries that must come between two compactions. */
#define CODE_LOG_COMPACT_AFTER (CODE_LOG_ENTRIES_MAX / 8)
#define CODE_LOG_NAMES_MAX_SZ (128UL << 20)

/* -ENOMEM or 0. */
int code_log__init(struct code_log *log);
/* NULL is fine. */
void code_log__done(struct code_log *log);

/*
 * Adds a function of `sz` bytes at `start` and stores its number in *ret_id, unless that is NULL.
 * The name ends at its first NUL. -ENOMEM; -EINVAL if the range is empty or invalid or the name is
 * missing; -ENOSPC if the log is full: the caller counts it in `dropped` if it gives up.
 */
int code_log__add(struct code_log *log, u64 start, u64 sz, const char *name, size_t len,
		  u32 *ret_id);
/*
 * Drops entries that later ones cover, to make room; entry numbers change. For a full log. Does
 * nothing if few entries were added since the last compaction, because sorting them all again would
 * cost more than it frees. -ENOMEM or 0.
 */
int code_log__compact(struct code_log *log);
/* Makes everything added so far visible to find(). -ENOMEM or 0. */
int code_log__settle(struct code_log *log);
/* The number of the entry that contains `addr`. */
bool code_log__find(const struct code_log *log, u64 addr, u32 *ret_id);
const struct code_entry *code_log__entry(const struct code_log *log, u32 id);
/* Lives until the next add. */
const char *code_log__name(const struct code_log *log, u32 id);

#endif
