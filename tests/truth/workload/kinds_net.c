/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets, by what they are and what they are waited for with. */
#include "kinds.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <linux/netlink.h>
#include <resolv.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CHUNK 4096

static char chunk[65536];

union address {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_un un;
};

static int bind_loopback(struct wait *w, int family, int type)
{
	union address a = { .any.sa_family = (sa_family_t)family };
	socklen_t len = sizeof(a.in6);
	int fd = socket(family, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (family == AF_INET6)
		a.in6.sin6_addr = in6addr_loopback;
	else
		a.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, &a.any, family == AF_INET6 ? sizeof(a.in6) : sizeof(a.in)) ||
	    getsockname(fd, &a.any, &len))
		return -errno;
	w->port = ntohs(family == AF_INET6 ? a.in6.sin6_port : a.in.sin_port);
	return fd;
}

static int connect_to(int listener, int type)
{
	union address a;
	socklen_t len = sizeof(a);
	int fd;

	kinds_check(getsockname(listener, &a.any, &len), "getsockname");
	fd = (int)kinds_check(socket(a.any.sa_family, type | SOCK_CLOEXEC, 0), "socket");
	kinds_check(connect(fd, &a.any, len), "connect");
	return fd;
}

/* fd[0] is the end whose `server` it is, fd[1] the other. */
static int make_connected(struct wait *w, int family, int server)
{
	int fd = bind_loopback(w, family, SOCK_STREAM);

	if (fd < 0)
		return fd;
	w->fd[2] = fd;
	if (listen(fd, 1))
		return -errno;
	w->fd[server] = connect_to(fd, SOCK_STREAM);
	w->fd[!server] = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	return w->fd[!server] < 0 ? -errno : 0;
}

static int make_server(struct wait *w)
{
	return make_connected(w, AF_INET, 1);
}

static int make_client(struct wait *w)
{
	return make_connected(w, AF_INET, 0);
}

static int make_server6(struct wait *w)
{
	return make_connected(w, AF_INET6, 1);
}

static int make_listener(struct wait *w)
{
	w->fd[0] = bind_loopback(w, AF_INET, SOCK_STREAM);
	if (w->fd[0] < 0)
		return w->fd[0];
	return listen(w->fd[0], 1) ? -errno : 0;
}

static void wait_accept(struct wait *w)
{
	kinds_check(accept4(w->fd[0], NULL, NULL, SOCK_CLOEXEC), "accept");
}

static void feed_connect(struct wait *w)
{
	w->fd[1] = connect_to(w->fd[0], SOCK_STREAM);
}

static void wait_recv(struct wait *w)
{
	kinds_check(recv(w->fd[0], chunk, CHUNK, 0), "recv");
}

static void wait_recvmmsg(struct wait *w)
{
	struct iovec io = { chunk, CHUNK };
	struct mmsghdr m = { .msg_hdr = { .msg_iov = &io, .msg_iovlen = 1 } };

	kinds_check(recvmmsg(w->fd[0], &m, 1, 0, NULL), "recvmmsg");
}

static int make_full(struct wait *w)
{
	int r = make_client(w);

	if (!r)
		kinds_fill(w->fd[0], sizeof(chunk));
	return r;
}

/* The peer of a TCP socket makes more room for a while: until one waits for long. */
static void wait_send(struct wait *w)
{
	u64 begun;

	do {
		begun = mono_ns();
		kinds_check(send(w->fd[0], chunk, CHUNK, 0), "send");
	} while (mono_ns() < begun + KINDS_HOLD_NS);
}

static void read_all(int fd)
{
	while (recv(fd, chunk, sizeof(chunk), MSG_DONTWAIT) > 0)
		;
}

/* Until the sender has room, which it hears of a little later. */
static void feed_reading(struct wait *w)
{
	int i;

	for (i = 0; i < 40; i++) {
		read_all(w->fd[1]);
		wl_pause(5000000);
	}
}

