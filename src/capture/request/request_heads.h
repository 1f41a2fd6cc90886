/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_REQUEST_REQUEST_HEADS_H
#define CAPTURE_REQUEST_REQUEST_HEADS_H

#include "abi/moment.h"
#include "base/strtab.h"
#include "capture/request/http_head.h"

/* So many names of requests are kept; the others share REQUEST_HEADS_OTHER. */
#define REQUEST_HEADS_MAX 200
#define REQUEST_HEADS_OTHER "[other]"

/* What was read of the begin of one request, or published by its thread. */
struct request_head {
	u32 name; /* of request_heads.names; 0: not a request of HTTP/1 */
	char trace[HTTP_TRACE_LEN + 1]; /* "": none */
	bool is_cut; /* a trace id may have been in what was not seen */
};

/* Names of requests of a trace, over all of its windows. */
struct request_heads {
	struct strtab names;
};

/* -ENOMEM or 0; release with request_heads__done() in either case. */
int request_heads__init(struct request_heads *h);
void request_heads__done(struct request_heads *h);
/* -ENOMEM or 0. */
int request_heads__see(struct request_heads *h, const struct cs_head *head,
		       struct request_head *ret);

#endif
