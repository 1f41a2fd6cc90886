/* SPDX-License-Identifier: Apache-2.0 */
#include "web/http/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text/units.h"

#define BACKLOG 1024

static int bad_words(const char *where, struct err *err)
{
	return err__set(err, -EINVAL, "'%.200s' is not HOST:PORT; try 127.0.0.1:8080", where);
}

int listen_parse(const char *where, char *host, size_t host_sz, u16 *ret_port, struct err *err)
{
	bool bracket = *where == '[';
	const char *from = where + bracket, *end = strchr(from, bracket ? ']' : ':'), *port;
	u64 n = 0;
	size_t len;

	if (bracket && !end)
		return bad_words(where, err);
	len = end ? (size_t)(end - from) : strlen(from);
	port = end ? end + bracket : "";
	if (!len || len >= host_sz || (*port && (*port != ':' || !port[1])))
		return bad_words(where, err);
	memcpy(host, from, len);
	host[len] = '\0';
	if (*port && units_parse_u64(port + 1, 0, 65535, &n, NULL))
		return bad_words(where, err);
	*ret_port = (u16)n;
	return 0;
}

static bool is_loopback(const struct sockaddr *sa)
{
	const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)sa;
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)sa;

	if (sa->sa_family == AF_INET)
		return ntohl(four->sin_addr.s_addr) >> 24 == 127;
	return sa->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static u16 port_of(int fd)
{
	struct sockaddr_storage sa = { 0 };
	socklen_t len = sizeof(sa);

	getsockname(fd, (struct sockaddr *)&sa, &len);
	return ntohs(sa.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&sa)->sin6_port :
						((struct sockaddr_in *)&sa)->sin_port);
}

/* An address, without asking anybody. Its length, or 0: it is a name. */
static socklen_t read_address(const char *host, u16 port, struct sockaddr_storage *sa)
{
	struct sockaddr_in *four = (struct sockaddr_in *)sa;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)sa;

	if (!strcmp(host, "localhost"))
		host = "127.0.0.1";
	memset(sa, 0, sizeof(*sa));
	if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons(port);
		return sizeof(*four);
	}
	if (inet_pton(AF_INET6, host, &six->sin6_addr) != 1)
		return 0;
	six->sin6_family = AF_INET6;
	six->sin6_port = htons(port);
	return sizeof(*six);
}

/* The first address of a name. */
static int resolve(const char *host, u16 port, struct sockaddr_storage *sa, socklen_t *len,
		   struct err *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
					.ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	struct addrinfo *found = NULL;
	char service[8];
	int r;

	snprintf(service, sizeof(service), "%u", port);
	r = getaddrinfo(host, service, &hints, &found);
	if (r)
		return err__set(err, -EINVAL, "cannot listen on '%s': %s", host, gai_strerror(r));
	*len = found->ai_addrlen;
	memcpy(sa, found->ai_addr, *len);
	freeaddrinfo(found);
	return 0;
}

static int listen_on(struct listener *l, const struct sockaddr_storage *sa, socklen_t len)
{
	const int on = 1;

	l->fd = socket(sa->ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return -errno;
	setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (sa->ss_family == AF_INET6)
		setsockopt(l->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(l->fd, (const struct sockaddr *)sa, len) || listen(l->fd, BACKLOG))
		return -errno;
	l->port = port_of(l->fd);
	l->loopback = is_loopback((const struct sockaddr *)sa);
	return 0;
}

int listener__open(struct listener *l, const char *where, struct err *err)
{
	struct sockaddr_storage sa;
	socklen_t len;
	u16 port;
	int r;

	*l = (struct listener){ .fd = -1 };
	if (!where)
		where = "127.0.0.1:0";
	r = listen_parse(where, l->host, sizeof(l->host), &port, err);
	if (r)
		return r;
	len = read_address(l->host, port, &sa);
	if (!len)
		r = resolve(l->host, port, &sa, &len, err);
	if (r)
		return r;
	r = listen_on(l, &sa, len);
	if (!r)
		return 0;
	listener__close(l);
	return err__set(err, r, "cannot listen on '%s': %s", where, err_str(r));
}

void listener__close(struct listener *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}
