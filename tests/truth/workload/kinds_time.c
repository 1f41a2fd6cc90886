/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for time to pass, and for a signal. */
#include "kinds.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define HOLD_MS ((int)(KINDS_HOLD_NS / 1000000))

static const struct timespec hold = { 0, (long)KINDS_HOLD_NS };

static void wait_nanosleep(struct wait *w)
{
	(void)w;
	syscall(SYS_nanosleep, &hold, NULL);
}

static void wait_clock(struct wait *w)
{
	(void)w;
	clock_nanosleep(CLOCK_BOOTTIME, 0, &hold, NULL);
}

static void wait_until(struct wait *w)
{
	struct timespec ts;

	(void)w;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_sec += (ts.tv_nsec + (long)KINDS_HOLD_NS) / 1000000000;
	ts.tv_nsec = (ts.tv_nsec + (long)KINDS_HOLD_NS) % 1000000000;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

static int make_timerfd(struct wait *w)
{
	w->fd[0] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	return w->fd[0] < 0 ? -errno : 0;
}

static void feed_timer(struct wait *w)
{
	const struct itimerspec now = { .it_value.tv_nsec = 1 };

	kinds_check(timerfd_settime(w->fd[0], 0, &now, NULL), "timerfd_settime");
}

static void wait_poll(struct wait *w)
{
	(void)w;
	poll(NULL, 0, HOLD_MS);
}

static void wait_select(struct wait *w)
{
	struct timeval tv = { 0, HOLD_MS * 1000L };

	(void)w;
	select(0, NULL, NULL, NULL, &tv);
}

static int make_epoll(struct wait *w)
{
	w->fd[0] = epoll_create1(EPOLL_CLOEXEC);
	return w->fd[0] < 0 ? -errno : 0;
}

static void wait_epoll(struct wait *w)
{
	struct epoll_event ev;

	epoll_wait(w->fd[0], &ev, 1, HOLD_MS);
}

#ifdef SYS_pause
static void wait_pause(struct wait *w)
{
	(void)w;
	syscall(SYS_pause);
}
#endif

static void wait_suspend(struct wait *w)
{
	sigset_t none;

	(void)w;
	sigemptyset(&none);
	sigsuspend(&none);
}

static sigset_t usr2_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return set;
}

static int make_usr2(struct wait *w)
{
	sigset_t set = usr2_set();

	(void)w;
	return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void wait_sigtimedwait(struct wait *w)
{
	sigset_t set = usr2_set();

	(void)w;
	sigtimedwait(&set, NULL, &hold);
}

static void wait_sigwait(struct wait *w)
{
	sigset_t set = usr2_set();
	int sig;

	(void)w;
	sigwait(&set, &sig);
}

static void feed_usr2(struct wait *w)
{
	kinds_check(tgkill(getpid(), w->tid, SIGUSR2), "tgkill");
}

const struct kind kinds_time[] = {
	{ "nanosleep", NULL, wait_nanosleep, NULL, NULL },
	{ "clock-nanosleep", NULL, wait_clock, NULL, NULL },
	{ "sleep-until", NULL, wait_until, NULL, NULL },
	{ "timerfd", make_timerfd, kinds_read, feed_timer, NULL },
	{ "poll-timeout", NULL, wait_poll, NULL, NULL },
	{ "select-timeout", NULL, wait_select, NULL, NULL },
	{ "epoll-timeout", make_epoll, wait_epoll, NULL, NULL },
#ifdef SYS_pause
	{ "pause", kinds_make_signal, wait_pause, kinds_feed_signal, NULL },
#endif
	{ "sigsuspend", kinds_make_signal, wait_suspend, kinds_feed_signal, NULL },
	{ "sigtimedwait", make_usr2, wait_sigtimedwait, NULL, NULL },
	{ "sigwait", make_usr2, wait_sigwait, feed_usr2, NULL },
	{ .name = NULL },
};
