/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_SAMPLER_H
#define CAPTURE_PROGRAM_SAMPLER_H

#include <pthread.h>

#include "base/err.h"
#include "base/types.h"

/*
 * A thread that visits all recorded threads at random instants: time is divided into periods, and
 * in each of them one instant is drawn, so that no pattern of a program can match them.
 * docs/adr/0049.
 */
struct programs;

/* Of one window. */
struct sampler_counts {
	u64 passes; /* including one at the start of the first window */
	u64 missed; /* periods without a pass: the one before took too long */
	u64 late_ns; /* sum: how long after its instant a pass began */
	u64 late_max_ns;
	u64 gap_max_ns; /* longest time between two passes, or a pass and an end of the window */
};

struct sampler {
	struct programs *programs;
	u64 period_ns;
	u64 random;
	u64 first_ns; /* periods are counted from here */
	u64 done; /* periods so far */
	u64 due_ns; /* the next pass */
	u64 last_ns; /* the last one; 0: none */
	struct sampler_counts counts;
	int error; /* of a pass; no more follow */
	int wake_fd;
	bool running;
	bool stop;
	pthread_t thread;
	pthread_mutex_t lock; /* held during a pass */
};

void sampler__init(struct sampler *s);
/*
 * Before privileges are dropped: begins the thread, which takes precedence over those that it
 * visits, if permitted, and drops its own. End it with sampler__stop().
 */
int sampler__open(struct sampler *s, struct err *err);
/* Begins with a pass for the window that began at `begin_ns`. Borrows `p` until sampler__stop(). */
void sampler__start(struct sampler *s, struct programs *p, u32 hz, u64 begin_ns);
/* Waits for the end of a pass that is under way; none begins until sampler__resume(). */
void sampler__pause(struct sampler *s);
void sampler__resume(struct sampler *s);
/* While paused: the counts of the window that ended at `end_ns`, and those of the next one at 0. */
struct sampler_counts sampler__take(struct sampler *s, u64 end_ns);
/* The first error of a pass, or 0. */
int sampler__error(struct sampler *s);
/* Not while paused. One that was not opened is fine. */
void sampler__stop(struct sampler *s);

/* The instant of period `i`, from 32 random bits. Pure, for tests. */
u64 sampler_instant(u64 first_ns, u64 period_ns, u64 i, u32 random);

#endif
