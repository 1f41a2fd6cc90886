/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The time between start and end of a recording. Signals only set a flag, which every sleep checks;
 * what was recorded until then is printed. The exit of a target ends the current sleep.
 */
#include "app/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "proc/task.h"

#define TICK_MS 100

/* timeout(1) signals the process and then its group: within this time it is the same request. */
#define ECHO_NS (NSEC_PER_SEC / 2)

static volatile sig_atomic_t stop_asked;
static volatile u64 stop_asked_ns;
static volatile sig_atomic_t reload_asked;
static volatile sig_atomic_t trigger_asked;

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

static void on_reload(int sig)
{
	(void)sig;
	reload_asked = 1;
}

void run_catch_reload(void)
{
	struct sigaction sa = { .sa_handler = on_reload };

	reload_asked = 0;
	sigaction(SIGHUP, &sa, NULL);
}

bool run_take_reload(void)
{
	bool asked = reload_asked;

	reload_asked = 0;
	return asked;
}

static void on_trigger(int sig)
{
	(void)sig;
	trigger_asked = 1;
}

void run_catch_trigger(void)
{
	struct sigaction sa = { .sa_handler = on_trigger };

	trigger_asked = 0;
	sigaction(SIGUSR1, &sa, NULL);
}

bool run_take_trigger(void)
{
	bool asked = trigger_asked;

	trigger_asked = 0;
	return asked;
}

bool run_trigger_asked(void)
{
	return trigger_asked;
}

static bool is_stopped(const struct run_options *opt)
{
	return stop_asked || (opt->stop && *opt->stop);
}

/* An exited process that was not reaped still has its PID: its pidfd tells. */
static bool process_ended(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

struct watch {
	const struct session *session;
	struct vec pidfds; /* int, -1: none (a thread, not a process) */
	int ends_fd; /* epoll: readable when one of them has exited; each reports once */
	const struct run_options *opt;
};

/* A task without a pidfd is polled. */
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

static int watch__init(struct watch *w, const struct session *s, const struct run_options *opt,
		       struct err *err)
{
	/* by edges, because it is not read where it wakes */
	struct epoll_event input = { .events = EPOLLIN | EPOLLET };
	int r = 0;

	w->session = s;
	w->opt = opt;
	w->ends_fd = epoll_create1(EPOLL_CLOEXEC);
	vec__init(&w->pidfds, sizeof(int));
	for (size_t i = 0; !r && i < opt->ids_len; i++)
		r = watch_one(w, (pid_t)opt->ids[i], err);
	if (!r && opt->child)
		r = watch_one(w, opt->child->pid, err);
	if (opt->wake_fd > 0)
		epoll_ctl(w->ends_fd, EPOLL_CTL_ADD, opt->wake_fd, &input);
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

/* Removes exited targets, and forgets input, so that they do not wake us again. */
static void take_ends(const struct watch *w)
{
	struct epoll_event ev;

	while (epoll_wait(w->ends_fd, &ev, 1, 0) > 0)
		;
}

static bool targets_gone(const struct watch *w)
{
	take_ends(w);
	if (w->opt->child && !child__ended(w->opt->child))
		return false;
	if (w->opt->wait_all)
		return !session__targets(w->session);
	if (w->opt->child)
		return true;
	for (size_t i = 0; i < w->pidfds.len; i++) {
		int fd = *(int *)vec__at(&w->pidfds, i);

		if (fd >= 0 ? !process_ended(fd) : proc_task_exists(w->opt->ids[i]))
			return false;
	}
	return w->pidfds.len > 0;
}

/* Time to wait: until the instant, at most a tick. */
static int tick_ms(u64 now_ns, u64 until_ns)
{
	u64 left_ns = until_ns > now_ns ? until_ns - now_ns : 0;

	return left_ns < TICK_MS * NSEC_PER_MSEC ? (int)(left_ns / NSEC_PER_MSEC) + 1 : TICK_MS;
}

static u64 end_of(const struct run_options *opt, u64 begin_ns)
{
	return opt->duration_ns ? begin_ns + opt->duration_ns : ~0ULL;
}

static int loop(struct session *s, const struct watch *w, u64 begin_ns, u64 until_ns,
		enum run_pause *ret, struct err *err)
{
	const struct run_options *opt = w->opt;
	u64 end_ns = end_of(opt, begin_ns);

	for (;;) {
		u64 now = clock_mono_ns();
		int r;

		*ret = is_stopped(opt) || now >= end_ns || targets_gone(w) ? RUN_OVER : RUN_UNTIL;
		/* a window that only the end of the recording ends may end now */
		if (*ret == RUN_OVER || now >= until_ns ||
		    (until_ns == ~0ULL && session__changes(s)))
			return 0;
		if (opt->cut && opt->cut(opt->cut_arg)) {
			*ret = RUN_CUT;
			return 0;
		}
		if (opt->watcher && opt->watcher->goes_on)
			opt->watcher->goes_on(opt->watcher->arg, now - begin_ns);
		r = session__poll(s, w->ends_fd,
				  tick_ms(now, until_ns < end_ns ? until_ns : end_ns), err);
		if (r && r != -EINTR)
			return r;
	}
}

bool run_is_over(void)
{
	return stop_asked;
}

void run_end(void)
{
	if (!stop_asked) {
		stop_asked_ns = clock_mono_ns();
		stop_asked = SIGTERM;
	}
}

int run_until(struct session *s, const struct run_options *opt, u64 begin_ns, u64 until_ns,
	      enum run_pause *ret, struct err *err)
{
	struct watch w;
	int r = watch__init(&w, s, opt, err);

	if (!r)
		r = loop(s, &w, begin_ns, until_ns, ret, err);
	watch__done(&w);
	return r;
}

int run_on(struct session *s, const struct run_options *opt, struct err *err)
{
	enum run_pause why;

	return run_until(s, opt, clock_mono_ns(), ~0ULL, &why, err);
}

int run_begin(struct session *s, const struct run_options *opt, struct err *err)
{
	int r;

	if (stop_asked)
		return err__set(err, -EINTR, "interrupted by a signal before the recording began");
	r = session__start(s, err);
	if (r)
		return r;
	if (opt->watcher && opt->watcher->began)
		opt->watcher->began(opt->watcher->arg);
	return opt->child ? child__release(opt->child, err) : 0;
}

int run_session(struct session *s, const struct run_options *opt, struct err *err)
{
	struct watch w;
	enum run_pause why;
	int r = watch__init(&w, s, opt, err);

	if (!r)
		r = run_begin(s, opt, err);
	if (!r)
		r = loop(s, &w, clock_mono_ns(), ~0ULL, &why, err);
	if (opt->watcher && opt->watcher->ended)
		opt->watcher->ended(opt->watcher->arg);
	watch__done(&w);
	return r;
}
