/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_API_ANSWER_H
#define WEB_API_ANSWER_H

#include "base/sink.h"
#include "render/encode/json_writer.h"
#include "web/ask/query.h"
#include "web/source/web.h"

/* A request that may be answered, and its answer. */
enum request_method {
	METHOD_GET = 1,
	METHOD_POST = 2,
};

struct request {
	enum request_method method; /* HEAD is GET */
	const char *path;
	struct query query;
	const char *last_event_id; /* NULL: not sent */
	const char *body; /* of a POST; ends with a NUL */
	size_t body_len;
};

struct answer {
	u32 status; /* of HTTP */
	const char *mime;
	struct sink body; /* in memory */
	bool packed; /* the body does not become smaller */
	char file[120]; /* to be saved by this name; "": to be shown */
	bool policy; /* the page: with the policy that it needs */
	/* a stream, from a window on; `body` is not sent then */
	bool stream;
	u64 stream_after;
};

#define MIME_JSON "application/json"

void answer__init(struct answer *a);
void answer__done(struct answer *a);
/* Replaces the answer by an error: {"error": sentence}. */
void answer__error(struct answer *a, u32 status, const char *sentence);
/* The status of HTTP for a negative errno. */
u32 answer_status_of(int code);

#endif
