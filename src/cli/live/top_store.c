/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live/top_store.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/run.h"
#include "base/clock.h"
#include "cli/live/store_time.h"
#include "cli/live/top_host.h"

/* How often signals and another size of the terminal are looked for. */
#define TURN_MS 100
/* So many windows are shown behind one: what `all` sums up. */
#define BEHIND 20
#define HOUR_NS (3600 * NSEC_PER_SEC)

/* How far from a window others are looked for: further, as long as there are too few. */
static const u64 reach_ns[] = { 2 * HOUR_NS, 48 * HOUR_NS, ~0ULL };

struct top_store {
	struct past past;
	struct tui tui;
	struct top_host host;
	struct viewer_host asked; /* what the viewer asks of it */
	char target[256];
	u64 seq; /* the window that is shown last */
};

static const char *damage_of(const struct top_store *ts)
{
	size_t len = notices__len(&ts->past.notices);

	return len ? notices__at(&ts->past.notices, len - 1) : "";
}

/* The chosen windows, one after the other. Damaged ones are passed over, and said. */
static int add_chosen(struct top_store *ts, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < past__len(&ts->past) && !r; i++) {
		struct profile *p;

		r = past__read(&ts->past, i, &p, err);
		if (!r)
			r = viewer__add(&ts->tui.viewer, p, err);
		else if (r == -EBADMSG || r == -ENOENT) {
			viewer__say(&ts->tui.viewer, "%.400s", damage_of(ts));
			r = 0;
		}
		ts->seq = past__at(&ts->past, i)->seq;
	}
	return r;
}

/*
 * So many windows up to a number. Only files near that time are opened, as long as they have
 * enough windows.
 */
static int choose_up_to(struct top_store *ts, u64 seq, u64 len, struct err *err)
{
	const u64 end_ns = (seq + 1) * NSEC_PER_MSEC;
	struct past_choice choice = { .to = seq, .last = len, .span.to_ns = end_ns };
	int r = 0;

	for (size_t i = 0; i < ARRAY_LEN(reach_ns) && !r; i++) {
		choice.span.from_ns = reach_ns[i] < end_ns ? end_ns - reach_ns[i] : 0;
		r = past__choose(&ts->past, &choice, err);
		if (past__len(&ts->past) == len)
			break;
	}
	return r;
}

/* The windows behind one, then it. */
static int show(struct top_store *ts, u64 seq, struct err *err)
{
	int r = choose_up_to(ts, seq, BEHIND, err);

	if (r)
		return r;
	viewer__rewind(&ts->tui.viewer);
	return add_chosen(ts, err);
}

static int step_back(struct top_store *ts, u32 by, struct err *err)
{
	u64 seq;
	int r = choose_up_to(ts, ts->seq, by + 1, err);

	if (r)
		return r;
	if (past__len(&ts->past) < 2) {
		viewer__say(&ts->tui.viewer, "this is the first window of the store");
		return 0;
	}
	seq = past__at(&ts->past, 0)->seq;
	return show(ts, seq, err);
}

static int step_on(struct top_store *ts, u32 by, struct err *err)
{
	const u64 begin_ns = ts->seq * NSEC_PER_MSEC;
	struct past_choice choice = { .from = ts->seq + 1, .to = ~0ULL, .most = by };
	int r = 0;

	choice.span.from_ns = begin_ns;
	for (size_t i = 0; i < ARRAY_LEN(reach_ns) && !r; i++) {
		choice.span.to_ns = reach_ns[i] < ~0ULL - begin_ns ? begin_ns + reach_ns[i] : ~0ULL;
		r = past__choose(&ts->past, &choice, err);
		if (past__len(&ts->past) == by)
			break;
	}
	if (!r && !past__len(&ts->past))
		viewer__say(&ts->tui.viewer, "no later window has ended yet");
	return r ? r : add_chosen(ts, err);
}

static int step(void *arg, int by, struct err *err)
{
	struct top_store *ts = arg;

	if (!by)
		return show(ts, ts->seq, err);
	return by < 0 ? step_back(ts, (u32)-by, err) : step_on(ts, (u32)by, err);
}

static int write_profile(void *arg, const struct profile *p, struct cause_memo *memo,
			 const char *path, bool replace, struct err *err)
{
	struct top_store *ts = arg;

	return ts->host.asked.write(&ts->host, p, memo, path, replace, err);
}

static int open_viewer(struct top_store *ts, const char *dir, const struct ruleset *rules,
		       const struct terminal_options *terminal, struct err *err)
{
	const struct live_targets none = { .fixed = "nothing is recorded: this is a store" };
	const struct viewer_options view = {
		.target = ts->target,
		.rules = rules,
		.host = &ts->asked,
	};

	snprintf(ts->target, sizeof(ts->target), "%.240s", dir);
	top_host__init(&ts->host, &none);
	ts->asked = (struct viewer_host){
		.write = write_profile,
		.no_targets = none.fixed,
		.step = step,
		.arg = ts,
	};
	return tui__init(&ts->tui, &view, terminal, err);
}

/* The window at the instant, or the last one of the time. */
static int show_first(struct top_store *ts, const struct store_time *time, struct err *err)
{
	struct past_choice choice = PAST_ALL(time->span);
	u64 seq = 0;
	int r;

	if (time->at_ns)
		choice.span = (struct time_span){ time->at_ns, time->at_ns + 1 };
	r = past__choose(&ts->past, &choice, err);
	if (!r && past__len(&ts->past))
		seq = past__at(&ts->past, past__len(&ts->past) - 1)->seq;
	return r ? r : show(ts, seq, err);
}

static int look(struct top_store *ts, struct err *err)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int r = 0;

	while (!r && !run_is_over() && !tui__is_over(&ts->tui)) {
		poll(&in, 1, TURN_MS);
		r = tui__turn(&ts->tui, err);
	}
	return r;
}

int top_store_run(const char *dir, const struct time_range *range, const struct ruleset *rules,
		  const struct terminal_options *terminal, struct err *err)
{
	struct store_time time;
	struct top_store ts;
	int r = store_time__init(&time, dir, range, err);

	memset(&ts, 0, sizeof(ts));
	if (r)
		return r;
	run_catch_signals();
	r = past__init(&ts.past, dir, err);
	if (!r)
		r = open_viewer(&ts, dir, rules, terminal, err);
	if (!r)
		r = show_first(&ts, &time, err);
	if (!r) {
		ts.tui.changed = true;
		r = look(&ts, err);
	}
	tui__done(&ts.tui);
	past__done(&ts.past);
	return r;
}
