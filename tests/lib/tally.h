/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_TALLY_H
#define TESTS_LIB_TALLY_H

#include "base/map64.h"
#include "base/vec.h"
#include "profile/profile.h"

/*
 * All sums of any number of profiles: those of each thread, found by its start and TID, and those
 * that belong to no thread. The sums of windows must be those of the merged profile, to the ns.
 */
struct tally {
	struct map64 ids; /* of threads, to the index */
	struct vec threads; /* struct tally_thread */
	u64 bins[HIST_KINDS][HIST_BINS];
	u64 intervals_ns;
	u64 replicates_ns;
	struct profile_loss losses[LOSS_CNT];
};

/* X(member): sums over the records of a thread */
#define TALLY_TASK(X)                                                                              \
	X(wall_ns)                                                                                 \
	X(on_ns)                                                                                   \
	X(preempted_ns)                                                                            \
	X(runq_ns)                                                                                 \
	X(unaccounted_ns)                                                                          \
	X(switches)                                                                                \
	X(preemptions)                                                                             \
	X(wakeups)                                                                                 \
	X(migrations)                                                                              \
	X(hist_on_ns)                                                                              \
	X(hist_runq_ns)                                                                            \
	X(hist_blocked_ns)
/* and over the rows of its waits */
#define TALLY_WAIT(X)                                                                              \
	X(blocked_ns)                                                                              \
	X(runq_ns)                                                                                 \
	X(count)                                                                                   \
	X(samples)                                                                                 \
	X(var_us2)

struct tally_thread {
	u64 id;
#define X(member) u64 member;
	TALLY_TASK(X)
#undef X
	u64 blocked_by_state_ns[PROFILE_STATES];
	struct {
#define X(member) u64 member;
		TALLY_WAIT(X)
#undef X
		u64 max_ns;
		u64 flags[16]; /* waits by the bits of their flags */
		u64 hist[PROFILE_HIST_LEN];
	} waits;
	u64 hot_ns;
	u64 hot_samples;
	u64 bins;
};

/* What a thread has for its whole life, and in all windows. */
u64 tally_id(const struct profile_task *t);

void tally__init(struct tally *t);
void tally__done(struct tally *t);
/* -ENOMEM or 0. */
int tally__add(struct tally *t, const struct profile *p);
/* False, and a line on standard error for each of the first differences. */
bool tally__equal(const struct tally *a, const struct tally *b);

#endif
