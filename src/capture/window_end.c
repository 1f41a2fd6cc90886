/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Ends a window and, unless it is the last, begins the next one at the same instant. Hooks keep
 * running meanwhile; docs/adr/0037 says why nothing between two windows is lost or counted twice.
 */
#include <errno.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/log.h"
#include "capture/capture_priv.h"
#include "capture/errand.h"
#include "capture/losses.h"
#include "capture/object/peer_search.h"
#include "capture/program/window.h"

/* How long after the end an interrupted hook may still handle an event from before it. */
#define SETTLE_NS (700 * NSEC_PER_USEC)
/* How long to wait for the records of threads that are ending. */
#define LAST_NS (200 * NSEC_PER_MSEC)
/* An upper bound: the wait ends with the grace period. */
#define GRACE_POLL_MS 1000

static void wait_until_mono_ns(u64 instant)
{
	while (!clock_sleep_until_mono_ns(instant))
		; /* a signal does not shorten the few hundred us */
}

/* Called once, at the end: the limit of overhead could not be kept. */
static void say_floor(struct capture *c)
{
	u64 is = c->governor.floor_ppm / 100, own = c->governor.floor_cpu_ppm / 100;
	u64 may = c->governor.budget_ppm / 100;

	if (!is)
		return;
	snprintf(c->floor_notice, sizeof(c->floor_notice),
		 "overhead limit exceeded: peak %llu.%02llu %% (limit %llu.%02llu %%); "
		 "coldspot itself took %llu.%02llu %%, the rest is the fixed cost of each switch",
		 is / 100, is % 100, may / 100, may % 100, own / 100, own % 100);
}

/* A thread that was numbered before the window was closed but began after its end. */
static int see_young(struct capture *c, const struct cs_task_record *rec)
{
	u64 known;

	if (rec->id > programs__control(c->programs)->last_task_id ||
	    rec->begin_ns < c->closed.end_ns || map64__get(&c->young, rec->id, &known))
		return 0;
	c->younger++;
	return map64__set(&c->young, rec->id, 1);
}

/* The younger threads that have ended by now. */
static int see_young_ends(struct capture *c)
{
	int r = 0;

	for (size_t i = 0; !r && i < c->now.records.len; i++)
		r = see_young(c, vec__at(&c->now.records, i));
	return r;
}

/* Threads whose record has neither arrived nor been counted as lost. */
static int count_due(struct capture *c, struct err *err)
{
	struct roll_call rc = {
		.there = c->there,
		.last_id = programs__control(c->programs)->last_task_id,
		.last_id_before = c->last_id,
		.records = c->closed.records.len,
		.lost = c->closed.records_lost,
	};
	struct cs_stats stats;
	int r = programs__stats(c->programs, &stats, err);

	if (r)
		return r;
	if (see_young_ends(c))
		return err__nomem(err);
	rc.younger = c->younger;
	rc.lost += stats.task_record_lost - c->stats.task_record_lost;
	rc.lost += stats.task_record_outside - c->stats.task_record_outside;
	c->closed.records_missing = roll_call__missing(&rc);
	return 0;
}

/*
 * An exiting thread may already be off the task list while its last switch, which sends its totals,
 * is still to come. So the ring is read until every record is there. The wait is bounded because
 * the kernel may never report that switch.
 */
static int take_last(struct capture *c, struct err *err)
{
	u64 until_ns = clock_mono_ns() + LAST_NS;
	int r;

	for (;;) {
		r = ring_buffer__consume(c->ring);
		if (r >= 0)
			r = c->ring_error;
		if (r < 0)
			return err__set(err, r, "cannot read an event of the trace: %s",
					err_str(r));
		r = count_due(c, err);
		if (r || !c->closed.records_missing || clock_mono_ns() >= until_ns)
			return r;
		wait_until_mono_ns(clock_mono_ns() + NSEC_PER_MSEC);
	}
}

/* Takes the records that the walk found. Threads that began after the end are only counted. */
static int take_found(struct capture *c, struct vec *found)
{
	int r = 0;

	for (size_t i = 0; !r && i < found->len; i++) {
		const struct cs_task_record *rec = vec__at(found, i);

		if (rec->begin_ns >= c->closed.end_ns)
			r = see_young(c, rec);
		else if (c->hist_unit_ns)
			r = capture_take_hist_record(c, &c->closed, vec__at(found, i));
		else
			r = capture_take_record(c, &c->closed, rec);
	}
	return r;
}

/* Closes and reads the records of all threads that exist at the end. */
static int read_threads(struct capture *c, struct err *err)
{
	struct vec found;
	int r;

	c->younger = 0;
	map64__done(&c->young);
	map64__init(&c->young);
	vec__init(&found, c->hist_unit_ns ? sizeof(struct cs_task_hist_record) :
					    sizeof(struct cs_task_record));
	r = programs__walk(c->programs, PROGRAMS_DRAIN, &found, err);
	if (!r && take_found(c, &found))
		r = err__nomem(err);
	vec__done(&found);
	return r ? r : take_last(c, err);
}

/* Runs soon after the end, because processes exit. Peers that are not found are counted. */
static int find_peers(struct capture *c, struct err *err)
{
	struct capture_window *w = &c->closed;
	struct err why;
	int r;

	if (programs__wait_key_sz(c->programs) != sizeof(struct cs_wait_key))
		return 0;
	r = peer_search(&w->peers, c->programs, &w->peers_left_out, &why);
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r) {
		log_debug("peers: %s", why.msg);
		w->peers_left_out = w->peers.wishes.len;
	}
	return 0;
}

