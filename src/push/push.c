/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One loop over all targets: a request at a time, because windows come once a minute. A target that
 * hangs holds the others up for as long as a request may take, and then less and less often.
 *
 * In a fleet, windows end at the same instant everywhere. So when a window appears, a host waits
 * for its own part of a minute, which its name decides.
 */
#include "push/push.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
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

struct pushing {
	const struct push_options *opt;
	struct pusher_options each;
	struct pusher *targets;
	size_t len;
	struct store *store;
	u64 next_status_ns;
};

static bool is_over(const struct pushing *ps)
{
	return ps->opt->stop && ps->opt->stop();
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
		if (push_url__is_same(&ps->targets[i].url, url))
			return err__set(err, -EINVAL, "the target %s is given twice", url->name);
	}
	return 0;
}

static int add_target(struct pushing *ps, const char *text, struct err *err)
{
	struct push_url url;
	int r = push_url__parse(&url, text, err);

	if (!r)
		r = check_once(ps, &url, err);
	if (!r)
		r = pusher__init(&ps->targets[ps->len++], &url, &ps->each, err);
	return r ? r :
		   pusher__begin(&ps->targets[ps->len - 1], ps->store, ps->opt->since_wall_ns, err);
}

static int open_all(struct pushing *ps, struct err *err)
{
	const struct push_options *opt = ps->opt;
	char host[HOST_NAME_MAX + 1] = "";
	int r = store__open(opt->store, &ps->store, err);

	(void)gethostname(host, sizeof(host) - 1);
	ps->each = (struct pusher_options){
		.state = opt->state ? opt->state : opt->store,
		.rules = opt->rules,
		.stop = opt->stop,
		.delay_ns = opt->follow ? hash_text(host) % SPREAD_NS : 0,
		.say = opt->say,
		.say_arg = opt->arg,
	};
	ps->targets = mem_array(opt->urls_len + 1, sizeof(*ps->targets));
	if (!r && !ps->targets)
		r = err__nomem(err);
	for (size_t i = 0; i < opt->urls_len && !r; i++)
		r = add_target(ps, opt->urls[i], err);
	return r;
}

static void close_all(struct pushing *ps)
{
	for (size_t i = 0; i < ps->len; i++)
		pusher__done(&ps->targets[i]);
	mem_free(ps->targets);
	store__close(ps->store);
}

/* Until the target has everything, or was tried often enough. */
static int empty_into(struct pushing *ps, struct pusher *p, bool *ret_behind, struct err *err)
{
	int step = PUSHER_WENT_ON;

	while (step > PUSHER_IDLE && p->backoff.failures < TRIES && !is_over(ps)) {
		if (step == PUSHER_WAITS)
			nap_until(ps, p->backoff.next_ns);
		step = pusher__step(p, ps->store, clock_mono_ns(), err);
	}
	*ret_behind = step != PUSHER_IDLE;
	return step < 0 ? step : 0;
}

static int run_once(struct pushing *ps, u32 *ret_behind, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < ps->len && !r; i++) {
		bool behind;

		r = empty_into(ps, &ps->targets[i], &behind, err);
		*ret_behind += behind;
	}
	return r;
}

static void tell_status(struct pushing *ps, u64 now_ns)
{
	u64 taken = 0, refused = 0;
	const struct pusher *away = NULL;
	char text[512];

	if (!ps->opt->status || now_ns < ps->next_status_ns)
		return;
	ps->next_status_ns = now_ns + STATUS_NS;
	for (size_t i = 0; i < ps->len; i++) {
		taken += ps->targets[i].taken;
		refused += ps->targets[i].refused;
		if (*ps->targets[i].trouble)
			away = &ps->targets[i];
	}
	snprintf(text, sizeof(text), "%llu windows pushed, %llu refused%s%.200s%s%.150s", taken,
		 refused, away ? "; " : "", away ? away->url.name : "",
		 away ? " does not take any: " : "", away ? away->trouble : "");
	ps->opt->status(ps->opt->arg, text);
}

static int follow_one(struct pushing *ps, struct pusher *p, u64 *next_ns, struct err *err)
{
	u64 now_ns = clock_mono_ns();
	int step;

	if (now_ns < *next_ns)
		return 0;
	step = pusher__step(p, ps->store, now_ns, err);
	if (step < 0)
		return step;
	*next_ns = now_ns + (step == PUSHER_WENT_ON ? p->window_ns / CATCH_UP : POLL_NS);
	return 0;
}

static int run_on(struct pushing *ps, struct err *err)
{
	u64 *next_ns = mem_array(ps->len + 1, sizeof(*next_ns));
	int r = next_ns ? 0 : err__nomem(err);

	while (!r && !is_over(ps)) {
		r = store__look(ps->store, err);
		for (size_t i = 0; i < ps->len && !r; i++)
			r = follow_one(ps, &ps->targets[i], &next_ns[i], err);
		tell_status(ps, clock_mono_ns());
		nap_until(ps, clock_mono_ns() + POLL_NS / 2);
	}
	mem_free(next_ns);
	return r;
}

int push_run(const struct push_options *opt, struct push_result *ret, struct err *err)
{
	struct pushing ps = { .opt = opt };
	int r = open_all(&ps, err);

	*ret = (struct push_result){ 0 };
	if (!r)
		r = opt->follow ? run_on(&ps, err) : run_once(&ps, &ret->behind, err);
	for (size_t i = 0; i < ps.len; i++) {
		ret->taken += ps.targets[i].taken;
		ret->refused += ps.targets[i].refused;
		ret->lost += ps.targets[i].lost;
		ret->bytes += ps.targets[i].bytes;
	}
	close_all(&ps);
	return r;
}
