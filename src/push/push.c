/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread for each target: one that hangs for as long as a request may take holds up no other.
 * Threads share nothing but what they tell for the status: each has its own view of the store, and
 * reads its own cursor. Windows come once a minute, so that a window is read and encoded once for
 * each target costs little.
 *
 * In a fleet, windows end at the same instant everywhere. So when a window appears, a host waits
 * for its own part of a minute, which its name decides.
 */
#include "push/push.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "push/target.h"

#define POLL_NS NSEC_PER_SEC
#define NAP_NS (100 * NSEC_PER_MSEC)
#define SPREAD_NS (30 * NSEC_PER_SEC)
#define STATUS_NS (10 * NSEC_PER_SEC)
/* After an outage, the windows of ten minutes in one: others want the server, too. */
#define CATCH_UP 10
#define TRIES 4

/* What a target has had, for the status. */
struct lane_news {
	u64 taken;
	u64 refused;
	char trouble[200]; /* "": none */
};

struct pushing;

struct lane {
	struct pushing *ps;
	struct pusher pusher;
	struct store *store;
	pthread_t thread;
	bool started;
	bool behind;
	struct err err; /* of this machine, which ends all */
	struct lane_news news; /* under the lock */
};

struct pushing {
	const struct push_options *opt;
	struct pusher_options each;
	char store[PATH_MAX]; /* its path, if cursors are elsewhere; "" */
	struct lane *lanes;
	size_t len;
	pthread_mutex_t lock; /* of the news */
	atomic_uint running;
	atomic_bool failed;
	u64 next_status_ns;
};

static bool is_over(const struct pushing *ps)
{
	return atomic_load(&ps->failed) || (ps->opt->stop && ps->opt->stop());
}

static void nap_until(const struct pushing *ps, u64 until_ns)
{
	u64 now_ns;

	while (!is_over(ps) && (now_ns = clock_mono_ns()) < until_ns)
		clock_sleep_until_mono_ns(until_ns - now_ns > NAP_NS ? now_ns + NAP_NS : until_ns);
}

static int check_once(const struct pushing *ps, const struct push_url *url, struct err *err)
{
	for (size_t i = 0; i < ps->len; i++) {
		if (push_url__is_same(&ps->lanes[i].pusher.url, url))
			return err__set(err, -EINVAL, "the target %s is given twice", url->name);
	}
	return 0;
}

static int add_target(struct pushing *ps, const char *text, struct err *err)
{
	const struct push_options *opt = ps->opt;
	struct err why = { 0 };
	struct push_url url;
	struct lane *lane;
	int r = push_url__parse(&url, text, err);

	if (!r)
		r = check_once(ps, &url, err);
	if (r)
		return r;
	lane = &ps->lanes[ps->len++];
	lane->ps = ps;
	r = pusher__init(&lane->pusher, &url, &ps->each, err);
	if (!r)
		r = store__open(opt->store, &lane->store, err);
	if (!r && url.target->find_fault && url.target->find_fault(&url, &why))
		pusher__note_fault(&lane->pusher, why.msg);
	return r ? r : pusher__begin(&lane->pusher, lane->store, opt->since_wall_ns, err);
}

/* For cursors elsewhere: one directory may have those of many stores. */
static void name_store(struct pushing *ps)
{
	const struct push_options *opt = ps->opt;
	struct stat store, state;

	if (!opt->state || (!stat(opt->store, &store) && !stat(opt->state, &state) &&
			    store.st_dev == state.st_dev && store.st_ino == state.st_ino))
		return;
	if (!realpath(opt->store, ps->store))
		snprintf(ps->store, sizeof(ps->store), "%s", opt->store);
}

static int open_all(struct pushing *ps, struct err *err)
{
	const struct push_options *opt = ps->opt;
	char host[HOST_NAME_MAX + 1] = "";
	int r = 0;

	(void)gethostname(host, sizeof(host) - 1);
	pthread_mutex_init(&ps->lock, NULL);
	name_store(ps);
	ps->each = (struct pusher_options){
		.state = opt->state ? opt->state : opt->store,
		.store = ps->store,
		.rules = opt->rules,
		.stop = opt->stop,
		.delay_ns = opt->follow ? hash_text(host) % SPREAD_NS : 0,
		.say = opt->say,
		.say_arg = opt->arg,
	};
	ps->lanes = mem_array(opt->urls_len + 1, sizeof(*ps->lanes));
	if (!ps->lanes)
		return err__nomem(err);
	for (size_t i = 0; i < opt->urls_len && !r; i++)
		r = add_target(ps, opt->urls[i], err);
	return r;
}

static void close_all(struct pushing *ps)
{
	for (size_t i = 0; i < ps->len; i++) {
		pusher__done(&ps->lanes[i].pusher);
		store__close(ps->lanes[i].store);
	}
	mem_free(ps->lanes);
	pthread_mutex_destroy(&ps->lock);
}

