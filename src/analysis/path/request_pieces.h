/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_REQUEST_PIECES_H
#define ANALYSIS_PATH_REQUEST_PIECES_H

#include "analysis/path/lanes.h"
#include "analysis/path/request.h"

/* What the thread that had a request did meanwhile. */
enum request_part {
	REQUEST_ON_CPU,
	REQUEST_RUNQ,
	REQUEST_BLOCKED,
	REQUEST_UNKNOWN, /* instants are missing, or waits were filtered */
	REQUEST_UNSPLIT, /* which thread had it is not known (request_span.h) */
};

struct request_piece {
	u64 begin_ns;
	u64 ns; /* not 0 */
	u32 part; /* enum request_part */
	u32 moment; /* 1 + index of its wait; 0: none */
};

/*
 * The pieces of a request, one behind the other, to `pieces` (struct request_piece), which is
 * emptied first: they add up to its length. -ENOMEM or 0.
 */
int request_pieces(const struct lanes *l, const struct profile_request *req, struct vec *pieces);

#endif
