/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_TIMELINE_H
#define ANALYSIS_MODEL_TIMELINE_H

#include "base/vec.h"
#include "profile/profile.h"

/*
 * What threads did one thing after the other: their waits (profile/moment.h), and what is between
 * two. A thread was on a CPU where it has no wait, unless a moment is missing, because waits were
 * filtered or instants lost: then it is not known.
 */
enum timeline_kind {
	TIMELINE_WAIT,
	TIMELINE_ON_CPU,
	TIMELINE_UNKNOWN,
};

struct timeline_step {
	u64 begin_ns; /* since the begin of the window */
	u64 ns; /* not 0 */
	u32 task;
	enum timeline_kind kind;
	u32 moment; /* TIMELINE_WAIT: its index */
};

struct timeline {
	struct vec steps; /* struct timeline_step, by begin, then by thread */
};

/* What is known of a thread's time. */
struct timeline_bounds {
	u64 begin_ns; /* since the begin of the window; nothing is known before */
	u64 end_ns; /* nor from here on */
	bool is_all; /* before and after that there was no such thread; otherwise it is not known */
	bool is_whole; /* what lies between its waits was on a CPU; otherwise it is not known */
};

/*
 * Of each thread, by task. If windows do not follow each other, the time of a thread before its
 * first wait and after its last one is not known. `bounds` has p->tasks_len elements, all zero.
 * -ENOMEM or 0.
 */
int timeline_bounds(const struct profile *p, struct timeline_bounds *bounds);

/*
 * Of all threads of the profile, within their bounds. -ENOMEM or 0; release with timeline__done()
 * in either case.
 */
int timeline__init(struct timeline *t, const struct profile *p);
void timeline__done(struct timeline *t);

#endif
