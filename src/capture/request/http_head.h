/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_REQUEST_HTTP_HEAD_H
#define CAPTURE_REQUEST_HTTP_HEAD_H

#include "base/view.h"

#define HTTP_NAME_SZ 96
/* 32 digits of a W3C trace id */
#define HTTP_TRACE_LEN 32

/* What a request of HTTP/1 begins with. */
struct http_head {
	/*
	 * "GET /users/{}": the method and the path, without a query. What looks like a number or an
	 * id is "{}", and a long or deep path ends with "...", so that there are few names.
	 */
	char name[HTTP_NAME_SZ];
	char trace[HTTP_TRACE_LEN + 1]; /* of a header traceparent, in lower case; "" */
	bool is_cut; /* the head goes on behind these bytes */
};

/*
 * The bytes are untrusted. False if they are no request line. Its first letter may be missing: Go's
 * net/http reads one byte to see whether a client is still there (connReader.backgroundRead() of
 * server.go), and that may be the first one of the next request. A traceparent that breaks the
 * rules of W3C Trace Context counts as none.
 */
bool http_head_parse(struct http_head *ret, struct view bytes);

#endif