static int make_full_with_file(struct wait *w)
{
	int r = make_full(w);

	if (r)
		return r;
	kinds_name(w, "");
	w->fd[3] = open(w->path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	if (w->fd[3] < 0)
		return -errno;
	return pwrite(w->fd[3], chunk, CHUNK, 0) == CHUNK ? 0 : -EIO;
}

static void wait_sendfile(struct wait *w)
{
	u64 begun;
	off_t off;

	do {
		begun = mono_ns();
		off = 0;
		kinds_check(sendfile(w->fd[0], w->fd[3], &off, CHUNK), "sendfile");
	} while (mono_ns() < begun + KINDS_HOLD_NS);
}

static int make_server_and_pipe(struct wait *w)
{
	int pipe[2];

	if (pipe2(pipe, O_CLOEXEC))
		return -errno;
	w->fd[3] = pipe[1];
	return make_server(w);
}

static void wait_splice(struct wait *w)
{
	kinds_check(splice(w->fd[0], NULL, w->fd[3], NULL, CHUNK, 0), "splice");
}

static int make_linger(struct wait *w)
{
	struct linger opt = { .l_onoff = 1, .l_linger = 60 };
	int r = make_full(w);

	return r ? r : setsockopt(w->fd[0], SOL_SOCKET, SO_LINGER, &opt, sizeof(opt)) ? -errno : 0;
}

static void wait_close(struct wait *w)
{
	close(w->fd[0]);
}

/* One who is not accepted is all that there is room for: the next one is not even heard. */
static int make_backlog(struct wait *w)
{
	int fd = bind_loopback(w, AF_INET, SOCK_STREAM), r = kinds_make_signal(w);

	if (fd < 0 || r)
		return fd < 0 ? fd : r;
	if (listen(fd, 0))
		return -errno;
	w->fd[2] = fd;
	connect_to(fd, SOCK_STREAM);
	w->fd[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return w->fd[0] < 0 ? -errno : 0;
}

static void wait_connect(struct wait *w)
{
	union address a;
	socklen_t len = sizeof(a);

	kinds_check(getsockname(w->fd[2], &a.any, &len), "getsockname");
	connect(w->fd[0], &a.any, len);
}

static int make_udp(struct wait *w)
{
	w->fd[0] = bind_loopback(w, AF_INET, SOCK_DGRAM);
	if (w->fd[0] < 0)
		return w->fd[0];
	w->fd[1] = connect_to(w->fd[0], SOCK_DGRAM);
	return 0;
}

static int make_unix_stream(struct wait *w)
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, w->fd) ? -errno : 0;
}

static int make_unix_dgram(struct wait *w)
{
	return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, w->fd) ? -errno : 0;
}

static int make_unix_packets(struct wait *w)
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, w->fd) ? -errno : 0;
}

static int make_full_stream(struct wait *w)
{
	int r = make_unix_stream(w);

	if (!r)
		kinds_fill(w->fd[0], CHUNK);
	return r;
}

/* No room in the sender's own buffer. */
static int make_full_dgram(struct wait *w)
{
	int r = make_unix_dgram(w), sz = 2 * CHUNK;

	if (r)
		return r;
	setsockopt(w->fd[0], SOL_SOCKET, SO_SNDBUF, &sz, sizeof(sz));
	kinds_fill(w->fd[0], CHUNK);
	return 0;
}

