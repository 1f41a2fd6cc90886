/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_CODE_LOG_H
#define SYMBOL_CODE_LOG_H

#include "base/strtab.h"
#include "base/types.h"
#include "elf/spans.h"

/*
 * Which function lies where, as a run-time compiler tells it piece by piece. Nothing is ever taken
 * back, but memory is used again: where entries overlap the later one is right. Not thread-safe.
 */
struct code_log {
	struct vec entries; /* struct code_entry, as they came */
	struct strtab names;
	struct spans spans; /* as of the last settling */
	size_t settled; /* entries in `spans` */
	u64 dropped; /* entries there was no room for */
};

struct code_entry {
	u64 start;
	u32 len;
	u32 name; /* in `names` */
};

/* Bounds for what one process may make us keep. */
#define CODE_LOG_ENTRIES_MAX (2UL << 20)
#define CODE_LOG_NAMES_MAX_SZ (128UL << 20)

/* -ENOMEM or 0. */
int code_log__init(struct code_log *log);
/* NULL is fine. */
void code_log__done(struct code_log *log);

/*
 * Adds a function of `sz` bytes at `start`; its number goes to *ret_id, if that is given. The name
 * ends at its first NUL. -ENOMEM; -EINVAL for a range that is empty or no range, or no name;
 * -ENOSPC when the log is full.
 */
int code_log__add(struct code_log *log, u64 start, u64 sz, const char *name, size_t len,
		  u32 *ret_id);
/* Makes everything that was added known to find(). -ENOMEM or 0. */
int code_log__settle(struct code_log *log);
/* The number of the entry that holds `addr`. */
bool code_log__find(const struct code_log *log, u64 addr, u32 *ret_id);
const struct code_entry *code_log__entry(const struct code_log *log, u32 id);
/* Lives until the next add. */
const char *code_log__name(const struct code_log *log, u32 id);

#endif
