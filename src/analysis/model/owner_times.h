/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_OWNER_TIMES_H
#define ANALYSIS_MODEL_OWNER_TIMES_H

#include "analysis/cause/cause.h"
#include "profile/profile.h"

/*
 * What the owner of an object did itself, over all of its recorded time, not just while others
 * waited for it: a hint, not a proof. `causes` are the profile's.
 */
struct owner_time {
	u64 wall_ns; /* of the thread; 0: not recorded */
	u64 on_ns;
	u64 cause_ns; /* the longest of its waits by cause */
	enum cause cause;
};

/* All threads that owned something. */
struct owner_times {
	const struct profile *p;
	u32 *place; /* by task; 0: it owned nothing */
	u64 *by_cause_ns; /* of waits, CAUSE_CNT per place */
	u8 *is_one_of_many; /* by task: it owned a file lock, as its process, which has others */
};

/* Borrows the profile. -ENOMEM or 0; release with owner_times__done() in either case. */
int owner_times__init(struct owner_times *o, const struct profile *p, const struct causes *causes);
void owner_times__done(struct owner_times *o);
/*
 * All zero for task 0. Also for the main thread of a process that owned a file lock and has other
 * threads: it is not known which of them took the lock.
 */
struct owner_time owner_times__of(const struct owner_times *o, u32 task);

#endif