static int bind_unix(struct wait *w, int type)
{
	union address a = { .un.sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	kinds_name(w, "");
	unlink(w->path);
	snprintf(a.un.sun_path, sizeof(a.un.sun_path), "%.100s", w->path);
	return fd < 0 || bind(fd, &a.any, sizeof(a.un)) ? -errno : fd;
}

/* As many messages as the receiver may have: what a busy logger does to who logs. */
static int make_long_queue(struct wait *w)
{
	w->fd[1] = bind_unix(w, SOCK_DGRAM);
	if (w->fd[1] < 0)
		return w->fd[1];
	w->fd[0] = connect_to(w->fd[1], SOCK_DGRAM);
	kinds_fill(w->fd[0], 16);
	return 0;
}

static int make_unix_listener(struct wait *w)
{
	w->fd[0] = bind_unix(w, SOCK_STREAM);
	if (w->fd[0] < 0)
		return w->fd[0];
	return listen(w->fd[0], 1) ? -errno : 0;
}

static int make_unix_backlog(struct wait *w)
{
	w->fd[2] = bind_unix(w, SOCK_STREAM);
	if (w->fd[2] < 0)
		return w->fd[2];
	if (listen(w->fd[2], 0))
		return -errno;
	connect_to(w->fd[2], SOCK_STREAM);
	w->fd[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return w->fd[0] < 0 ? -errno : 0;
}

static void feed_accept(struct wait *w)
{
	kinds_check(accept4(w->fd[2], NULL, NULL, SOCK_CLOEXEC), "accept");
}

static int make_netlink(struct wait *w)
{
	struct sockaddr_nl a = { .nl_family = AF_NETLINK };
	int r = kinds_make_signal(w);

	w->fd[0] = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (w->fd[0] < 0 || bind(w->fd[0], (struct sockaddr *)&a, sizeof(a)))
		return -errno;
	return r;
}

static int make_packet(struct wait *w)
{
	int r = kinds_make_signal(w);

	/* a protocol that nobody speaks */
	w->fd[0] = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(0x88b5));
	return w->fd[0] < 0 ? -errno : r;
}

static void wait_interrupted(struct wait *w)
{
	(void)!read(w->fd[0], chunk, CHUNK);
}

/* fd[1] is a name server, fd[0] of no use. */
static int make_name_server(struct wait *w)
{
	w->fd[1] = bind_loopback(w, AF_INET, SOCK_DGRAM);
	return w->fd[1] < 0 ? w->fd[1] : 0;
}

static void wait_dns(struct wait *w)
{
	struct __res_state state = { 0 };
	unsigned char answer[512];

	kinds_check(res_ninit(&state), "res_ninit");
	state.nscount = 1;
	state.nsaddr_list[0] =
		(struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)w->port) };
	state.nsaddr_list[0].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	state.retrans = 30;
	res_nquery(&state, "slow.test", 1, 1, answer, sizeof(answer));
	res_nclose(&state);
}

/* The question with two bits more is the answer: there is no such name. */
static void feed_dns(struct wait *w)
{
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	ssize_t n = kinds_check(recvfrom(w->fd[1], chunk, CHUNK, 0, (void *)&from, &len), "recv");

	chunk[2] = (char)(chunk[2] | 0x80);
	chunk[3] = 3;
	kinds_check(sendto(w->fd[1], chunk, (size_t)n, 0, (void *)&from, len), "sendto");
}

const struct kind kinds_net[] = {
	{ "tcp-accept", make_listener, wait_accept, feed_connect, NULL },
	{ "tcp-server", make_server, wait_recv, kinds_write, NULL },
	{ "tcp-client", make_client, wait_recv, kinds_write, NULL },
	{ "tcp6-server", make_server6, kinds_read, kinds_write, NULL },
	{ "tcp-send", make_full, wait_send, feed_reading, NULL },
	{ "tcp-sendfile", make_full_with_file, wait_sendfile, feed_reading, NULL },
	{ "tcp-splice", make_server_and_pipe, wait_splice, kinds_write, NULL },
	{ "tcp-linger", make_linger, wait_close, feed_reading, NULL },
	{ "tcp-connect", make_backlog, wait_connect, kinds_feed_signal, NULL },
	{ "udp", make_udp, wait_recv, kinds_write, NULL },
	{ "udp-recvmmsg", make_udp, wait_recvmmsg, kinds_write, NULL },
	{ "dns", make_name_server, wait_dns, feed_dns, NULL },
	{ "unix-stream", make_unix_stream, wait_recv, kinds_write, NULL },
	{ "unix-dgram", make_unix_dgram, wait_recv, kinds_write, NULL },
	{ "unix-packets", make_unix_packets, wait_recv, kinds_write, NULL },
	{ "unix-send", make_full_stream, wait_send, feed_reading, NULL },
	{ "unix-dgram-send", make_full_dgram, wait_send, feed_reading, NULL },
	{ "unix-dgram-full", make_long_queue, wait_send, feed_reading, NULL },
	{ "unix-accept", make_unix_listener, wait_accept, feed_connect, NULL },
	{ "unix-connect", make_unix_backlog, wait_connect, feed_accept, NULL },
	{ "netlink", make_netlink, wait_interrupted, kinds_feed_signal, NULL },
	{ "packet", make_packet, wait_interrupted, kinds_feed_signal, NULL },
	{ .name = NULL },
};
