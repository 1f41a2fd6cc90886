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
 * Requests (docs/requests.md), which cross the ends of windows, so they are no rows of a recording:
 * whoever has all of the windows pairs them. Times are since the begin of the first window.
 */
struct query_request {
	const char *class;
	const char *process;
	const char *comm;
	u32 tgid;
	u32 tid;
	u64 begin_wall_ns;
	u64 begin_ns;
	u64 wall_ns; /* the sum of the next five */
	u64 on_ns;
	u64 runq_ns;
	u64 blocked_ns;
	u64 idle_ns;
	u64 unknown_ns;
	bool overlaps;
	const char *trace; /* "": not known */
};

/* A wait of the request that was added last. */
struct query_request_wait {
	u64 begin_ns;
	u64 ns;
	const char *cause;
	const char *class;
	const char *place;
};

struct query_request_class {
	const char *class;
	u64 count;
	u64 began_before;
	u64 open;
	u64 nested;
	u64 handed;
	u64 overlapping;
};

/* Whether the statement that was checked reads requests. */
bool store_query__needs_requests(const struct store_query *q);
/* Requests are numbered from 1 as they are added. Errors of SQLite. */
int store_query__add_request(struct store_query *q, const struct query_request *req,
			     struct err *err);
int store_query__add_request_wait(struct store_query *q, const struct query_request_wait *w,
				  struct err *err);
int store_query__add_request_class(struct store_query *q, const struct query_request_class *c,
				   struct err *err);

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
