/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_HTTP_LISTENER_H
#define WEB_HTTP_LISTENER_H

#include "base/err.h"
#include "base/types.h"

/* A socket that listens, and its address as people write it. */
struct listener {
	int fd;
	u16 port;
	bool loopback; /* nobody else can reach it */
	char host[256]; /* as given, without brackets */
};

/*
 * `where`: "HOST:PORT", "[IPV6]:PORT" or "HOST"; port 0 is a free one. NULL: 127.0.0.1 and a free
 * port. -EINVAL for another text, -EADDRINUSE, -EADDRNOTAVAIL, -EACCES, or another error, with a
 * sentence.
 */
int listener__open(struct listener *l, const char *where, struct err *err);
/* Closes it, unless its descriptor was given away, which is -1 then. */
void listener__close(struct listener *l);
/* Splits `where`. -EINVAL with a sentence. */
int listen_parse(const char *where, char *host, size_t host_sz, u16 *ret_port, struct err *err);

#endif
