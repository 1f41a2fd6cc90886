/* SPDX-License-Identifier: Apache-2.0 */
#include "async/task_turn.h"

#include <sched.h>

#define TURN_PRIORITY 1

void task_turn__take(struct task_turn *t)
{
	const struct sched_param turn = { .sched_priority = TURN_PRIORITY };
	struct sched_param own;

	if (t->refused || t->taken)
		return;
	t->policy = sched_getscheduler(0);
	t->refused = t->policy < 0 || sched_getparam(0, &own) ||
		     sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &turn);
	t->priority = t->refused ? 0 : own.sched_priority;
	t->taken = !t->refused;
}

void task_turn__give_back(struct task_turn *t)
{
	const struct sched_param own = { .sched_priority = t->priority };

	if (t->taken)
		(void)sched_setscheduler(0, t->policy, &own);
	t->taken = false;
}
