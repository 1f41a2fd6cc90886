/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_REQUEST_TABLE_H
#define ANALYSIS_PATH_REQUEST_TABLE_H

#include "analysis/cause/cause_memo.h"
#include "analysis/path/request_pieces.h"
#include "base/arena.h"

/* So many of the slowest requests of a class are shown. */
#define REQUESTS_SLOWEST 20

/* What requests did, by part, cause and place. */
struct request_row {
	u32 part; /* enum request_part */
	u32 cause; /* enum cause, of REQUEST_BLOCKED */
	bool is_idle; /* the wait is for work */
	const char *place; /* place.h, user or else kernel; "" if unknown */
	u64 ns; /* of all requests */
	/* The mean of a request, in ns: of the slowest 1 %, and of the fifth around the median. */
	double slow_ns;
	double middle_ns;
	double error_ns; /* standard error of the difference; -1: one request has none */
};

struct request_class {
	const char *name;
	struct request_rest rest;
	struct profile_request *requests; /* shortest first */
	u32 len;
	struct profile_request *shown; /* the slowest first; of a trace, all by their begins */
	u32 shown_len;
	u32 slow_len; /* the slowest 1 %, at least one */
	u32 middle_len; /* those around the median; 0: there are too few requests to compare */
	u64 wall_ns; /* the sum of all, and of the next five */
	u64 on_ns;
	u64 runq_ns;
	u64 idle_ns; /* in waits for work */
	u64 unknown_ns;
	u64 unsplit_ns; /* handed on, and which thread had them is not known */
	u64 cause_ns[CAUSE_CNT]; /* in other waits */
	struct request_row *rows; /* largest difference first */
	u32 rows_len;
};

struct request_table {
	struct request_class *classes; /* by name */
	u32 len;
	const char *trace; /* only requests whose trace id begins with it, borrowed; NULL: all */
};

/* -EINVAL with a sentence if a profile has no begin and no end of a request. */
int request_table_check(const struct profile *p, struct err *err);
/*
 * Everything is in the arena. `memo`: of causes, or NULL. `trace` as in the table, which then has
 * no counts of other requests. Frames must be named. -EINVAL with a message for several such
 * traces, -ENOENT if there is none, -ENOMEM or 0.
 */
int request_table__build(const struct lanes *lanes, struct cause_memo *memo, const char *trace,
			 struct arena *a, struct request_table *ret, struct err *err);

/* The length that `permille` of the requests do not exceed (nearest rank); 0 if there are none. */
u64 request_class__quantile_ns(const struct request_class *c, u32 permille);
/* Indexes of the classes, the one with most time first; `ret_order` has room for each. */
void request_table__by_time(const struct request_table *t, u32 *ret_order);

#endif
