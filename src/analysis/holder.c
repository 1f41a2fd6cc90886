/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/holder.h"

#include "analysis/wait_stacks.h"

void holder_of_task(const struct profile *p, const struct causes *causes, u32 task,
		    struct holder *ret)
{
	u64 by_cause[CAUSE_CNT] = { 0 };
	u32 i;

	*ret = (struct holder){ .wall_ns = p->tasks[task].wall_ns, .on_ns = p->tasks[task].on_ns };
	for (i = 1; i < p->waits_len && task; i++) {
		if (p->waits[i].task == task)
			by_cause[causes__of(causes, i)] += wait_ns(&p->waits[i]);
	}
	for (i = 0; i < CAUSE_CNT; i++) {
		if (by_cause[i] <= ret->cause_ns)
			continue;
		ret->cause_ns = by_cause[i];
		ret->cause = (enum cause)i;
	}
}
