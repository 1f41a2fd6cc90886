/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_REPLAY_H
#define ANALYSIS_PATH_REPLAY_H

#include "analysis/path/lanes.h"

/*
 * What threads did, as a list of operations of each that can be run again with other lengths: work
 * on a CPU, waits for a thread to reach a certain point, and delays from outside. Time for a CPU is
 * not in it where recorded threads used all CPUs: a replay schedules them anew.
 */
enum replay_kind {
	REPLAY_RUN, /* ns of work */
	REPLAY_POST, /* the point at which event `id` happens */
	REPLAY_WAIT, /* for event `id`; ns as recorded */
	REPLAY_DELAY, /* ns that no recorded thread decides */
	REPLAY_OTHERS, /* a delay: ns for a CPU, for which recorded threads are not to blame */
	REPLAY_STOP, /* a wait that was not over at the end */
};

struct replay_op {
	u64 ns;
	u32 kind; /* enum replay_kind */
	u32 id;
	u32 wait; /* of the profile, for a delay or wait that may be shortened; 0: none */
};

/* Of a lane: when it begins, and its operations. */
struct replay_lane {
	u64 begin_ns; /* if it has no birth */
	u32 birth; /* event, 1 + id; 0: none */
	u32 first;
	u32 len;
};

struct replay {
	const struct lanes *lanes; /* borrowed */
	struct replay_lane *list; /* by lane */
	struct vec ops; /* struct replay_op, by lane */
	u32 events;
};

/* -ENOMEM or 0; release with replay__done() in either case. */
int replay__init(struct replay *r, const struct lanes *lanes);
void replay__done(struct replay *r);

struct replay_question {
	u32 lane; /* how long this thread takes */
	u32 cpus; /* not 0 */
	bool is_alone; /* without REPLAY_OTHERS */
	const u8 *percent; /* by wait: so much shorter, 0 to 100; NULL: none */
	const u8 *woken; /* by wait: 1: also where a recorded thread ended it */
};

struct replay_answer {
	u64 ns; /* from the begin of the thread to the end of its last operation */
	/* Waits that were ended because nothing else would have happened. 0 in a sound replay. */
	u32 forced;
};

/* -ENOMEM or 0. */
int replay__run(const struct replay *r, const struct replay_question *q, struct replay_answer *ret);

#endif
