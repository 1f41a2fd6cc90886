/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_ROW_H
#define RECORDING_ROW_H

#include "recording/database.h"

/*
 * Writes rows to a table, column by column. Binding errors are reported at the end of the row.
 * Numbers too large for SQLite's integers are stored as REAL.
 */
struct row {
	struct database *d;
	sqlite3_stmt *stmt; /* finalized by the caller, with sqlite3_finalize(), also when NULL */
	int col;
};

/* "INSERT INTO table VALUES(?,?,...) more" */
int row__begin(struct row *row, struct database *d, const char *table, u32 cols, const char *more,
	       struct err *err);
void row__text(struct row *row, const char *text);
void row__u64(struct row *row, u64 value);
void row__s64(struct row *row, s64 value);
void row__null(struct row *row);
/* NULL if it is not known. */
void row__known(struct row *row, bool known, u64 value);
void row__known_all(struct row *row, bool known, const u64 *values, size_t len);
void row__numbers(struct row *row, const u64 *values, size_t len);
/* Inserts the row, and prepares for the next one. */
int row__end(struct row *row, struct err *err);

#endif
