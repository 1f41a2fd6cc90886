/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_SIZES_H
#define CAPTURE_PROGRAM_SIZES_H

#include "base/err.h"
#include "base/types.h"

/*
 * Sizes the kernel's tables so that all of them together stay below a limit even when full. Pure
 * arithmetic; bytes are what the kernel's allocator uses, not what was requested. Programs are not
 * included.
 */

/*
 * Defaults without unwind tables, for some processes or threads and for the whole machine: the
 * limit for tables allocated at load. Tables that allocate as they fill may grow to four times as
 * much: a usual process never fills them, and 10,000 short-lived threads lose nothing.
 */
#define SIZES_SOME_BYTES (32ULL << 20)
#define SIZES_ALL_BYTES (48ULL << 20)
#define SIZES_GROWTH 4

enum table_kind {
	TABLE_HASH, /* allocates as it fills */
	TABLE_HASH_FULL, /* allocates everything at once */
	TABLE_LRU, /* likewise */
	TABLE_ARRAY,
	TABLE_PER_CPU, /* an array for each possible CPU */
	TABLE_RING, /* `entries` are bytes */
	TABLE_STORAGE, /* in the threads themselves; the kernel's count excludes the entries */
};

struct table_shape {
	enum table_kind kind;
	u32 key_sz;
	u32 value_sz;
	u32 cpus; /* TABLE_PER_CPU */
};

/* The maximum size of a table with that many entries. */
u64 table_shape__bytes(const struct table_shape *shape, u64 entries);
/* What a table with room for `entries` uses now, by the kernel's count: memlock in fdinfo. */
u64 table_shape__used_bytes(const struct table_shape *shape, u64 entries, u64 counted);
/* The number of entries that fit into `bytes`; may be 0. */
u64 table_shape__entries(const struct table_shape *shape, u64 bytes);

/* Number of stack tables, from short to long stacks. */
#define SIZES_STACKS 3

struct sizes_wish {
	u64 limit; /* bytes for everything that follows */
	u64 apart; /* bytes reserved for something else, for the message */
	u64 fixed; /* of all other tables */
	struct table_shape waits;
	struct table_shape stacks[SIZES_STACKS];
	u64 max_waits; /* explicit; 0: as many as fit */
	u64 max_stacks; /* of all tables; at least 3 */
};

struct sizes {
	u32 waits;
	u32 stacks[SIZES_STACKS];
	u64 bytes; /* of all */
};

/*
 * Divides what the other tables leave. -ENOSPC if that is too little to be useful, or explicit
 * values do not fit: the message says how much they need.
 */
int sizes__divide(struct sizes *s, const struct sizes_wish *wish, struct err *err);

#endif
