/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for one of several files, and for what the kernel does in the background. */
#include "kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int make_pipe(struct wait *w)
{
	return pipe2(w->fd, O_CLOEXEC) ? -errno : 0;
}

static int make_two(struct wait *w)
{
	int r = make_pipe(w);

	return r ? r : pipe2(w->fd + 2, O_CLOEXEC) ? -errno : 0;
}

static void wait_poll(struct wait *w)
{
	struct pollfd p[2] = { { .fd = w->fd[0], .events = POLLIN },
			       { .fd = w->fd[2], .events = POLLIN } };

	kinds_check(poll(p, 2, -1), "poll");
}

static void wait_ppoll(struct wait *w)
{
	struct pollfd p = { .fd = w->fd[0], .events = POLLIN };
	struct timespec ts = { .tv_sec = 60 };

	kinds_check(ppoll(&p, 1, &ts, NULL), "ppoll");
}

static void wait_select(struct wait *w)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(w->fd[0], &set);
	kinds_check(select(w->fd[0] + 1, &set, NULL, NULL, NULL), "select");
}

static void wait_pselect(struct wait *w)
{
	struct timespec ts = { .tv_sec = 60 };
	sigset_t none;
	fd_set set;

	sigemptyset(&none);
	FD_ZERO(&set);
	FD_SET(w->fd[0], &set);
	kinds_check(pselect(w->fd[0] + 1, &set, NULL, NULL, &ts, &none), "pselect");
}

/* fd[0] is the epoll, fd[1] the end of a pipe that is in it. */
static int make_epoll(struct wait *w)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int r = make_pipe(w);

	if (r)
		return r;
	w->fd[2] = w->fd[0];
	w->fd[0] = epoll_create1(EPOLL_CLOEXEC);
	if (w->fd[0] < 0)
		return -errno;
	return epoll_ctl(w->fd[0], EPOLL_CTL_ADD, w->fd[2], &ev) ? -errno : 0;
}

static void wait_epoll(struct wait *w)
{
	struct epoll_event ev;

	kinds_check(epoll_wait(w->fd[0], &ev, 1, -1), "epoll_wait");
}

static void wait_epoll2(struct wait *w)
{
	struct timespec ts = { .tv_sec = 60 };
	struct epoll_event ev;

	kinds_check(epoll_pwait2(w->fd[0], &ev, 1, &ts, NULL), "epoll_pwait2");
}

static int make_pidfd(struct wait *w)
{
	int r = kinds_make_child(w);

	if (r)
		return r;
	w->fd[2] = w->fd[0];
	w->fd[0] = (int)syscall(SYS_pidfd_open, w->pid, 0);
	return w->fd[0] < 0 ? -errno : 0;
}

static int make_uring(struct wait *w)
{
	struct io_uring_params params = { 0 };
	int r = kinds_make_signal(w);

	w->fd[0] = (int)syscall(SYS_io_uring_setup, 4, &params);
	return w->fd[0] < 0 ? -errno : r;
}

static void wait_uring(struct wait *w)
{
	syscall(SYS_io_uring_enter, w->fd[0], 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
}

static aio_context_t aio;

static int make_aio(struct wait *w)
{
	int r = kinds_make_signal(w);

	return syscall(SYS_io_setup, 1, &aio) ? -errno : r;
}

static void wait_aio(struct wait *w)
{
	struct io_event ev;

	(void)w;
	syscall(SYS_io_getevents, aio, 1, 1, &ev, NULL);
}

const struct kind kinds_poll[] = {
	{ "poll", make_two, wait_poll, kinds_write, NULL },
	{ "ppoll", make_pipe, wait_ppoll, kinds_write, NULL },
	{ "select", make_pipe, wait_select, kinds_write, NULL },
	{ "pselect", make_pipe, wait_pselect, kinds_write, NULL },
	{ "epoll", make_epoll, wait_epoll, kinds_write, NULL },
	{ "epoll-pwait2", make_epoll, wait_epoll2, kinds_write, NULL },
	{ "pidfd", make_pidfd, wait_ppoll, kinds_write, NULL },
	{ "io-uring", make_uring, wait_uring, kinds_feed_signal, NULL },
	{ "aio", make_aio, wait_aio, kinds_feed_signal, NULL },
	{ .name = NULL },
};
