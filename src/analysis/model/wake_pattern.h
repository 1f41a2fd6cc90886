/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_WAKE_PATTERN_H
#define ANALYSIS_MODEL_WAKE_PATTERN_H

#include "analysis/cause/cause_memo.h"
#include "base/arena.h"
#include "base/err.h"
#include "profile/profile.h"

enum wake_pattern_kind {
	/* One waker wakes many threads at once, and most of them soon wait again. */
	PATTERN_HERD,
	/* Threads are woken, run briefly, and wait again in the same place. */
	PATTERN_STORM,
	/* Threads hand a lock to each other, while others wait for it too. */
	PATTERN_CONVOY,
	/* Two threads wake each other in turn. */
	PATTERN_PING_PONG,
	PATTERN_KINDS,
};

/* "herd", "ping-pong": stable words for formats. */
const char *wake_pattern_name(enum wake_pattern_kind kind);

/* Wakeups that follow a pattern. Texts are in the arena, "" if unknown. */
struct wake_pattern {
	enum wake_pattern_kind kind;
	bool matters; /* it takes 1% of a CPU, or a convoy 1% of the time that threads waited */
	u32 waker; /* the link that woke most often: its stacks */
	u32 wakers; /* threads; an interrupt counts as one */
	u32 sleepers; /* threads; of a ping-pong both */
	const char *who; /* waker_label.h, of `waker` */
	const char *whom; /* of one sleeper, "worker-4133"; of a ping-pong the other thread */
	const char *place; /* place.h of `waker` */
	const char *object; /* what the sleepers waited for */
	const char *then; /* of a herd: the lock for which its threads wait next */
	u64 wakes; /* each is a switch to the sleeper, and one away from it */
	u64 bursts;
	u64 brief; /* as in struct profile_wake */
	u64 again;
	u64 cpu_ns; /* of brief runs */
	u64 wait_ns; /* blocked + run queue, of the waits that these wakeups ended */
};

struct wake_patterns {
	struct wake_pattern *list; /* those that matter first, then by kind and wakes */
	u32 len;
};

/* Frames must be named. `memo`: of causes of `p`, or NULL. -ENOMEM or 0. */
int wake_patterns__build(const struct profile *p, struct cause_memo *memo, struct arena *a,
			 struct wake_patterns *ret, struct err *err);

#endif
