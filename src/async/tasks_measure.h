/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASKS_MEASURE_H
#define ASYNC_TASKS_MEASURE_H

#include "base/err.h"
#include "base/intern.h"
#include "base/types.h"
#include "capture/program/go_probes.h"
#include "profile/measured/measured.h"

struct tasks;
struct task_process;
struct builder;
struct capture_files;

/*
 * Waits of goroutines that are measured one by one (go_probes.h), next to the samples of a
 * recording of tasks. All probes are taken off for good when they have cost more than their share
 * of the budget. Not thread-safe.
 */

/* Measured waits with equal stacks, as numbers of the recording. */
struct measured_sum {
	u32 group;
	u32 stack;
	u32 waker;
	u32 pad;
	/* behind the key: */
	u64 count;
	u64 total_ns;
	u64 max_ns;
	u64 hist[CS_HIST_LEN];
};

/* A window, up to its end or to now. */
struct measured_time {
	u64 on_ns; /* with probes */
	struct cs_go_counts counts;
};

struct tasks_measure {
	struct go_probes *probes; /* NULL: nothing is measured */
	u32 serials; /* given so far */
	u64 share_ppm; /* of one CPU: what probes may cost */
	u64 begin_ns; /* when the first probes came on; 0: none did */
	u64 on_since_ns; /* 0: no probes are on */
	u64 turn_ns; /* when their cost was looked at, and what it was */
	u64 spent_ns;
	s64 debt_ns; /* what they cost beyond their share; less than 0: what they may cost more */
	bool is_over; /* they cost too much */
	struct measured_time now; /* the current window; counts are those at its begin */
	struct measured_time closed; /* the closed one */
	struct intern sums; /* struct measured_sum: of the closed window, and what ended early */
};

/* `ppm`: their share of all CPUs' time. Errors of go_probes__open(). */
int tasks_measure__open(struct tasks_measure *m, u64 ppm, struct err *err);
/* All zero is fine. */
void tasks_measure__done(struct tasks_measure *m);
/* After a search for processes: probes for those that are new. -ENOMEM or 0. */
int tasks_measure__follow(struct tasks *t);
/* A process is over, or runs another program. -ENOMEM or 0. */
int tasks_measure__leave(struct tasks *t, struct task_process *p);
/* After a round: takes them off if they cost too much. -ENOMEM or 0. */
int tasks_measure__turn(struct tasks *t);
/* Forgets the waits that ended before the first window. -ENOMEM or 0. */
int tasks_measure__discard(struct tasks *t);
/* Takes all probes off. */
void tasks_measure__stop(struct tasks *t);
/* A window begins; ends. -ENOMEM or 0. */
void tasks_measure__begin(struct tasks *t, u64 at_ns);
int tasks_measure__end(struct tasks *t, u64 at_ns);
/* What is measured in the closed window, with the builder's ids of groups. -ENOMEM or 0. */
int tasks_measure__give(struct tasks *t, struct builder *b, const struct capture_files *files,
			const u32 *ids);

#endif
