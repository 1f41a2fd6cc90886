/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers DIR: threads that wait, one after the other, for what another process has the other end of:
 * pipes, and connections that do not leave this host. Prints what it expects.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "wl.h"

#define LABEL(k, ...) snprintf((k)->label, sizeof((k)->label), __VA_ARGS__)

/* A thread of ours waits at `near`, the other process has `far`; -1: nobody has. */
struct kind {
	const char *name; /* of the thread */
	void (*make)(struct kind *k);
	void (*wait)(struct kind *k);
	void (*feed)(struct kind *k); /* in the other process */
	int near;
	int far;
	int tid;
	int both; /* a second process has it, too */
	int second[2]; /* only that one has these */
	char path[108];
	char label[200]; /* what it waits for, as coldspot should call it, without "-PID" */
};

static const char *dir;
static char full[1 << 16];

static void read_one(struct kind *k)
{
	char bytes[64];

	wl_checked((int)read(k->near, bytes, sizeof(bytes)), "read");
}

/* The pipe is full of what was written before. */
static void write_more(struct kind *k)
{
	wl_checked((int)write(k->near, full, 1), "write");
}

static void feed_write(struct kind *k)
{
	wl_checked((int)write(k->far, "12345678", 8), "write");
}

static void feed_read(struct kind *k)
{
	wl_checked((int)read(k->far, full, sizeof(full)), "read");
}

static void make_pipe(struct kind *k)
{
	int fd[2];

	wl_checked(pipe(fd), "pipe");
	k->near = fd[0];
	k->far = fd[1];
	LABEL(k, "pipe:[%lu] from far", wl_inode_of(k->near));
}

static void make_full_pipe(struct kind *k)
{
	int fd[2];

	wl_checked(pipe(fd), "pipe");
	wl_checked(fcntl(fd[1], F_SETPIPE_SZ, 4096), "F_SETPIPE_SZ");
	wl_checked((int)write(fd[1], full, 4096), "write");
	k->near = fd[1];
	k->far = fd[0];
	LABEL(k, "pipe:[%lu] to far", wl_inode_of(k->near));
}

static void make_shared_pipe(struct kind *k)
{
	make_pipe(k);
	k->both = 1;
	LABEL(k, "pipe:[%lu] from far (2 processes)", wl_inode_of(k->near));
}

static void make_fifo(struct kind *k)
{
	snprintf(k->path, sizeof(k->path), "%s/peers.fifo", dir);
	unlink(k->path);
	wl_checked(mkfifo(k->path, 0600), "mkfifo");
	k->near = wl_checked(open(k->path, O_RDONLY | O_NONBLOCK), "open");
	k->far = wl_checked(open(k->path, O_WRONLY), "open");
	wl_checked(fcntl(k->near, F_SETFL, 0), "F_SETFL");
	LABEL(k, "fifo %s from far", k->path);
}

/* `family` of the client; the service is bound to `any` address or to that of the loopback. */
struct service {
	int family;
	int any;
	int listener;
	unsigned port;
};

static struct sockaddr_in6 address(int family, int any, unsigned port)
{
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	in.sin_addr.s_addr = htonl(any ? INADDR_ANY : INADDR_LOOPBACK);
	in6.sin6_addr = any ? in6addr_any : in6addr_loopback;
	if (family == AF_INET)
		memcpy(&in6, &in, sizeof(in));
	return in6;
}

static void listen_on(struct service *s, int family, int type)
{
	struct sockaddr_in6 in = address(family, s->any, 0);
	socklen_t len = sizeof(in);

	s->listener = wl_checked(socket(family, type, 0), "socket");
	wl_checked(bind(s->listener, (void *)&in, sizeof(in)), "bind");
	if (type == SOCK_STREAM)
		wl_checked(listen(s->listener, 8), "listen");
	wl_checked(getsockname(s->listener, (void *)&in, &len), "getsockname");
	s->port = ntohs(in.sin6_port); /* at the same place in both */
}

static int connect_to(const struct service *s, int type)
{
	struct sockaddr_in6 in = address(s->family, 0, s->port);
	int fd = wl_checked(socket(s->family, type, 0), "socket");

	wl_checked(connect(fd, (void *)&in, sizeof(in)), "connect");
	return fd;
}

static int accept_from(const struct service *s)
{
	return wl_checked(accept(s->listener, NULL, NULL), "accept");
}

/* The second process has a connection to the same service, with both of its ends. */
static void make_client(struct kind *k)
{
	struct service s = { .family = AF_INET };

	listen_on(&s, AF_INET, SOCK_STREAM);
	k->near = connect_to(&s, SOCK_STREAM);
	k->far = accept_from(&s);
	k->second[0] = connect_to(&s, SOCK_STREAM);
	k->second[1] = accept_from(&s);
	close(s.listener);
	LABEL(k, "tcp 127.0.0.1:%u = far", s.port);
}

