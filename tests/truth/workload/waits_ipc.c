/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for another thread's bytes, or for room for one's own. The feeder pauses longer than the
 * reader needs to come back, so that every read finds nothing and blocks once.
 */
#include "waits.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rawcall.h"

#define PIPE_CHUNK 65536

/* The same code for each kind of descriptor, and yet a frame of its own for each. */
#define READER(what)                                                                               \
	static noinline void block_##what(struct wl_thread *t)                                     \
	{                                                                                          \
		char byte;                                                                         \
                                                                                                   \
		truth__begin(&t->truth);                                                           \
		rawcall3(SYS_read, t->pair->fd[0], &byte, 1);                                      \
		truth__end(&t->truth);                                                             \
	}                                                                                          \
                                                                                                   \
	static noinline void run_##what(struct wl_thread *t)                                       \
	{                                                                                          \
		int i;                                                                             \
                                                                                                   \
		for (i = 0; i < t->pair->rounds; i++)                                              \
			block_##what(t);                                                           \
	}

READER(pipe_read)
READER(tcp)
READER(udp)
READER(unix)
READER(span)

static noinline void run_feed(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++) {
		wl_pause(t->pair->pause_ns);
		rawcall3(SYS_write, t->pair->fd[1], "x", 1);
	}
}

/* So many objects, each for one short wait. */
static noinline void run_pipes(struct wl_thread *t)
{
	int i, fd[2];

	for (i = 0; i < t->pair->rounds; i++) {
		struct pollfd poll_fd = { .events = POLLIN };

		if (pipe(fd))
			wl_die("pipe");
		poll_fd.fd = fd[0];
		poll(&poll_fd, 1, 1);
		close(fd[0]);
		close(fd[1]);
	}
}

/* The pipe is full, so the write waits until the drainer has emptied it. */
static noinline void block_pipe_write(struct wl_thread *t)
{
	static const char chunk[PIPE_CHUNK];

	truth__begin(&t->truth);
	rawcall3(SYS_write, t->pair->fd[1], chunk, sizeof(chunk));
	truth__end(&t->truth);
}

static noinline void run_pipe_write(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++)
		block_pipe_write(t);
}

static noinline void run_pipe_drain(struct wl_thread *t)
{
	static char chunk[PIPE_CHUNK];
	int i;

	for (i = 0; i < t->pair->rounds; i++) {
		long got = 0, n = 1;

		wl_pause(t->pair->pause_ns);
		for (; n > 0 && got < PIPE_CHUNK; got += n)
			n = rawcall3(SYS_read, t->pair->fd[0], chunk, PIPE_CHUNK - got);
	}
}

/* One bracket around all rounds: a clock read in each would cost more than the wait. */
static noinline void block_ping(struct wl_thread *t)
{
	char byte;
	int i;

	truth__begin(&t->truth);
	for (i = 0; i < t->pair->rounds; i++) {
		rawcall3(SYS_write, t->pair->fd[0], "x", 1);
		rawcall3(SYS_read, t->pair->fd[0], &byte, 1);
	}
	truth__end(&t->truth);
}

static noinline void run_ping(struct wl_thread *t)
{
	block_ping(t);
}

static noinline void block_pong(struct wl_thread *t)
{
	char byte;
	int i;

	truth__begin(&t->truth);
	for (i = 0; i < t->pair->rounds; i++) {
		rawcall3(SYS_read, t->pair->fd[1], &byte, 1);
		rawcall3(SYS_write, t->pair->fd[1], "x", 1);
	}
	truth__end(&t->truth);
}

static noinline void run_pong(struct wl_thread *t)
{
	block_pong(t);
}

static int setup_pipe(struct wl_pair *p)
{
	return pipe2(p->fd, O_CLOEXEC) ? -errno : 0;
}

static int setup_full_pipe(struct wl_pair *p)
{
	static const char chunk[PIPE_CHUNK];
	int r = setup_pipe(p);

	if (r)
		return r;
	if (fcntl(p->fd[1], F_SETPIPE_SZ, PIPE_CHUNK) < 0)
		return -errno;
	return write(p->fd[1], chunk, sizeof(chunk)) == (ssize_t)sizeof(chunk) ? 0 : -EIO;
}

static int setup_unix(struct wl_pair *p)
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->fd) ? -errno : 0;
}

/* Binds a socket to a free port of the loopback device and says which. */
static int bind_loopback(int type, struct sockaddr_in *addr, int *ret_fd)
{
	socklen_t len = sizeof(*addr);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	*addr = (struct sockaddr_in){ .sin_family = AF_INET };
	addr->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)addr, len) ||
	    getsockname(fd, (struct sockaddr *)addr, &len))
		return -errno;
	*ret_fd = fd;
	return 0;
}

static int connect_loopback(int type, const struct sockaddr_in *addr, int *ret_fd)
{
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)))
		return -errno;
	*ret_fd = fd;
	return 0;
}

static int setup_udp(struct wl_pair *p)
{
	struct sockaddr_in addr;
	int r = bind_loopback(SOCK_DGRAM, &addr, &p->fd[0]);

	return r ? r : connect_loopback(SOCK_DGRAM, &addr, &p->fd[1]);
}

static int setup_tcp(struct wl_pair *p)
{
	struct sockaddr_in addr;
	int listener, r;

	r = bind_loopback(SOCK_STREAM, &addr, &listener);
	if (r)
		return r;
	if (listen(listener, 1))
		return -errno;
	r = connect_loopback(SOCK_STREAM, &addr, &p->fd[1]);
	if (r)
		return r;
	p->fd[0] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	r = p->fd[0] < 0 ? -errno : 0;
	close(listener);
	return r;
}

const struct waits_kind waits_ipc[] = {
	{ "pipe-read",
	  40,
	  12000000,
	  setup_pipe,
	  0,
	  { { "pipe-read", run_pipe_read }, { "pipe-feed", run_feed } } },
	{ "pipe-write",
	  40,
	  11000000,
	  setup_full_pipe,
	  0,
	  { { "pipe-write", run_pipe_write }, { "pipe-drain", run_pipe_drain } } },
	{ "tcp", 40, 13000000, setup_tcp, 0, { { "tcp", run_tcp }, { "tcp-feed", run_feed } } },
	{ "udp", 40, 14000000, setup_udp, 0, { { "udp", run_udp }, { "udp-feed", run_feed } } },
	{ "unix",
	  40,
	  15000000,
	  setup_unix,
	  0,
	  { { "unix", run_unix }, { "unix-feed", run_feed } } },
	/* blocks before the recording and until after it */
	{ "span", 1, 0, setup_pipe, 1, { { "span", run_span } } },
	/* switches as fast as two threads can: for the oracle and for small differences */
	{ "pipes", 400, 0, NULL, 0, { { "pipes", run_pipes } } },
	{ "pingpong", 20000, 0, setup_unix, 0, { { "ping", run_ping }, { "pong", run_pong } } },
	{ 0 },
};