/* Threads that live on exist at the start of the next window. */
static void count_there(struct capture *c)
{
	u64 gone = 0;

	for (size_t i = 0; i < c->closed.records.len; i++) {
		const struct cs_task_record *rec = vec__at(&c->closed.records, i);

		gone += (rec->flags & CS_TASK_GONE) != 0;
	}
	c->closed.counted = true;
	c->there = c->closed.records.len - gone + c->younger;
	c->last_id = programs__control(c->programs)->last_task_id;
	programs__control(c->programs)->last_task_id = ~0U;
}

/* Counters of the closed window: their growth since the previous window was closed. */
static int read_counters(struct capture *c, struct err *err)
{
	struct capture_window *w = &c->closed;
	struct programs_cost cost;
	struct cs_stats stats;
	int r = programs__stats(c->programs, &stats, err);

	if (r)
		return r;
	programs__cost(c->programs, &cost);
	stats_since(&stats, &c->stats, &w->stats);
	w->cost.runs = cost.runs - c->cost.runs;
	w->cost.ns = cost.ns - c->cost.ns;
	w->cost.recursion_misses = cost.recursion_misses - c->cost.recursion_misses;
	/* Only the last walk counts these. It also meets threads that found no room. */
	w->stats.unmarked = stats.unmarked > c->stats.task_storage_failed ?
				    stats.unmarked - c->stats.task_storage_failed :
				    0;
	c->stats = stats;
	c->cost = cost;
	w->tables_full = c->mapped.budget_full + c->mapped.evicted - c->tables_full;
	c->tables_full += w->tables_full;
	readers__count_lost(&c->readers, &w->functions_lost);
	w->memory_bytes = capture__memory_bytes(c);
	return 0;
}

/* The window ends at the instant that was set. The next one begins even if nobody reads it. */
static int turn(struct capture *c, u64 end_ns, struct err *err)
{
	u64 begin_wall_ns, cpu_ns, since_ns;

	wait_until_mono_ns(end_ns);
	sampler__pause(&c->sampler);
	c->now.passes = sampler__take(&c->sampler, end_ns);
	since_ns = clock_mono_ns() - end_ns;
	begin_wall_ns = clock_wall_ns() - since_ns;
	cpu_ns = clock_cpu_ns();
	capture_window__done(&c->closed);
	c->closed = c->now;
	c->closed.end_ns = end_ns;
	c->closed.self_cpu_ns = cpu_ns - c->cpu_ns;
	c->cpu_ns = cpu_ns;
	if (capture_window__init(&c->now, c->interval_ns, c->max_moments))
		return err__nomem(err);
	c->now.begin_ns = end_ns;
	c->now.begin_wall_ns = begin_wall_ns;
	period_log__begin(&c->now.periods, end_ns, c->closed.periods.now_ns);
	replicates__begin(&c->now.replicates, end_ns, programs__wait_key_sz(c->programs));
	wait_until_mono_ns(end_ns + SETTLE_NS);
	window_settle(c->programs);
	return 0;
}

/* Threads are not visited from here until the window has retired, or for good. */
static int close_window(struct capture *c, u64 end_ns, struct err *err)
{
	volatile struct cs_control *control = programs__control(c->programs);
	int r = turn(c, end_ns, err);

	if (r)
		return r;
	/* Threads that begin from now on are not in the window. */
	control->last_task_id = control->next_task_id - 1;
	r = read_threads(c, err);
	count_there(c);
	return r ? r : find_peers(c, err);
}

static void wait_for_grace(void *arg)
{
	window_grace(arg);
}

/* Reads the ring meanwhile: the trace goes on, and the ring is bounded. */
static int retire(struct capture *c, struct err *err)
{
	struct errand grace;
	int r = 0;

	window_retire(c->programs);
	sampler__resume(&c->sampler);
	ageing__turn(&c->ageing, c->programs);
	if (errand__start(&grace, wait_for_grace, c->programs)) {
		window_grace(c->programs);
		return 0;
	}
	while ((!r || r == -EINTR) && !errand__is_done(&grace))
		r = capture__poll(c, grace.done_fd, GRACE_POLL_MS, err);
	errand__finish(&grace);
	return r == -EINTR ? 0 : r;
}

/* Stacks that met a file without a table are walked again and replaced. */
static int read_stacks(struct capture *c, struct err *err)
{
	/* The last events include the postponed walks of sleeping threads. */
	int r = ring_buffer__consume(c->ring);

	if (r < 0)
		return err__set(err, r, "the ring buffer failed: %s", err_str(r));
	r = stacks__read(&c->stacks, c->programs, err);
	if (r)
		return r;
	r = capture_build_tables(c);
	if (!r)
		r = postponed__walk(&c->postponed, &c->stacks, &c->mapped, c->programs);
	return r ? err__nomem(err) : 0;
}

int capture__cut(struct capture *c, u64 at_ns, struct err *err)
{
	int r = close_window(c, window_set(c->programs, CS_WINDOW_CUT, at_ns), err);

	if (r)
		sampler__resume(&c->sampler);
	if (!r)
		r = retire(c, err);
	if (!r)
		r = read_counters(c, err);
	return r ? r : read_stacks(c, err);
}

u64 capture__end_at(struct capture *c, u64 at_ns)
{
	c->end_ns = window_set(c->programs, CS_WINDOW_END, at_ns);
	return c->end_ns;
}

int capture__stop(struct capture *c, u64 at_ns, struct err *err)
{
	u64 end_ns = c->end_ns ? c->end_ns : capture__end_at(c, at_ns);
	int r = close_window(c, end_ns, err);

	sampler__resume(&c->sampler);
	sampler__stop(&c->sampler);
	c->ended = true;
	say_floor(c);
	programs__detach(c->programs);
	if (!r)
		r = read_counters(c, err);
	return r ? r : read_stacks(c, err);
}
