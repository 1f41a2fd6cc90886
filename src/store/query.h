/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORE_QUERY_H
#define STORE_QUERY_H

#include "base/err.h"
#include "base/types.h"
#include "recording/writer.h"

/*
 * One SQL statement over windows of several recordings: a database in memory with the tables and
 * views of a recording (docs/format.md), and the views of docs/query.md. Windows are numbered from
 * 1 in the order in which they are added. Not thread-safe.
 */
struct store_query;

enum query_kind {
	QUERY_NULL,
	QUERY_NUMBER, /* text is as in JSON */
	QUERY_TEXT,
};

struct query_value {
	enum query_kind kind;
	const char *text; /* of NULL: "" */
};

/* A row, or the names of the columns if `is_head`; borrowed for the call. -errno ends it. */
typedef int query_row_fn(void *arg, const struct query_value *values, size_t len, bool is_head,
			 struct err *err);

/* -ENOMEM, or an error of SQLite. Free with store_query__free(). */
int store_query__open(struct store_query **ret, struct err *err);
/* NULL is fine. */
void store_query__free(struct store_query *q);

/*
 * Checks the statement, before windows are added: -EINVAL with SQLite's message, or if it is not a
 * single statement that only reads. *ret_all: it needs windows added by the recorder; otherwise
 * their sums are enough.
 */
int store_query__check(struct store_query *q, const char *sql, bool *ret_all, struct err *err);
/* For windows with all their rows. */
struct recorder *store_query__recorder(struct store_query *q);
/*
 * The sums (`windows`, `causes`, `losses`, `imports`) of the windows of a file that overlap a range
 * of CLOCK_REALTIME, as the file's tables have them. -EBADMSG, or another error of reading it.
 */
int store_query__add_sums(struct store_query *q, const char *path, u64 from_ns, u64 to_ns,
			  struct err *err);
/* Runs it: the names of the columns, then all rows. Errors of SQLite, or of `row`. */
int store_query__run(struct store_query *q, const char *sql, query_row_fn *row, void *arg,
		     struct err *err);

#endif
