/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_HTTP_CONNECTIONS_H
#define WEB_HTTP_CONNECTIONS_H

#include <netinet/in.h>
#include <pthread.h>

#include "base/types.h"

/*
 * The open connections, and how long each may take for what it does: a client that sends its
 * request byte by byte is ended, however busy it is. Thread-safe.
 */
#define CONNECTIONS_MAX 128
/* Of one address. */
#define CONNECTIONS_MAX_OF_ONE 64

/* What a connection is waiting for, and how long that may take. */
enum connection_phase {
	PHASE_REQUEST = 0, /* to be whole: 10 s */
	PHASE_ANSWER, /* to be computed and sent: 10 min */
	PHASE_STREAM, /* no limit */
	PHASE_NEXT, /* the next request to be whole: 1 min */
	PHASE_CNT,
};

struct connection {
	int fd; /* -1: free */
	enum connection_phase phase;
	u64 until_ns; /* CLOCK_MONOTONIC */
	bool is_late; /* it was ended */
	struct in6_addr from;
};

struct connections {
	pthread_mutex_t lock;
	struct connection list[CONNECTIONS_MAX];
	u32 len;
};

void connections__init(struct connections *c);
void connections__done(struct connections *c);
/* Whether there is room for one more from that address. */
bool connections__has_room(struct connections *c, const struct sockaddr *from);
/* NULL: there is no room. The descriptor is borrowed until connections__remove(). */
struct connection *connections__add(struct connections *c, int fd, const struct sockaddr *from);
/* Whether it never sent a whole request, and was not ended for being late. */
bool connections__remove(struct connections *c, struct connection *conn);
/* False: it is late, and was ended. */
bool connections__set(struct connections *c, struct connection *conn, enum connection_phase phase);
/* Shuts down those whose time is over; returns their number. */
u32 connections__end_late(struct connections *c, u64 now_ns);

#endif
