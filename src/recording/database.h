/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_DATABASE_H
#define RECORDING_DATABASE_H

#include <sqlite3.h>

#include "base/err.h"
#include "base/types.h"
#include "recording/block/block.h"

/* The SQLite side of a recording. Errors name the file. */
struct database {
	sqlite3 *db;
	const char *path; /* borrowed; for messages */
	void *map; /* of database__open_bare() */
	size_t map_sz;
};

/* A new database with the schema. NULL: in memory. Close in any case. */
int database__create(struct database *d, const char *path, struct err *err);
/* An existing one, for writing more. Takes in a log that was left. Does not check its content. */
int database__reopen(struct database *d, const char *path, struct err *err);
/* An existing one, for reading. Does not check its content yet. */
int database__open(struct database *d, const char *path, struct err *err);
/*
 * The same without its first page, which is replaced by that of an empty recording, and without
 * locks and write-ahead log: for a file that is truncated or whose schema is unreadable. Only
 * `blocks` and the ids of `windows` are available.
 */
int database__open_bare(struct database *d, const char *path, struct err *err);
void database__close(struct database *d);

/* The SQLite error that just occurred: -EBADMSG for damage, -ENOMEM, -ENOSPC, -EIO, ... */
int database__fail(const struct database *d, struct err *err);
int database__exec(struct database *d, const char *sql, struct err *err);
/* The caller finalizes *ret_stmt, with sqlite3_finalize(), even if it is NULL. */
int database__prepare(struct database *d, const char *sql, sqlite3_stmt **ret_stmt,
		      struct err *err);
/* Steps: 1 for a row, 0 at the end, or the error. */
int database__step(struct database *d, sqlite3_stmt *stmt, struct err *err);
/* The number that a query returns; 0 if none. */
int database__number(struct database *d, const char *sql, s64 *ret, struct err *err);
/*
 * The bytes of a block; the caller frees *ret_data. 1, 0 if there is none, or the error of the
 * database, without a message.
 */
int database__block(struct database *d, u32 window, enum block_kind kind, u8 **ret_data,
		    size_t *ret_sz);

#endif
