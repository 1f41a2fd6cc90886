/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/row.h"

#include <stdint.h>
#include <stdio.h>

int row__begin(struct row *row, struct database *d, const char *table, u32 cols, const char *more,
	       struct err *err)
{
	char sql[512];
	size_t len = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", table);

	while (--cols)
		len += (size_t)snprintf(sql + len, sizeof(sql) - len, ",?");
	snprintf(sql + len, sizeof(sql) - len, ")%s", more);
	*row = (struct row){ .d = d };
	return database__prepare(d, sql, &row->stmt, err);
}

void row__text(struct row *row, const char *text)
{
	sqlite3_bind_text(row->stmt, ++row->col, text, -1, SQLITE_TRANSIENT);
}

void row__u64(struct row *row, u64 value)
{
	if (value <= INT64_MAX)
		sqlite3_bind_int64(row->stmt, ++row->col, (s64)value);
	else
		sqlite3_bind_double(row->stmt, ++row->col, (double)value);
}

void row__s64(struct row *row, s64 value)
{
	sqlite3_bind_int64(row->stmt, ++row->col, value);
}

void row__null(struct row *row)
{
	sqlite3_bind_null(row->stmt, ++row->col);
}

void row__known(struct row *row, bool known, u64 value)
{
	if (known)
		row__u64(row, value);
	else
		row__null(row);
}

void row__known_all(struct row *row, bool known, const u64 *values, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		row__known(row, known, values[i]);
}

void row__numbers(struct row *row, const u64 *values, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		row__u64(row, values[i]);
}

int row__end(struct row *row, struct err *err)
{
	int r = database__step(row->d, row->stmt, err);

	sqlite3_reset(row->stmt);
	row->col = 0;
	return r;
}
