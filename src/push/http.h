/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_HTTP_H
#define PUSH_HTTP_H

#include "base/err.h"
#include "base/sink.h"
#include "base/types.h"

struct push_url;

/* A POST. */
struct http_part {
	struct sink body; /* in memory */
	bool gzip; /* it is compressed */
	const char *content_type;
	const char *header; /* one more; NULL: none */
	char query[512]; /* in addition to that of the URL; "": none */
};

struct http_limits {
	u32 connect_ms;
	u32 total_ms;
	u64 body_bytes; /* of a request, as it is sent */
	u32 silent_s; /* without a byte of an answer; 0: 30 */
	u64 answer_bytes; /* so many are kept of an answer; 0: 64 KiB */
};

struct http_answer {
	u32 status; /* 0: none, see `trouble` */
	u32 retry_after_s; /* 0: it did not say */
	struct sink body; /* in memory; the beginning of it */
	bool is_cut; /* there was more of it */
	char trouble[256]; /* why there is no answer */
};

/*
 * A client, by libcurl, which is loaded when the first one is made. Not thread-safe: one for each
 * thread, and the first one before threads are made.
 */
struct http;

/*
 * `stop` is asked at least once a second during a request, and ends it by returning true; NULL:
 * nobody is asked. -ENOMEM; -EOPNOTSUPP, with a message that says what to do, if libcurl cannot be
 * loaded.
 */
int http__new(const struct http_limits *limits, bool (*stop)(void), struct http **ret,
	      struct err *err);
/* NULL is fine. */
void http__free(struct http *h);
/*
 * Sends it and waits for the answer, which the caller releases with http_answer__done(). No answer
 * is no error. Redirects are not followed. -ENOMEM; -E2BIG for a body above the limit; or an error
 * of the file with headers.
 */
int http__post(struct http *h, const struct push_url *url, const struct http_part *part,
	       struct http_answer *ret, struct err *err);
/* A file that S3 is to keep: a PUT that is signed (AWS Signature Version 4). */
struct http_object {
	int fd;
	u64 bytes;
	const char *path; /* behind that of the URL: "HOST/2026-11-25.coldspot" */
	const char *sha256; /* of the file, in hexadecimal */
	const char *region;
	const char *key_id;
	const char *secret;
	const char *token; /* of the session; "": none */
};

/* The same for one. -EOPNOTSUPP if this libcurl cannot sign it. */
int http__put_object(struct http *h, const struct push_url *url, const struct http_object *object,
		     struct http_answer *ret, struct err *err);
/*
 * A file that others must not be able to read, of at most 16 KiB; freed with mem_free(). -EINVAL
 * if they are, with a message that says what to do.
 */
int http_read_secrets(const char *path, char **ret, size_t *ret_sz, struct err *err);
void http_answer__done(struct http_answer *answer);

#endif
