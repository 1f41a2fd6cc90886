/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASK_BUDGET_H
#define ASYNC_TASK_BUDGET_H

#include "base/types.h"

/*
 * How much of the tasks a pass may read. Pure. A pass that cost more than its share leaves a debt,
 * which those after it pay back: what a reading costs is known only behind it, and to look for
 * processes costs as well. Where a pass costs more than its share however little it reads, rounds
 * are left out by chance, so that the others are at random instants still. The mean of many passes
 * decides how many: if the last one did, what makes passes dear would stand for more time.
 */
struct task_budget {
	u64 pass_ns; /* CPU time for one pass over all processes */
	u64 owed_ns;
	u64 mean_ns; /* what a pass costs; 0: none was made */
};

/* `random`: any number. Whether this round makes no pass; it is then over. */
bool task_budget__leaves_out(struct task_budget *b, u64 random);
/* `cost_ns`: what all tasks would cost. One of so many is read; 1: all. */
u32 task_budget__one_in(const struct task_budget *b, u64 cost_ns);
/* What a pass did cost. */
void task_budget__spent(struct task_budget *b, u64 ns);

#endif
