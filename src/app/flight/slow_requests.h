/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_FLIGHT_SLOW_REQUESTS_H
#define APP_FLIGHT_SLOW_REQUESTS_H

#include "base/intern.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "profile/profile.h"

/* Requests over windows that follow each other, as far as their length needs. */
struct slow_requests {
	struct intern open; /* struct open_request */
	struct strtab classes;
	u64 passed_ns; /* from the begin of the first window to that of the current one */
};

/* A request that got longer in a window. Times are since the begin of the first window. */
struct slow_request {
	u64 begin_ns;
	u64 end_ns; /* of the window, if it goes on */
	u64 before_ns; /* how long it was known to be before this window or write */
	u64 start_boottime_ns; /* with the TID: the thread that began it */
	u32 tid;
	u32 class; /* of slow_requests.classes */
	char comm[16];
	bool is_open;
	bool is_handed; /* another thread than the one that began it wrote */
};

static inline u64 slow_request_ns(const struct slow_request *r)
{
	return r->end_ns - r->begin_ns;
}

/* -ENOMEM or 0; release with slow_requests__done() in either case. */
int slow_requests__init(struct slow_requests *s);
void slow_requests__done(struct slow_requests *s);
/*
 * The next window. Appends to a vec of struct slow_request those that became longer than
 * `least_ns`, or were and got longer, longest first. A call is seen while it lasts. One of a
 * static probe is seen at its end: one that failed has none. A request of a connection is seen at
 * its writes, also if another thread wrote: until then, it may never be answered. After ten minutes
 * without a read or write it is forgotten. -ENOMEM or 0.
 */
int slow_requests__look(struct slow_requests *s, const struct profile *p, u64 least_ns,
			struct vec *ret);

#endif
