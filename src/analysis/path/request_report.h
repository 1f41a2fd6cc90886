/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_REQUEST_REPORT_H
#define ANALYSIS_PATH_REQUEST_REPORT_H

#include "analysis/path/path_table.h"
#include "analysis/path/request_table.h"

/* Requests, and what their time went to in other threads. All memory is in an arena. */
struct request_report {
	/* What is wanted; `trace` as of request_table__build(). */
	const char *trace;
	bool critical_path;
	/* What was found. */
	struct request_table table;
	/*
	 * For each class, the critical paths of all its requests as one table, which adds up to the
	 * sum of their lengths. NULL: not wanted.
	 */
	struct path_table *paths;
};

/*
 * As request_table__build(), with the critical paths of each class if they are wanted, or if the
 * requests of one trace are and wakers were recorded. -EINVAL with a sentence, too, if they are
 * wanted and there are no wakers.
 */
int request_report__build(const struct lanes *lanes, struct cause_memo *memo, struct arena *a,
			  struct request_report *rr, struct err *err);

#endif
