/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_API_ROUTES_H
#define WEB_API_ROUTES_H

#include "web/api/answer.h"

/*
 * What can be asked. A new route needs its function, a line in routes.c, and its description in
 * docs/openapi.json; a test compares these two.
 */
struct route {
	const char *path;
	u32 methods; /* bits of enum request_method */
	u32 modes; /* bits by enum web_mode */
	bool page; /* a person may come to it from elsewhere, and gets errors to read */
	bool open; /* needs no token */
	/* 0, or a negative errno with a sentence: see answer_status_of(). */
	int (*handle)(struct web *w, struct request *rq, struct answer *a, struct err *err);
};

/* Up to a NULL path. */
extern const struct route web_routes[];

/* NULL: there is none. Only whole paths match. */
const struct route *route_find(const char *path);
/* Answers, also with an error. The caller has checked who asks. */
void route__answer(const struct route *route, struct web *w, struct request *rq, struct answer *a);

int api_status(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_windows(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_stream(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_profile(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_requests(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_diff(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_recordings(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_hosts(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_targets(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_openapi(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_pprof_index(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_pprof(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_metrics(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_health(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_page(struct web *w, struct request *rq, struct answer *a, struct err *err);
int api_icon(struct web *w, struct request *rq, struct answer *a, struct err *err);

#endif
