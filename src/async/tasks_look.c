/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that runs a task, or makes its system call, by the code that records threads. */
#include <errno.h>

#include "async/tasks_priv.h"

/* One that would run: on a CPU, or waiting for one. */
static int split(struct tasks *t, const struct looked_at *at, struct task_thread *ret)
{
	struct tally_reading now;

	if (t->looker.coarse || looker__read(&t->looker, at, &now))
		return 0;
	return thread_shares__look(&t->shares, at->tid, &now, rounds__draw(&t->rounds),
				   &ret->waits_cpu);
}

int tasks_look(void *arg, u32 tid, struct task_thread *ret)
{
	struct tasks *t = arg;
	const struct looked_at at = {
		.tgid = t->current->tgid, .tid = tid, .fd = -1, .process = &t->current->walker
	};
	struct look look = { 0 };
	int r;

	r = looker__peek(&t->looker, &at, &look);
	if (r)
		return r == -ENOMEM ? r : 0;
	*ret = (struct task_thread){ .is_known = !look.is_dead,
				     .is_blocked = look.key,
				     .state = look.state,
				     .key = look.key,
				     .sp = look.sp,
				     .pc = look.pc };
	return ret->is_known && !ret->is_blocked ? split(t, &at, ret) : 0;
}
