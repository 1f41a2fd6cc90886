/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_REQUEST_SPAN_H
#define ANALYSIS_PATH_REQUEST_SPAN_H

#include "analysis/path/lanes.h"
#include "analysis/path/request.h"

/* So many threads in turn may have had a request. */
#define REQUEST_HANDS_MAX 8

/* A part of a request, and the thread that had it meanwhile. */
struct request_span {
	u64 begin_ns;
	u64 end_ns; /* after begin_ns */
	u32 lane;
	bool is_split; /* false: which thread had it is not known, and `lane` is that which read */
};

/*
 * Who had a request when, one behind the other, to `spans` (struct request_span), which is emptied
 * first: they add up to its length. One that was not handed on is one span. Otherwise the thread
 * that read had it until it woke the thread that wrote, or one that woke that in turn: of the
 * shortest such chain the first wakeups, and none before the writer was done with other
 * connections. Without a chain, the writer had it since it was done with other connections, or
 * since its last wait that a thread ended or that was for many things; and before, it is not known
 * who did. -ENOMEM or 0.
 */
int request_spans(const struct lanes *l, const struct profile_request *req, struct vec *spans);

#endif
