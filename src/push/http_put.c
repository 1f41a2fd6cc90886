/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl signs every header that we add, so an empty one, which only removes a header of its own,
 * must not be among them. It asks the server before it sends a large body; that stays, because a
 * server that refuses then need not get all of a day.
 */
#include "push/http_priv.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "push/url.h"

/* Signs x-amz-content-sha256 and the other headers. */
#define FIRST_VERSION 0x075800
#define FIRST_VERSION_TEXT "7.88"

struct reading {
	int fd;
	curl_off_t at;
};

static size_t give_body(char *to, size_t sz, size_t n, void *arg)
{
	struct reading *r = arg;
	ssize_t got = pread(r->fd, to, sz * n, r->at);

	if (got < 0)
		return CURL_READFUNC_ABORT;
	r->at += got;
	return (size_t)got;
}

/* It sends a body again if a connection was closed before anything came back. */
static int seek_body(void *arg, curl_off_t offset, int origin)
{
	struct reading *r = arg;

	if (origin != SEEK_SET)
		return CURL_SEEKFUNC_CANTSEEK;
	r->at = offset;
	return CURL_SEEKFUNC_OK;
}

static int add_headers(struct http_headers *to, const struct push_url *url,
		       const struct http_object *object, struct err *err)
{
	char line[4096];

	http_headers__add(to, "Content-Type: application/vnd.sqlite3");
	snprintf(line, sizeof(line), "x-amz-content-sha256: %s", object->sha256);
	http_headers__add(to, line);
	if (*object->token) {
		snprintf(line, sizeof(line), "x-amz-security-token: %s", object->token);
		http_headers__add(to, line);
	}
	return http_headers__of_user(to, url, err);
}

static int set_put(struct http *h, const struct http_object *object, struct reading *reading,
		   struct err *err)
{
	const struct curl *lib = &h->lib;
	char sign[128];

	snprintf(sign, sizeof(sign), "aws:amz:%s:s3", object->region);
	if (lib->version_info(CURLVERSION_NOW)->version_num < FIRST_VERSION ||
	    lib->easy_setopt(h->curl, CURLOPT_AWS_SIGV4, sign))
		return err__set(
			err, -EOPNOTSUPP,
			"this libcurl cannot sign requests for S3: install " FIRST_VERSION_TEXT
			" or later");
	lib->easy_setopt(h->curl, CURLOPT_USERNAME, object->key_id);
	lib->easy_setopt(h->curl, CURLOPT_PASSWORD, object->secret);
	lib->easy_setopt(h->curl, CURLOPT_UPLOAD, 1L);
	lib->easy_setopt(h->curl, CURLOPT_INFILESIZE_LARGE, (curl_off_t)object->bytes);
	lib->easy_setopt(h->curl, CURLOPT_READFUNCTION, give_body);
	lib->easy_setopt(h->curl, CURLOPT_READDATA, reading);
	lib->easy_setopt(h->curl, CURLOPT_SEEKFUNCTION, seek_body);
	lib->easy_setopt(h->curl, CURLOPT_SEEKDATA, reading);
	return 0;
}

int http__put_object(struct http *h, const struct push_url *url, const struct http_object *object,
		     struct http_answer *ret, struct err *err)
{
	struct reading reading = { .fd = object->fd };
	struct http_headers headers = { .h = h };
	char full[2 * PUSH_URL_SZ];
	int r;

	*ret = (struct http_answer){ 0 };
	sink__init_mem(&ret->body);
	if (object->bytes > h->limits.body_bytes)
		return err__set(err, -E2BIG, "the file has %llu bytes, more than %llu",
				object->bytes, h->limits.body_bytes);
	snprintf(full, sizeof(full), "%s/%s", url->base, object->path);
	http__set_up(h, full);
	r = add_headers(&headers, url, object, err);
	if (!r)
		r = set_put(h, object, &reading, err);
	if (!r) {
		h->lib.easy_setopt(h->curl, CURLOPT_HTTPHEADER, headers.list);
		http__perform(h, ret);
		if (sink__finish(&ret->body, NULL))
			r = err__nomem(err);
	}
	h->lib.slist_free_all(headers.list);
	return r;
}
