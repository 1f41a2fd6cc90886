/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STORE_QUERY_PRIV_H
#define STORE_QUERY_PRIV_H

#include "recording/database.h"
#include "recording/row.h"
#include "store/query.h"

struct store_query {
	struct recorder *rec;
	struct database *d; /* of the recorder */
	bool needs_all;
	bool needs_requests;
	bool guarded; /* only what reads is allowed */
	u64 requests; /* added so far */
	/* open while requests are added */
	struct row request_row;
	struct row wait_row;
	struct row class_row;
};

/* Creates the tables of requests. */
int query_requests_create(struct store_query *q, struct err *err);
void query_requests_done(struct store_query *q);
/* Whether it is one of them, or of their views. */
bool query_requests_has(const char *table);

#endif
