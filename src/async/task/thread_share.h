/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASK_THREAD_SHARE_H
#define ASYNC_TASK_THREAD_SHARE_H

#include "base/types.h"
#include "base/vec.h"
#include "visit/tally.h"

/*
 * Whether a thread that would run has a CPU. /proc does not tell, only how long it has had one and
 * how long it waited for one. So chance decides, by the share of both since the thread was looked
 * at before: right on average, and each look counts once. Pure. Not thread-safe.
 */
struct thread_shares {
	struct vec threads; /* struct thread_count */
	bool lacks_ticks;
};

/* `lacks_ticks`: counters of a thread that has a CPU may stand still for long (nohz_full). */
void thread_shares__init(struct thread_shares *s, bool lacks_ticks);
/* NULL and all zero are fine. */
void thread_shares__done(struct thread_shares *s);
/*
 * `now`: its counters; `random`: any number. *ret_waits: it waits for a CPU. One that is looked at
 * for the first time has one. -ENOMEM or 0.
 */
int thread_shares__look(struct thread_shares *s, u32 tid, const struct tally_reading *now,
			u64 random, bool *ret_waits);

#endif