static void tell_news(struct lane *lane)
{
	const struct pusher *p = &lane->pusher;

	pthread_mutex_lock(&lane->ps->lock);
	lane->news.taken = p->taken;
	lane->news.refused = p->refused;
	memcpy(lane->news.trouble, p->trouble, sizeof(lane->news.trouble));
	pthread_mutex_unlock(&lane->ps->lock);
}

static u32 tries_of(const struct pusher *p)
{
	return p->needs_user ? 1 : TRIES;
}

/* Until the target has everything, or was tried often enough. */
static int run_once(struct lane *lane)
{
	struct pusher *p = &lane->pusher;
	int step = PUSHER_WENT_ON;

	while (step > PUSHER_IDLE && p->backoff.failures < tries_of(p) && !is_over(lane->ps)) {
		if (step == PUSHER_WAITS)
			nap_until(lane->ps, p->backoff.next_ns);
		step = pusher__step(p, lane->store, clock_mono_ns(), &lane->err);
	}
	lane->behind = step != PUSHER_IDLE;
	return step < 0 ? step : 0;
}

static int run_on(struct lane *lane)
{
	struct pusher *p = &lane->pusher;
	int step;

	while (!is_over(lane->ps)) {
		step = store__look(lane->store, &lane->err);
		if (!step)
			step = pusher__step(p, lane->store, clock_mono_ns(), &lane->err);
		if (step < 0)
			return step;
		tell_news(lane);
		nap_until(lane->ps,
			  clock_mono_ns() +
				  (step == PUSHER_WENT_ON ? p->window_ns / CATCH_UP : POLL_NS));
	}
	return 0;
}

static void *run(void *arg)
{
	struct lane *lane = arg;
	int r = lane->ps->opt->follow ? run_on(lane) : run_once(lane);

	if (r)
		atomic_store(&lane->ps->failed, true);
	atomic_fetch_sub(&lane->ps->running, 1);
	return NULL;
}

static void tell_status(struct pushing *ps, u64 now_ns)
{
	u64 taken = 0, days = 0, refused = 0;
	const struct lane *away = NULL;
	char text[512], more[48] = "";

	if (!ps->opt->status || now_ns < ps->next_status_ns)
		return;
	ps->next_status_ns = now_ns + STATUS_NS;
	pthread_mutex_lock(&ps->lock);
	for (size_t i = 0; i < ps->len; i++) {
		*(ps->lanes[i].pusher.url.target->put_day ? &days : &taken) +=
			ps->lanes[i].news.taken;
		refused += ps->lanes[i].news.refused;
		if (*ps->lanes[i].news.trouble)
			away = &ps->lanes[i];
	}
	if (days)
		snprintf(more, sizeof(more), " and %llu day%s", days, days > 1 ? "s" : "");
	snprintf(text, sizeof(text), "%llu windows%s pushed, %llu refused%s%.200s%s%.150s", taken,
		 more, refused, away ? "; " : "", away ? away->pusher.url.name : "",
		 away ? " does not take any: " : "", away ? away->news.trouble : "");
	pthread_mutex_unlock(&ps->lock);
	ps->opt->status(ps->opt->arg, text);
}

/* The first error of a target; all have ended then. */
static int run_all(struct pushing *ps, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < ps->len && !r; i++) {
		struct lane *lane = &ps->lanes[i];

		atomic_fetch_add(&ps->running, 1);
		lane->started = !pthread_create(&lane->thread, NULL, run, lane);
		if (!lane->started)
			r = err__set(err, -EAGAIN, "cannot start a thread");
	}
	if (r)
		atomic_store(&ps->failed, true);
	while (!r && ps->opt->follow && atomic_load(&ps->running) && !is_over(ps)) {
		tell_status(ps, clock_mono_ns());
		clock_sleep_until_mono_ns(clock_mono_ns() + NAP_NS);
	}
	for (size_t i = 0; i < ps->len; i++) {
		struct lane *lane = &ps->lanes[i];

		if (lane->started)
			pthread_join(lane->thread, NULL);
		if (lane->err.code && !r) {
			*err = lane->err;
			r = lane->err.code;
		}
	}
	return r;
}

int push_run(const struct push_options *opt, struct push_result *ret, struct err *err)
{
	struct pushing ps = { .opt = opt };
	int r = open_all(&ps, err);

	*ret = (struct push_result){ 0 };
	if (!r)
		r = run_all(&ps, err);
	for (size_t i = 0; i < ps.len; i++) {
		const struct lane *lane = &ps.lanes[i];

		*(lane->pusher.url.target->put_day ? &ret->days : &ret->taken) +=
			lane->pusher.taken;
		*(lane->pusher.url.target->put_day ? &ret->takes_days : &ret->takes_windows) = true;
		if (lane->pusher.growing.part)
			ret->growing = lane->pusher.growing;
		ret->refused += lane->pusher.refused;
		ret->lost += lane->pusher.lost;
		ret->bytes += lane->pusher.bytes;
		ret->behind += lane->behind;
	}
	close_all(&ps);
	return r;
}
