/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEET_CLIENT_H
#define FLEET_CLIENT_H

#include "base/err.h"
#include "base/sink.h"
#include "push/http.h"
#include "push/url.h"

/* Asks one server. Not thread-safe. */
struct client {
	const struct push_url *url; /* borrowed */
	struct http *http;
};

/* `stop` is as for http__new(). The same errors. */
int client__init(struct client *c, const struct push_url *url, bool (*stop)(void), struct err *err);
void client__done(struct client *c);
/*
 * Takes the statement, which is empty afterwards. The answer has status 200 and is as long as it
 * was sent; http_answer__done() in either case. -EPROTO, -EACCES, -ENOENT or -EFBIG with what the
 * server says and what to do; -ENOMEM.
 */
int client__ask(struct client *c, struct sink *sql, struct http_answer *ret, struct err *err);

#endif