static void make_server(struct kind *k)
{
	struct service s = { .family = AF_INET };

	listen_on(&s, AF_INET, SOCK_STREAM);
	k->far = connect_to(&s, SOCK_STREAM);
	k->near = accept_from(&s);
	k->second[0] = connect_to(&s, SOCK_STREAM);
	k->second[1] = accept_from(&s);
	close(s.listener);
	LABEL(k, "tcp :%u from 127.0.0.1 = far", s.port);
}

static void make_client6(struct kind *k)
{
	struct service s = { .family = AF_INET6 };

	listen_on(&s, AF_INET6, SOCK_STREAM);
	k->near = connect_to(&s, SOCK_STREAM);
	k->far = accept_from(&s);
	close(s.listener);
	LABEL(k, "tcp [::1]:%u = far", s.port);
}

/* An IPv4 client of an IPv6 service. */
static void make_mapped(struct kind *k)
{
	struct service s = { .family = AF_INET, .any = 1 };

	listen_on(&s, AF_INET6, SOCK_STREAM);
	k->near = connect_to(&s, SOCK_STREAM);
	k->far = accept_from(&s);
	close(s.listener);
	LABEL(k, "tcp 127.0.0.1:%u = far", s.port);
}

/* Nobody has accepted it yet. */
static void make_waiting(struct kind *k)
{
	struct service s = { .family = AF_INET, .any = 1 };

	listen_on(&s, AF_INET6, SOCK_STREAM);
	k->near = connect_to(&s, SOCK_STREAM);
	k->far = s.listener;
	LABEL(k, "tcp 127.0.0.1:%u = far", s.port);
}

static void feed_accept(struct kind *k)
{
	int fd = wl_checked(accept(k->far, NULL, NULL), "accept");

	close(fd);
}

static void make_udp(struct kind *k)
{
	struct service s = { .family = AF_INET };
	struct sockaddr_in in;
	socklen_t len = sizeof(in);

	listen_on(&s, AF_INET, SOCK_DGRAM);
	k->near = connect_to(&s, SOCK_DGRAM);
	k->far = s.listener;
	wl_checked(getsockname(k->near, (void *)&in, &len), "getsockname");
	wl_checked(connect(k->far, (void *)&in, len), "connect");
	LABEL(k, "udp 127.0.0.1:%u = far", s.port);
}

static void make_pair(struct kind *k)
{
	int fd[2];

	wl_checked(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), "socketpair");
	k->near = fd[0];
	k->far = fd[1];
	LABEL(k, "unix:[%lu] = far", wl_inode_of(k->near));
}

static struct sockaddr_un unix_address(struct kind *k)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	snprintf(k->path, sizeof(k->path), "%s/%s", dir, k->name);
	memcpy(un.sun_path, k->path, sizeof(un.sun_path));
	unlink(k->path);
	return un;
}

