/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASK_SUMS_H
#define ASYNC_TASK_SUMS_H

#include "async/task/task_seen.h"
#include "base/intern.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * Time of tasks by what they were found to do. Pure. A pass stands for the time between the middles
 * of the gaps around it, the first and the last of a window also for its edges, so the time of all
 * passes is the window, to the ns. A task that was seen stands for `weight` tasks.
 */
struct task_key {
	u32 group; /* the caller's number, as the next */
	u32 stack; /* 0: none */
	u32 state; /* enum task_state */
	u32 holder; /* of one that is ready: the group of the task that runs instead; 0: unknown */
	u32 letter; /* of one whose thread is blocked: index into PROFILE_STATE_LETTERS */
	u32 look; /* likewise: struct task_thread.key */
};

/* Of time in parts of the window: sums over them, us^2. */
struct task_parts {
	double squares;
	double products; /* with their lengths */
};

struct task_sum {
	struct task_key key;
	u64 ns;
	u64 seen;
	u64 slice_ns; /* of `ns`, in the slice that is not over */
	double pass_us; /* in the pass that gets its time now */
	struct task_parts passes;
	struct task_parts slices;
};

/* The parts: how many, and the sum of the squares of their lengths, us^2. */
struct task_lengths {
	u32 n;
	double squares;
};

struct task_sums {
	struct intern keys; /* struct task_sum */
	struct vec pending; /* struct task_sight: the pass whose time is not known yet */
	u64 begin_ns; /* of the window; all instants are of one clock */
	u64 pass_ns; /* the last pass; 0: none */
	u64 middle_ns; /* what came before it is given out */
	u64 slice_begin_ns;
	struct task_lengths passes;
	struct task_lengths slices;
};

/* A slice of the window, from which standard errors come. */
#define TASK_SLICE_NS (NSEC_PER_SEC / 2)

/* -ENOMEM or 0. */
int task_sums__init(struct task_sums *s);
/* NULL and all zero are fine. */
void task_sums__done(struct task_sums *s);
/* A window begins: all sums are 0 again, keys keep their ids. */
void task_sums__begin(struct task_sums *s, u64 at_ns);
/* A pass begins; what is added until the next one is of it. */
void task_sums__pass(struct task_sums *s, u64 at_ns);
/* A task of the pass. -ENOMEM or 0. */
int task_sums__add(struct task_sums *s, const struct task_key *key, u32 weight);
/* The window is over. */
void task_sums__end(struct task_sums *s, u64 at_ns);
/* Ids are 1 .. len - 1. */
u32 task_sums__len(const struct task_sums *s);
const struct task_sum *task_sums__at(const struct task_sums *s, u32 id);
/*
 * The variance of `ns`, us^2: from how slices differ from their share of it, which holds also where
 * what is seen in one pass is seen in the next; of a window of less than four, passes.
 */
u64 task_sums__variance_us2(const struct task_sums *s, const struct task_sum *sum);

#endif
