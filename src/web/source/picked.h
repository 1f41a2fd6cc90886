/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_PICKED_H
#define WEB_SOURCE_PICKED_H

#include "app/selection.h"
#include "web/ask/ask.h"
#include "web/source/web.h"

/* The profile that a viewer asks for: windows of a range, merged, and of these what it selects. */
struct picked {
	struct web *web;
	const struct profile *p;
	struct profile *own; /* the same, if it was made for this viewer */
	struct vec held; /* windows that it borrows from */
};

/* What a merged profile and its rendering take, about, for each row of the windows. */
#define PICKED_BYTES_PER_ROW 600

struct pick {
	const char *recording; /* its id, for a directory; else NULL */
	struct query_range range;
	u64 last; /* of the range only so many windows, from its end; 0: all */
	const struct time_range *time; /* of a store or a fleet, see store_pick.h, fleet_pick.h */
	const struct vec *hosts; /* of a fleet */
	const struct vec *services; /* likewise */
	const struct selection *select; /* NULL: everything */
};

/* What is asked for; borrows from it. */
struct pick pick_of(const struct ask *ask);
/*
 * -ENOENT if there is no such window or the filters select nothing, -EINVAL for a recording that
 * is missing or cannot be chosen, -ENOMEM also if the answer would take more memory than may be
 * used, or an error of reading a file. picked__done() in either case.
 */
int picked__init(struct picked *pk, struct web *w, const struct pick *pick, struct err *err);
void picked__done(struct picked *pk);
/*
 * The file that a request means, of PATH_MAX bytes; "" for windows in memory or of a store. Errors
 * as above.
 */
int picked_path(struct web *w, const char *recording, char *path, struct err *err);

#endif
