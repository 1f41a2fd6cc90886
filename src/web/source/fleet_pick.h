/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_FLEET_PICK_H
#define WEB_SOURCE_FLEET_PICK_H

#include "base/notices.h"
#include "fleet/fleet.h"
#include "web/ask/query.h"
#include "web/source/web.h"

/*
 * Sums of ClickHouse for one request, which has a connection of its own: viewers do not wait for
 * each other's answers, and nothing stays in memory. web_options.is_over ends a request within a
 * second.
 */
struct fleet_pick {
	struct query_range range; /* ms since the epoch */
	const struct time_range *time; /* NULL or empty: by `range` or, without any, as served */
	const struct vec *hosts; /* const char *: globs; NULL or empty: as served */
	const struct vec *services; /* likewise */
};

/* One profile, which the caller frees. Errors of fleet_load(). */
int fleet_pick__load(const struct web *w, const struct fleet_pick *pick, struct profile **ret,
		     struct err *err);
/* Hosts by cause. Errors of fleet_hosts__load(); fleet_hosts__done() in either case. */
int fleet_pick__hosts(const struct web *w, const struct fleet_pick *pick, struct fleet_hosts *hosts,
		      struct notices *notices, struct fleet_found *found, struct err *err);

#endif
