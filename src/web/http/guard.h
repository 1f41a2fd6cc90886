/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_HTTP_GUARD_H
#define WEB_HTTP_GUARD_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * Who may ask. Everything here is a decision about texts, without a connection.
 *
 * The name in Host must be one of ours, or an address: a page of another name that resolves to this
 * machine (DNS rebinding) is refused. A request that a browser sends for another origin is refused.
 * The rest must know the token, once, for a cookie; or the password, if there is one.
 */
#define GUARD_SECRET_CHARS 43
#define GUARD_PASSWORD_MAX 256
#define GUARD_HEADER_MAX 4096
#define GUARD_COOKIE_SZ 96

struct guard {
	char token[GUARD_SECRET_CHARS + 1];
	char session[GUARD_SECRET_CHARS + 1]; /* the value of the cookie */
	char cookie[GUARD_COOKIE_SZ]; /* its name */
	char password[GUARD_PASSWORD_MAX]; /* "": none; otherwise the token opens nothing */
	struct vec hosts; /* char *, owned: our names */
	/*
	 * Any name will do: with TLS, a page that makes its own name mean us has no certificate for
	 * it, and with a password its browser knows none.
	 */
	bool any_host;
};

/* Texts of a request; NULL: not sent. */
struct guard_view {
	const char *host;
	const char *origin;
	const char *fetch_site; /* Sec-Fetch-Site */
	const char *cookie;
	const char *authorization;
	const char *token; /* of the query */
	bool is_page; /* a person may come from elsewhere */
	bool is_open; /* needs no token */
};

enum guard_verdict {
	GUARD_WELCOME = 0,
	GUARD_NEW, /* the token or password was right, but the cookie is not there yet */
	GUARD_WRONG_HOST,
	GUARD_WRONG_ORIGIN,
	GUARD_NO_TOKEN, /* nothing was tried */
	GUARD_WRONG_TOKEN,
};

/*
 * Makes secrets of random bytes. The name of the cookie has the port and the host, whose name is
 * `host`: the ports of two hosts may be tunnelled to one browser. -errno if the kernel has no
 * random bytes to give, -ENOMEM, or 0.
 */
int guard__init(struct guard *g, u16 port, const char *host, struct err *err);
void guard__done(struct guard *g);
/* A name of ours besides localhost and all addresses. -ENOMEM or 0. */
int guard__add_host(struct guard *g, const char *name);
/* The first line of the file. -EINVAL if it is empty or too long; errors of file_read(). */
int guard__read_password(struct guard *g, const char *path, struct err *err);
enum guard_verdict guard__judge(const struct guard *g, const struct guard_view *v);

#endif
