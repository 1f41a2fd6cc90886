/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_HTTP_PRIV_H
#define PUSH_HTTP_PRIV_H

#include "push/curl.h"
#include "push/http.h"

/* What the kinds of requests share. */
struct http {
	struct curl lib;
	CURL *curl;
	struct http_limits limits;
	bool (*stop)(void);
};

/* Of a request; freed with slist_free_all(). */
struct http_headers {
	struct http *h;
	struct curl_slist *list;
	int error;
};

void http_headers__add(struct http_headers *to, const char *line);
/* Those of the URL's parameters. -ENOMEM, also of those before, or an error of the file. */
int http_headers__of_user(struct http_headers *to, const struct push_url *url, struct err *err);
/* Begins a request: all options that do not depend on its kind. Borrows `full_url`. */
void http__set_up(struct http *h, const char *full_url);
/* Sends it, and fills in the answer, whose body is initialized. */
void http__perform(struct http *h, struct http_answer *answer);

#endif
