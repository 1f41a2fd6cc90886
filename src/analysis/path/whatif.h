/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_WHATIF_H
#define ANALYSIS_PATH_WHATIF_H

#include "analysis/cause/cause_memo.h"
#include "analysis/path/critical_path.h"
#include "base/arena.h"

/* By so many percent waits are shortened. */
#define WHATIF_STEPS 3
extern const u32 whatif_percent[WHATIF_STEPS];

/*
 * Waits that may be shortened: those with one cause, for one object, or, if that says nothing, in
 * one place. Waits that a recorded thread ended are among them only if they are for a lock; others
 * get what they wait for from that thread, and cannot do without it.
 */
struct whatif_row {
	u32 cause; /* enum cause */
	const char *object; /* "" if it says nothing; then */
	const char *place; /* "" if there is an object or it is unknown */
	u32 waits; /* how many there were */
	u64 path_ns; /* of the critical path: in such a wait, or behind one for a lock */
	u64 ns[WHATIF_STEPS]; /* what the thread would take */
};

struct whatif {
	u64 measured_ns; /* what the thread took */
	u64 replay_ns; /* the same in a replay of what was recorded, which is what the rest is of */
	u64 cpus_ns; /* what it would take on `cpus` */
	u64 twice_ns; /* ... on twice as many */
	u64 all_ns; /* ... if no thread ever waited for a CPU */
	u64 on_cpu_ns; /* of the critical path, like the next two */
	u64 runq_ns;
	u64 unknown_ns;
	u32 recorded_cpus;
	u32 cpus; /* of the predictions in rows */
	u32 forced; /* waits that had to be ended in replays: 0 if they are sound */
	struct whatif_row *rows; /* most time on the path first; then others that gain something */
	u32 len;
};

struct whatif_options {
	struct path_range range; /* the thread, from its begin to its end */
	u32 cpus; /* 0: as recorded */
	u32 rows; /* at most; 0: 20 */
};

/* Frames must be named. Everything is in the arena. `memo`: of causes, or NULL. -ENOMEM or 0. */
int whatif__build(const struct lanes *lanes, const struct whatif_options *opt,
		  struct cause_memo *memo, struct arena *a, struct whatif *ret, struct err *err);

#endif
