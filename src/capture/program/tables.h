/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_TABLES_H
#define CAPTURE_PROGRAM_TABLES_H

#include "base/err.h"
#include "base/types.h"

/*
 * Reads a BPF hash table in batches and calls `each` for every entry: a few ms for 10,000 entries,
 * where reading key by key takes tens. If the table grows meanwhile, new entries may be missed, and
 * the numbers of one value may be from different instants. Entries must not be removed meanwhile.
 * `each` returns a negative errno to stop.
 */
typedef int table_fn(void *arg, const void *key, const void *value);
int table_read(int fd, size_t key_sz, size_t value_sz, table_fn *each, void *arg, struct err *err);
/* Reads and empties a table that no hook writes to any more. */
int table_take(int fd, size_t key_sz, size_t value_sz, table_fn *each, void *arg, struct err *err);

/*
 * Removes the entries for which `goes` is true. Hooks may add entries meanwhile; `goes` may or may
 * not be called for those.
 */
typedef bool table_goes_fn(void *arg, const void *key);
int table_remove(int fd, size_t key_sz, table_goes_fn *goes, void *arg, struct err *err);
/* The maximum number of entries; 0 if the kernel does not say. */
u32 table_room(int fd);

#endif
