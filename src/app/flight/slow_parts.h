/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_FLIGHT_SLOW_PARTS_H
#define APP_FLIGHT_SLOW_PARTS_H

#include "analysis/cause/cause.h"
#include "analysis/path/request.h"
#include "app/flight/slow_requests.h"
#include "base/vec.h"
#include "profile/profile.h"

struct ruleset;

/* What the threads of slow requests did, in the windows that a flight recorder still has. */
struct slow_windows {
	struct profile *const *windows; /* from old to new; borrowed */
	size_t len;
	u64 end_ns; /* of the last one, since the begin of the first window of the recording */
	const struct ruleset *rules; /* NULL: the built-in ones */
	struct vec read; /* struct read_window: those that were looked at, the last one first */
	/*
	 * Those from `whole_from` on in one, for requests that were handed on; NULL: there was
	 * none, or no such profile.
	 */
	struct profile *whole;
	size_t whole_from;
	struct vec whole_read; /* struct read_window: that one */
	struct requests requests; /* of it */
};

struct slow_parts {
	u64 seen_ns; /* of the request in the windows: less than all if it began before them */
	u64 on_ns;
	u64 runq_ns;
	u64 unknown_ns;
	u64 unsplit_ns; /* handed on, and which thread had it is not known */
	/* With waits for work. What has a cause of the run queue is in runq_ns too. */
	u64 cause_ns[CAUSE_CNT];
};

/* Release with slow_windows__done(). */
void slow_windows__init(struct slow_windows *sw, struct profile *const *windows, size_t len,
			u64 end_ns, const struct ruleset *rules);
void slow_windows__done(struct slow_windows *sw);
/*
 * Of the thread that began the request. If another one answered (is_handed): of those that had it,
 * as `report --requests` splits it; all 0 if it began before the windows. -ENOMEM or 0.
 */
int slow_windows__parts(struct slow_windows *sw, const struct slow_request *req,
			struct slow_parts *ret);

#endif
