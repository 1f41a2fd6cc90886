/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The time between start and end of a recording. Signals only set a flag, which every sleep looks
 * at; what was recorded until then is printed. The end of a target ends the sleep that it falls in.
 */
#include "cli/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "proc/task.h"
#include "render/utf8.h"

#define TICK_MS 100

/* timeout(1) signals the process and then its group: within this time it is the same wish. */
#define ECHO_NS (NSEC_PER_SEC / 2)

static volatile sig_atomic_t stop_asked;
static volatile u64 stop_asked_ns;

static void on_signal(int sig)
{
	u64 now = clock_mono_ns();

	if (!stop_asked) {
		stop_asked_ns = now;
		stop_asked = sig;
	} else if (now - stop_asked_ns >= ECHO_NS) {
		signal(sig, SIG_DFL);
		raise(sig); /* when this function has returned */
	}
}

void run_catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal }, hup;

	stop_asked = 0;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN) /* not under nohup */
		sigaction(SIGHUP, &sa, NULL);
}

/* A process that ended but was not waited for yet still has its number: its pidfd tells. */
static bool process_ended(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

struct watch {
	struct vec pidfds; /* int, -1: not to be had (a thread, not a process) */
	int ends_fd; /* epoll: can be read when one of them has ended; each tells once */
	const struct run_options *opt;
};

/* What cannot be waited for is looked at now and then. */
static int watch_one(struct watch *w, pid_t id, struct err *err)
{
	struct epoll_event once = { .events = EPOLLIN | EPOLLONESHOT };
	int *fd = vec__push(&w->pidfds);

	if (!fd)
		return err__nomem(err);
	*fd = (int)syscall(SYS_pidfd_open, id, 0);
	if (*fd >= 0)
		epoll_ctl(w->ends_fd, EPOLL_CTL_ADD, *fd, &once);
	return 0;
}

static int watch__init(struct watch *w, const struct run_options *opt, struct err *err)
{
	int r = 0;

	w->opt = opt;
	w->ends_fd = epoll_create1(EPOLL_CLOEXEC);
	vec__init(&w->pidfds, sizeof(int));
	for (size_t i = 0; !r && i < opt->ids_len; i++)
		r = watch_one(w, (pid_t)opt->ids[i], err);
	if (!r && opt->child)
		r = watch_one(w, opt->child->pid, err);
	return r;
}

static void watch__done(struct watch *w)
{
	for (size_t i = 0; i < w->pidfds.len; i++) {
		int fd = *(int *)vec__at(&w->pidfds, i);

		if (fd >= 0)
			close(fd);
	}
	vec__done(&w->pidfds);
	if (w->ends_fd >= 0)
		close(w->ends_fd);
}

/* What has ended does not wake us again. */
static void take_ends(const struct watch *w)
{
	struct epoll_event ev;

	while (epoll_wait(w->ends_fd, &ev, 1, 0) > 0)
		;
}

static bool targets_gone(const struct watch *w)
{
	take_ends(w);
	if (w->opt->child)
		return child__ended(w->opt->child);
	for (size_t i = 0; i < w->pidfds.len; i++) {
		int fd = *(int *)vec__at(&w->pidfds, i);

		if (fd >= 0 ? !process_ended(fd) : proc_task_exists(w->opt->ids[i]))
			return false;
	}
	return w->pidfds.len > 0;
}

static void show_progress(const struct run_options *opt, u64 since_ns)
{
	double secs = (double)since_ns / NSEC_PER_SEC;
	char target[256];

	utf8_copy_harmless(opt->target, target, sizeof(target));
	if (opt->duration_ns)
		fprintf(stderr, "\r\033[Krecording %s: %.1f of %.1f s (Ctrl-C ends it)", target,
			secs, (double)opt->duration_ns / NSEC_PER_SEC);
	else
		fprintf(stderr, "\r\033[Krecording %s: %.1f s (Ctrl-C ends it)", target, secs);
}

static int loop(struct session *s, const struct watch *w, struct err *err)
{
	const struct run_options *opt = w->opt;
	u64 begin = clock_mono_ns();

	for (;;) {
		u64 now = clock_mono_ns(), gone = now - begin;
		int timeout_ms = TICK_MS, r;

		if (stop_asked || (opt->duration_ns && gone >= opt->duration_ns) || targets_gone(w))
			return 0;
		if (opt->progress)
			show_progress(opt, gone);
		if (opt->duration_ns && opt->duration_ns - gone < TICK_MS * NSEC_PER_MSEC)
			timeout_ms = (int)((opt->duration_ns - gone) / NSEC_PER_MSEC) + 1;
		r = session__poll(s, w->ends_fd, timeout_ms, err);
		if (r && r != -EINTR)
			return r;
	}
}

bool run_is_over(void)
{
	return stop_asked;
}

int run_on(struct session *s, const struct run_options *opt, struct err *err)
{
	struct watch w;
	int r = watch__init(&w, opt, err);

	if (!r)
		r = loop(s, &w, err);
	watch__done(&w);
	return r;
}

int run_session(struct session *s, const struct run_options *opt, struct err *err)
{
	struct watch w;
	int r;

	if (stop_asked)
		return err__set(err, -EINTR, "ended by a signal before the recording began");
	r = watch__init(&w, opt, err);
	if (!r)
		session__start(s);
	if (!r && opt->announce)
		fprintf(stderr, "coldspot: recording\n");
	if (!r && opt->child)
		r = child__release(opt->child, err);
	if (!r)
		r = loop(s, &w, err);
	if (opt->progress)
		fprintf(stderr, "\r\033[K");
	watch__done(&w);
	return r;
}
