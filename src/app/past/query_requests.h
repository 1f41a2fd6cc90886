/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_PAST_QUERY_REQUESTS_H
#define APP_PAST_QUERY_REQUESTS_H

#include "base/err.h"
#include "profile/profile.h"
#include "store/query.h"

struct ruleset;

/*
 * Adds the requests of all windows in one profile, in the order of their ends, with their waits and
 * classes. `rules`: of causes; NULL: the built-in ones. -ENOMEM, or an error of SQLite.
 */
int query_requests_add(struct store_query *q, const struct profile *p, const struct ruleset *rules,
		       struct err *err);

#endif
