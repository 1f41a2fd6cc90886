/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Passes are made by a thread of their own, because the main one may be at work on tables for tens
 * of ms. Lateness is counted: a pass that waits for a CPU finds the threads that have one.
 */
#include "capture/program/sampler.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "capture/feature/privilege.h"
#include "capture/program/programs.h"

/* When a window is about to be closed, until it is. */
#define RETRY_NS NSEC_PER_MSEC

void sampler__init(struct sampler *s)
{
	memset(s, 0, sizeof(*s));
	s->wake_fd = -1;
	pthread_mutex_init(&s->lock, NULL);
}

u64 sampler_instant(u64 first_ns, u64 period_ns, u64 i, u32 random)
{
	return first_ns + i * period_ns + (u64)(((unsigned __int128)random * period_ns) >> 32);
}

/* xorshift64* */
static u32 draw(struct sampler *s)
{
	s->random ^= s->random >> 12;
	s->random ^= s->random << 25;
	s->random ^= s->random >> 27;
	return (u32)(s->random * 2685821657736338717ULL >> 32);
}

static void seed(struct sampler *s)
{
	if (getrandom(&s->random, sizeof(s->random), 0) != sizeof(s->random) || !s->random)
		s->random = clock_mono_ns() | 1;
}

static void plan_next(struct sampler *s)
{
	s->due_ns = sampler_instant(s->first_ns, s->period_ns, s->done, draw(s));
	s->done++;
}

/* Periods that are over are left out; the instant of the present one may be past. */
static void skip_missed(struct sampler *s, u64 now_ns)
{
	while (s->first_ns + s->done * s->period_ns <= now_ns) {
		plan_next(s);
		s->counts.missed++;
	}
}

/*
 * Half of the time between two passes belongs to either. At the start of a window all of it belongs
 * to the pass behind it.
 */
static void announce(struct sampler *s, volatile struct cs_control *control, u64 at_ns)
{
	u64 begin_ns = control->begin_ns, next_ns;

	next_ns = s->due_ns > at_ns ? s->due_ns : at_ns;
	control->pass_before_ns = s->last_ns > begin_ns ? (at_ns - s->last_ns) / 2 :
							  at_ns - begin_ns;
	control->pass_after_ns = (next_ns - at_ns) / 2;
	control->pass_ns = at_ns;
}

static void count(struct sampler *s, u64 begin_ns, u64 at_ns, u64 due_ns)
{
	u64 before_ns = s->last_ns > begin_ns ? s->last_ns : begin_ns, late_ns = at_ns - due_ns;

	s->counts.passes++;
	s->counts.late_ns += late_ns;
	if (late_ns > s->counts.late_max_ns)
		s->counts.late_max_ns = late_ns;
	if (at_ns - before_ns > s->counts.gap_max_ns)
		s->counts.gap_max_ns = at_ns - before_ns;
	s->last_ns = at_ns;
}

/* 0: not now, because the window is at its end. */
static bool pass(struct sampler *s)
{
	volatile struct cs_control *control = programs__control(s->programs);
	u64 due_ns = s->due_ns, now_ns = clock_mono_ns();
	struct err why;

	if (now_ns >= control->end_ns)
		return false;
	if (now_ns < due_ns)
		return true;
	/* The first one is at the very start of the window. */
	if (!s->last_ns)
		now_ns = due_ns;
	plan_next(s);
	skip_missed(s, now_ns);
	announce(s, control, now_ns);
	count(s, control->begin_ns, now_ns, due_ns);
	s->error = programs__visit(s->programs, &why);
	if (s->error)
		log_debug("%s", why.msg);
	return true;
}

static void wait_for_instant(const struct sampler *s, u64 until_ns)
{
	u64 now_ns = clock_mono_ns(), ns = until_ns > now_ns ? until_ns - now_ns : 0;
	const struct timespec t = { .tv_sec = (time_t)(ns / NSEC_PER_SEC),
				    .tv_nsec = (long)(ns % NSEC_PER_SEC) };
	struct pollfd fd = { .fd = s->wake_fd, .events = POLLIN };
	eventfd_t woken;

	if (ppoll(&fd, 1, &t, NULL) > 0)
		(void)eventfd_read(s->wake_fd, &woken);
}

/*
 * A thread that waits for a CPU never finds the CPUs busy: its visits would miss the waits of
 * others for a CPU, and what they wait for. Without the priority it is late, which is counted.
 */
static void hurry(void)
{
	const struct sched_param first = { .sched_priority = 1 };
	int r = pthread_setschedparam(pthread_self(), SCHED_FIFO, &first);

	if (r)
		log_debug("visits have no real-time priority: %s", err_str(r));
	/* Timers may be late by 50 us otherwise. */
	prctl(PR_SET_TIMERSLACK, 1UL);
}

static void *run(void *arg)
{
	struct sampler *s = arg;
	u64 until_ns;

	hurry();
	(void)privilege__drop(PRIVILEGE_WHILE_TRACING, NULL);
	pthread_mutex_lock(&s->lock);
	while (!s->stop && !s->error) {
		if (!s->programs)
			until_ns = clock_mono_ns() + NSEC_PER_SEC;
		else
			until_ns = pass(s) ? s->due_ns : clock_mono_ns() + RETRY_NS;
		pthread_mutex_unlock(&s->lock);
		wait_for_instant(s, until_ns);
		pthread_mutex_lock(&s->lock);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int sampler__open(struct sampler *s, struct err *err)
{
	sigset_t all, before;
	int r;

	s->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->wake_fd < 0)
		return err__set(err, -errno, "cannot start to visit threads: %s", err_str(errno));
	/* Signals are for the main thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = -pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r) {
		close(s->wake_fd);
		return err__set(err, r, "cannot start to visit threads: %s", err_str(r));
	}
	s->running = true;
	return 0;
}

static void wake(struct sampler *s)
{
	if (eventfd_write(s->wake_fd, 1))
		log_debug("cannot wake the thread that visits: %s", err_str(errno));
}

void sampler__start(struct sampler *s, struct programs *p, u32 hz, u64 begin_ns)
{
	seed(s);
	pthread_mutex_lock(&s->lock);
	s->programs = p;
	s->period_ns = NSEC_PER_SEC / hz;
	s->first_ns = s->due_ns = begin_ns;
	pthread_mutex_unlock(&s->lock);
	wake(s);
}

void sampler__pause(struct sampler *s)
{
	pthread_mutex_lock(&s->lock);
}

void sampler__resume(struct sampler *s)
{
	pthread_mutex_unlock(&s->lock);
}

struct sampler_counts sampler__take(struct sampler *s, u64 end_ns)
{
	struct sampler_counts ret;

	if (s->due_ns && s->due_ns < end_ns)
		skip_missed(s, end_ns);
	ret = s->counts;
	if (end_ns > s->last_ns && end_ns - s->last_ns > ret.gap_max_ns)
		ret.gap_max_ns = end_ns - s->last_ns;
	memset(&s->counts, 0, sizeof(s->counts));
	return ret;
}

int sampler__error(struct sampler *s)
{
	int r;

	pthread_mutex_lock(&s->lock);
	r = s->error;
	pthread_mutex_unlock(&s->lock);
	return r;
}

void sampler__stop(struct sampler *s)
{
	if (!s->running)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_mutex_unlock(&s->lock);
	wake(s);
	pthread_join(s->thread, NULL);
	close(s->wake_fd);
	s->running = false;
}
