/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_REQUEST_MARK_PAIR_H
#define PROFILE_REQUEST_MARK_PAIR_H

#include <stdbool.h>

#include "profile/moment.h"

/*
 * Which marks belong to one request: of a class in a thread, or of a connection. Of a recursion,
 * the outermost call is the request. Reads that follow each other are one request, and any write
 * may be the last one of its answer until the next read.
 */

/* All zero: nothing has begun. */
struct mark_pair {
	u64 begin_ns; /* of the outermost call; the first read */
	u64 answered_ns; /* of a connection: the last write; 0: none since the read */
	u64 depth; /* of calls; 1 since the first read; 0: nothing is open */
};

enum mark_step {
	MARK_STRAY, /* an end, and nothing is open */
	MARK_BEGAN, /* a request begins; what was open before, if anything, is over */
	MARK_INSIDE, /* begins or ends within the request */
	MARK_WROTE, /* of a connection */
	MARK_ENDED, /* of a call */
};

/*
 * Whether a read within a request tells what the class of its first read does not: ":80 GET /" for
 * ":80", of a server that reads the head in several parts.
 */
bool mark_class_tells_more(const char *first, const char *further);

/* Times are of one clock, and of a connection not 0. */
enum mark_step mark_pair__take(struct mark_pair *p, enum mark_kind kind, bool of_connection,
			       u64 at_ns);

#endif
