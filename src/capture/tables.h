/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_TABLES_H
#define CAPTURE_TABLES_H

#include "base/err.h"
#include "base/types.h"

/*
 * Reads a BPF hash table whole, in batches, one callback an entry: a few ms for 10,000 entries
 * where key by key takes tens. While the table grows, an entry that is added may be missed, and
 * numbers of one value may be of different moments; nothing may be taken out of it. `each` returns
 * a negative errno to stop.
 */
typedef int table_fn(void *arg, const void *key, const void *value);
int table_read(int fd, size_t key_sz, size_t value_sz, table_fn *each, void *arg, struct err *err);

#endif
