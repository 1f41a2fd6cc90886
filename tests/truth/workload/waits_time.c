/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits that a timer ends. System calls that every machine has are used (ppoll, not poll), and
 * nothing else is ever ready, so each wait is one switch away from the CPU and one back.
 */
#include "waits.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <time.h>

#include "rawcall.h"

static struct timespec timespec_of(u64 ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000ULL), (long)(ns % 1000000000ULL) };
}

static noinline void block_nanosleep(struct wl_thread *t)
{
	struct timespec ts = timespec_of(t->pair->pause_ns);

	truth__begin(&t->truth);
	rawcall4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &ts, 0);
	truth__end(&t->truth);
}

static noinline void run_nanosleep(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++)
		block_nanosleep(t);
}

static noinline void block_futex_time(struct wl_thread *t)
{
	struct timespec ts = timespec_of(t->pair->pause_ns);

	truth__begin(&t->truth);
	rawcall4(SYS_futex, &t->pair->word, FUTEX_WAIT_PRIVATE, 0, &ts);
	truth__end(&t->truth);
}

static noinline void run_futex_time(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++)
		block_futex_time(t);
}

static noinline void block_poll(struct wl_thread *t)
{
	struct timespec ts = timespec_of(t->pair->pause_ns);
	struct pollfd pfd = { .fd = t->pair->fd[0], .events = POLLIN };

	truth__begin(&t->truth);
	rawcall4(SYS_ppoll, &pfd, 1, &ts, 0);
	truth__end(&t->truth);
}

static noinline void run_poll(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++)
		block_poll(t);
}

static noinline void block_select(struct wl_thread *t)
{
	struct timespec ts = timespec_of(t->pair->pause_ns);
	fd_set set;

	FD_ZERO(&set);
	FD_SET(t->pair->fd[0], &set);
	truth__begin(&t->truth);
	rawcall6(SYS_pselect6, t->pair->fd[0] + 1, (long)&set, 0, 0, (long)&ts, 0);
	truth__end(&t->truth);
}

static noinline void run_select(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++)
		block_select(t);
}

static noinline void block_epoll(struct wl_thread *t)
{
	struct epoll_event ev;

	truth__begin(&t->truth);
	rawcall6(SYS_epoll_pwait, t->pair->fd[1], (long)&ev, 1, (long)(t->pair->pause_ns / 1000000),
		 0, 0);
	truth__end(&t->truth);
}

static noinline void run_epoll(struct wl_thread *t)
{
	int i;

	for (i = 0; i < t->pair->rounds; i++)
		block_epoll(t);
}

/*
 * Many stacks with the same leaf: the bits of `path` choose the callers, 2^PATH_BITS of them, each
 * taken once in a round.
 */
#define PATH_BITS 7

static void path_even(struct wl_thread *t, unsigned int path, int bits);

static noinline void path_odd(struct wl_thread *t, unsigned int path, int bits)
{
	if (!bits)
		block_nanosleep(t);
	else if (path & 1)
		path_odd(t, path >> 1, bits - 1);
	else
		path_even(t, path >> 1, bits - 1);
}

static noinline void path_even(struct wl_thread *t, unsigned int path, int bits)
{
	if (!bits)
		block_nanosleep(t);
	else if (path & 1)
		path_odd(t, path >> 1, bits - 1);
	else
		path_even(t, path >> 1, bits - 1);
}

static noinline void run_paths(struct wl_thread *t)
{
	unsigned int path;
	int i;

	for (i = 0; i < t->pair->rounds; i++)
		for (path = 0; path < 1U << PATH_BITS; path++)
			path_even(t, path, PATH_BITS);
}

/* Waits of four lengths, the shorter the more often, in no order: what is sampled differs. */
static noinline void block_mixed_tiny(struct wl_thread *t)
{
	t->pair->pause_ns = 60000;
	block_nanosleep(t);
}

static noinline void block_mixed_short(struct wl_thread *t)
{
	t->pair->pause_ns = 300000;
	block_nanosleep(t);
}

static noinline void block_mixed_middle(struct wl_thread *t)
{
	t->pair->pause_ns = 2500000;
	block_nanosleep(t);
}

static noinline void block_mixed_long(struct wl_thread *t)
{
	t->pair->pause_ns = 12000000;
	block_nanosleep(t);
}

static noinline void run_mixed(struct wl_thread *t)
{
	unsigned int dice = 1;
	int i;

	for (i = 0; i < t->pair->rounds; i++) {
		dice = dice * 1664525 + 1013904223;
		if (dice >> 24 < 4)
			block_mixed_long(t);
		else if (dice >> 24 < 36)
			block_mixed_middle(t);
		else if (dice >> 24 < 112)
			block_mixed_short(t);
		else
			block_mixed_tiny(t);
	}
}

/* Never ready: nobody writes to it. */
static int setup_eventfd(struct wl_pair *p)
{
	p->fd[0] = eventfd(0, EFD_CLOEXEC);
	return p->fd[0] < 0 ? -errno : 0;
}

static int setup_epoll(struct wl_pair *p)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int r = setup_eventfd(p);

	if (r)
		return r;
	p->fd[1] = epoll_create1(EPOLL_CLOEXEC);
	if (p->fd[1] < 0 || epoll_ctl(p->fd[1], EPOLL_CTL_ADD, p->fd[0], &ev))
		return -errno;
	return 0;
}

const struct waits_kind waits_time[] = {
	{ "nanosleep", 40, 15000000, NULL, 0, { { "nanosleep", run_nanosleep } } },
	{ "futex-time", 40, 14000000, NULL, 0, { { "futex-time", run_futex_time } } },
	{ "poll", 40, 13000000, setup_eventfd, 0, { { "poll", run_poll } } },
	{ "select", 40, 12000000, setup_eventfd, 0, { { "select", run_select } } },
	{ "epoll", 40, 11000000, setup_epoll, 0, { { "epoll", run_epoll } } },
	{ "mixed", 2500, 0, NULL, 0, { { "mixed", run_mixed } } },
	{ "paths", 3, 1000000, NULL, 0, { { "paths", run_paths } } },
	{ 0 },
};
