/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_SIZES_H
#define CAPTURE_SIZES_H

#include "base/err.h"
#include "base/types.h"

/*
 * How large the kernel's tables are made, so that all of them together stay below a limit even when
 * every one is full. Pure arithmetic; bytes are what the kernel's allocator takes, not what was
 * asked of it. Not in these sums: programs.
 */

/*
 * Defaults beside unwind tables, of some processes or threads and of the whole machine: what tables
 * may take that have their memory at load. Those that take it as they fill may grow to four times
 * as much: a usual process never fills them, and 10,000 threads that are born and die lose nothing.
 */
#define SIZES_SOME_BYTES (32ULL << 20)
#define SIZES_ALL_BYTES (48ULL << 20)
#define SIZES_GROWTH 4

enum table_kind {
	TABLE_HASH, /* takes memory as it fills */
	TABLE_HASH_FULL, /* takes all of its memory at once */
	TABLE_LRU, /* likewise */
	TABLE_ARRAY,
	TABLE_PER_CPU, /* an array for each CPU that may ever be there */
	TABLE_RING, /* `entries` are bytes */
	TABLE_STORAGE, /* in the threads themselves; the kernel's count leaves the entries out */
};

struct table_shape {
	enum table_kind kind;
	u32 key_sz;
	u32 value_sz;
	u32 cpus; /* TABLE_PER_CPU */
};

/* The most that a table with that many entries takes. */
u64 table_shape__bytes(const struct table_shape *shape, u64 entries);
/* What one with room for `entries` takes now, by the kernel's count of it: memlock in fdinfo. */
u64 table_shape__used_bytes(const struct table_shape *shape, u64 entries, u64 counted);
/* The most entries that `bytes` suffice for; 0 is possible. */
u64 table_shape__entries(const struct table_shape *shape, u64 bytes);

/* Tables of stacks, for short ones to long ones. */
#define SIZES_STACKS 3

struct sizes_wish {
	u64 limit; /* bytes of everything that follows */
	u64 apart; /* bytes that belong to something else, for the sentence */
	u64 fixed; /* of all other tables */
	struct table_shape waits;
	struct table_shape stacks[SIZES_STACKS];
	u64 max_waits; /* by hand; 0: as many as there is room for */
	u64 max_stacks; /* of all tables; 3 at least */
};

struct sizes {
	u32 waits;
	u32 stacks[SIZES_STACKS];
	u64 bytes; /* of all */
};

/*
 * Divides what the other tables leave. -ENOSPC when that is too little to be of use, or what was
 * asked for by hand does not fit: the sentence says how much it takes.
 */
int sizes__divide(struct sizes *s, const struct sizes_wish *wish, struct err *err);

#endif
