/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd has a limit for the time without any byte, but none for a whole request. Its
 * descriptors are only shut down here, which makes its own thread close them.
 */
#include "web/http/connections.h"

#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"

static const u64 limits_ns[PHASE_CNT] = {
	[PHASE_REQUEST] = 10 * NSEC_PER_SEC,
	[PHASE_ANSWER] = 600 * NSEC_PER_SEC,
	[PHASE_STREAM] = ~0ULL,
	[PHASE_NEXT] = 60 * NSEC_PER_SEC,
};

void connections__init(struct connections *c)
{
	u32 i;

	memset(c, 0, sizeof(*c));
	pthread_mutex_init(&c->lock, NULL);
	for (i = 0; i < CONNECTIONS_MAX; i++)
		c->list[i].fd = -1;
}

void connections__done(struct connections *c)
{
	pthread_mutex_destroy(&c->lock);
}

/* As an address of IPv6. */
static struct in6_addr address_of(const struct sockaddr *from)
{
	struct in6_addr a = { 0 };

	if (from && from->sa_family == AF_INET6)
		memcpy(&a, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr,
		       sizeof(a));
	else if (from && from->sa_family == AF_INET)
		memcpy(&a.s6_addr[12], &((const struct sockaddr_in *)(const void *)from)->sin_addr,
		       4);
	return a;
}

static bool has_room(const struct connections *c, const struct in6_addr *from)
{
	u32 same = 0, i;

	for (i = 0; i < CONNECTIONS_MAX; i++)
		same += c->list[i].fd >= 0 && !memcmp(&c->list[i].from, from, sizeof(*from));
	return c->len < CONNECTIONS_MAX && same < CONNECTIONS_MAX_OF_ONE;
}

bool connections__has_room(struct connections *c, const struct sockaddr *from)
{
	struct in6_addr a = address_of(from);
	bool room;

	pthread_mutex_lock(&c->lock);
	room = has_room(c, &a);
	pthread_mutex_unlock(&c->lock);
	return room;
}

static void set(struct connection *conn, enum connection_phase phase)
{
	u64 limit_ns = limits_ns[phase];

	conn->phase = phase;
	conn->until_ns = limit_ns == ~0ULL ? ~0ULL : clock_mono_ns() + limit_ns;
}

struct connection *connections__add(struct connections *c, int fd, const struct sockaddr *from)
{
	struct in6_addr a = address_of(from);
	struct connection *conn = NULL;
	u32 i;

	pthread_mutex_lock(&c->lock);
	for (i = 0; i < CONNECTIONS_MAX && !conn && has_room(c, &a); i++) {
		if (c->list[i].fd < 0)
			conn = &c->list[i];
	}
	if (conn) {
		*conn = (struct connection){ .fd = fd, .from = a };
		set(conn, PHASE_REQUEST);
		c->len++;
	}
	pthread_mutex_unlock(&c->lock);
	return conn;
}

bool connections__remove(struct connections *c, struct connection *conn)
{
	bool none;

	pthread_mutex_lock(&c->lock);
	none = conn->phase == PHASE_REQUEST && !conn->is_late;
	conn->fd = -1;
	c->len--;
	pthread_mutex_unlock(&c->lock);
	return none;
}

bool connections__set(struct connections *c, struct connection *conn, enum connection_phase phase)
{
	bool late;

	pthread_mutex_lock(&c->lock);
	late = conn->is_late;
	set(conn, phase);
	pthread_mutex_unlock(&c->lock);
	return !late;
}

u32 connections__end_late(struct connections *c, u64 now_ns)
{
	u32 ended = 0, i;

	pthread_mutex_lock(&c->lock);
	for (i = 0; i < CONNECTIONS_MAX; i++) {
		struct connection *conn = &c->list[i];

		if (conn->fd < 0 || conn->is_late || conn->until_ns > now_ns)
			continue;
		shutdown(conn->fd, SHUT_RDWR);
		conn->is_late = true;
		ended += conn->phase != PHASE_NEXT;
	}
	pthread_mutex_unlock(&c->lock);
	return ended;
}
