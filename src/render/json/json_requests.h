/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_JSON_REQUESTS_H
#define RENDER_JSON_JSON_REQUESTS_H

#include "analysis/path/path_table.h"
#include "analysis/path/request_table.h"
#include "base/sink.h"

/*
 * report --requests -f json. `paths`: the critical paths of each class, or NULL. -ENOMEM or 0;
 * errors of writing are the sink's.
 */
int json_requests_put(const struct lanes *lanes, const struct request_table *table,
		      const struct path_table *paths, struct cause_memo *memo, struct sink *out);

#endif
