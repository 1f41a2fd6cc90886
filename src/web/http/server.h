/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_HTTP_SERVER_H
#define WEB_HTTP_SERVER_H

#include "base/err.h"
#include "web/source/web.h"

/* The network of a struct web, in threads of its own, which have all signals blocked. */
struct server;

/* Texts are borrowed for the call. */
struct server_options {
	const char *listen; /* see listener__open() */
	const char *password_file; /* NULL: the token is enough */
	const char *tls_cert; /* files in PEM; both or none */
	const char *tls_key;
};

/*
 * Listens from now on, and reads the secrets. Borrows `w`. -EINVAL, with a sentence, if others than
 * this machine could connect without TLS and a password; errors of listener__open() and of reading
 * the files.
 */
int server__open(struct web *w, const struct server_options *opt, struct server **ret,
		 struct err *err);
/*
 * Answers from now on, in threads with the capabilities of the calling one. -EIO if there is no
 * memory for them, or the certificate is no good.
 */
int server__run(struct server *s, struct err *err);
/* Where to go, with the token, unless a password is needed. */
const char *server__url(const struct server *s);
/* Ends all connections, also streams. NULL is fine. */
void server__free(struct server *s);

#endif