static void make_unix_server(struct kind *k)
{
	struct sockaddr_un un = unix_address(k);
	int listener = wl_checked(socket(AF_UNIX, SOCK_STREAM, 0), "socket");

	wl_checked(bind(listener, (void *)&un, sizeof(un)), "bind");
	wl_checked(listen(listener, 4), "listen");
	k->far = wl_checked(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
	wl_checked(connect(k->far, (void *)&un, sizeof(un)), "connect");
	k->near = wl_checked(accept(listener, NULL, NULL), "accept");
	close(listener);
	LABEL(k, "unix %s (server) = far", k->path);
}

/* We made the listening socket; the other process has what was accepted. */
static void make_unix_client(struct kind *k)
{
	struct sockaddr_un un = unix_address(k);
	int listener = wl_checked(socket(AF_UNIX, SOCK_STREAM, 0), "socket");

	wl_checked(bind(listener, (void *)&un, sizeof(un)), "bind");
	wl_checked(listen(listener, 4), "listen");
	k->near = wl_checked(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
	wl_checked(connect(k->near, (void *)&un, sizeof(un)), "connect");
	k->far = wl_checked(accept(listener, NULL, NULL), "accept");
	LABEL(k, "unix %s = far", k->path);
}

/* What waits is a client of a queue that is full. */
static void make_unix_queue(struct kind *k)
{
	struct sockaddr_un un = unix_address(k);

	k->far = wl_checked(socket(AF_UNIX, SOCK_DGRAM, 0), "socket");
	wl_checked(bind(k->far, (void *)&un, sizeof(un)), "bind");
	k->near = wl_checked(socket(AF_UNIX, SOCK_DGRAM, 0), "socket");
	wl_checked(connect(k->near, (void *)&un, sizeof(un)), "connect");
	while (send(k->near, "x", 1, MSG_DONTWAIT) == 1)
		;
	LABEL(k, "unix %s = far", k->path);
}

static struct kind kinds[] = {
	{ .name = "pipe-read", .make = make_pipe, .wait = read_one, .feed = feed_write },
	{ .name = "pipe-write", .make = make_full_pipe, .wait = write_more, .feed = feed_read },
	{ .name = "pipe-shared", .make = make_shared_pipe, .wait = read_one, .feed = feed_write },
	{ .name = "fifo", .make = make_fifo, .wait = read_one, .feed = feed_write },
	{ .name = "tcp-client", .make = make_client, .wait = read_one, .feed = feed_write },
	{ .name = "tcp-server", .make = make_server, .wait = read_one, .feed = feed_write },
	{ .name = "tcp6-client", .make = make_client6, .wait = read_one, .feed = feed_write },
	{ .name = "tcp-mapped", .make = make_mapped, .wait = read_one, .feed = feed_write },
	{ .name = "tcp-waiting", .make = make_waiting, .wait = read_one, .feed = feed_accept },
	{ .name = "udp-client", .make = make_udp, .wait = read_one, .feed = feed_write },
	{ .name = "unix-pair", .make = make_pair, .wait = read_one, .feed = feed_write },
	{ .name = "unix-server", .make = make_unix_server, .wait = read_one, .feed = feed_write },
	{ .name = "unix-client", .make = make_unix_client, .wait = read_one, .feed = feed_write },
	{ .name = "unix-queue", .make = make_unix_queue, .wait = write_more, .feed = feed_read },
	{ .name = NULL },
};

/* The process at the other end: feeds the kind of each number that it reads. */
static void far_main(int orders)
{
	unsigned char number;
	struct kind *k;

	prctl(PR_SET_NAME, "far");
	for (k = kinds; k->name; k++) {
		close(k->near);
		close(k->second[0]);
		close(k->second[1]);
	}
	while (read(orders, &number, 1) == 1)
		kinds[number].feed(&kinds[number]);
	_exit(0);
}

/* One that only has things. */
static void second_main(int orders)
{
	unsigned char number;
	struct kind *k;

	prctl(PR_SET_NAME, "far");
	for (k = kinds; k->name; k++) {
		close(k->near);
		if (!k->both)
			close(k->far);
	}
	while (read(orders, &number, 1) == 1)
		;
	_exit(0);
}

/* Ends with us, as it reads what we write. */
static int begin(void (*run)(int orders), int *ret_orders, int other_orders)
{
	int fd[2], pid;

	wl_checked(pipe(fd), "pipe");
	pid = wl_checked(fork(), "fork");
	if (!pid) {
		close(fd[1]);
		if (other_orders >= 0)
			close(other_orders);
		run(fd[0]);
	}
	close(fd[0]);
	*ret_orders = fd[1];
	return pid;
}

static int far_pid;

static void *kind_main(void *arg)
{
	struct kind *k = arg;
	char peer[16] = "";

	if (!k->both)
		snprintf(peer, sizeof(peer), "-%d", far_pid);
	prctl(PR_SET_NAME, k->name);
	wl_emit("{\"event\":\"object\",\"name\":\"%s\",\"tid\":%d,\"label\":\"%s%s\"}", k->name,
		wl_gettid(), k->label, peer);
	__atomic_store_n(&k->tid, wl_gettid(), __ATOMIC_RELEASE);
	k->wait(k);
	return NULL;
}

static void run_kind(struct kind *k, int orders)
{
	unsigned char number = (unsigned char)(k - kinds);
	pthread_t thread;

	if (pthread_create(&thread, NULL, kind_main, k))
		wl_die("pthread_create");
	while (!__atomic_load_n(&k->tid, __ATOMIC_ACQUIRE))
		wl_pause(1000000);
	if (wl_asleep(k->tid))
		wl_die(k->name);
	wl_pause(30000000);
	wl_checked((int)write(orders, &number, 1), "write");
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	int orders, second_orders;
	struct kind *k;

	if (argc != 2)
		return 2;
	dir = argv[1];
	for (k = kinds; k->name; k++) {
		k->second[0] = k->second[1] = -1;
		k->make(k);
	}
	far_pid = begin(far_main, &orders, -1);
	begin(second_main, &second_orders, orders);
	for (k = kinds; k->name; k++) {
		close(k->far);
		close(k->second[0]);
		close(k->second[1]);
	}
	wl_emit("{\"event\":\"ready\",\"pid\":%d}", getpid());
	wl_expect("go");
	for (k = kinds; k->name; k++)
		run_kind(k, orders);
	wl_emit("{\"event\":\"done\"}");
	wl_expect("quit");
	return 0;
}
