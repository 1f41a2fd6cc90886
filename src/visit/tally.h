/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_TALLY_H
#define VISIT_TALLY_H

#include "base/types.h"
#include "base/vec.h"

/*
 * What visits of one thread say about its time in one window. Pure. The counters of the scheduler
 * give the totals; what was found at each visit divides the blocked time among keys:
 *
 *   same    between two visits the thread got no CPU: all of that time is of the key it has
 *   moved   it got one: half of the time is evidence for the key before, half for the key after.
 *           Visits are at random instants, so the evidence for a key is in proportion to its time.
 *           How much of it was blocked is known of all such intervals together, and that is
 *           divided by the evidence.
 */
struct tally_reading {
	u64 at_ns; /* CLOCK_MONOTONIC */
	u64 on_ns; /* counters of the scheduler since the thread began */
	u64 runq_ns;
	u64 runs; /* times it got a CPU */
};

/* Without that count, any interval may hold several waits. */
#define TALLY_RUNS_UNKNOWN (~0ULL)

/* A key, and the state (index into PROFILE_STATE_LETTERS) in which it was found. */
struct tally_share {
	u32 key; /* not 0 */
	u32 state;
	u32 visits;
	u64 same_ns;
	u64 evidence_ns;
	/* visit_tally__finish(): */
	u64 blocked_ns;
	u64 var_us2;
};

struct visit_tally {
	struct tally_reading first;
	struct tally_reading last;
	u32 last_key; /* 0: it was on a CPU, or waited for one */
	u32 last_share; /* index of its share */
	u64 evidence_ns; /* for time not blocked */
	u32 moved_visits; /* that are evidence */
	u32 visits;
	struct vec shares; /* struct tally_share */
	/* visit_tally__finish(): */
	u64 wall_ns;
	u64 on_ns;
	u64 runq_ns;
	u64 blocked_ns; /* in no share: it was never found blocked */
	u64 unaccounted_ns;
};

/* Begins a window with what a visit found; `key` 0: it does not block. -ENOMEM or 0. */
int visit_tally__begin(struct visit_tally *t, const struct tally_reading *now, u32 key, u32 state);
/* NULL and all zero are fine. */
void visit_tally__done(struct visit_tally *t);
/* Whether the thread must be in the same wait as at the last visit. */
bool visit_tally__is_same(const struct visit_tally *t, const struct tally_reading *now);
/* The next visit. -ENOMEM or 0. */
int visit_tally__visit(struct visit_tally *t, const struct tally_reading *now, u32 key, u32 state);
/* It is in the same wait as before. */
void visit_tally__stay(struct visit_tally *t, const struct tally_reading *now);
/*
 * Computes the results, which add up: on + runq + shares + blocked + unaccounted = wall. `waits`:
 * how often the thread blocked; 0: never, so that no time of it can be blocked; ~0: not known.
 */
void visit_tally__finish(struct visit_tally *t, u64 waits);

#endif
