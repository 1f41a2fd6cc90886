/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_CURL_H
#define PUSH_CURL_H

#include <curl/curl.h>

#include "base/err.h"
#include "base/types.h"

/* The functions of libcurl that we use, as it declares them. */
struct curl {
	void *handle;
	__typeof__(curl_global_init) *global_init;
	__typeof__(&curl_easy_init) easy_init;
	CURLcode (*easy_setopt)(CURL *curl, CURLoption option, ...);
	__typeof__(&curl_easy_perform) easy_perform;
	CURLcode (*easy_getinfo)(CURL *curl, CURLINFO info, ...);
	__typeof__(&curl_easy_reset) easy_reset;
	__typeof__(&curl_easy_strerror) easy_strerror;
	__typeof__(&curl_easy_cleanup) easy_cleanup;
	__typeof__(&curl_version_info) version_info;
	__typeof__(&curl_slist_append) slist_append;
	__typeof__(&curl_slist_free_all) slist_free_all;
};

/* Loads it, which is never undone. -EOPNOTSUPP with a message that says what to install. */
int curl__load(struct curl *c, struct err *err);

#endif
