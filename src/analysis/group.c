/* SPDX-License-Identifier: Apache-2.0 */
/* The root of a graph, the row of a table and a histogram of its own are named here alike. */
#include "analysis/group.h"

#include <stdio.h>

#include "analysis/label.h"
#include "analysis/place.h"
#include "analysis/wait_stacks.h"

bool group_is_of_threads(enum group_by by)
{
	return by != GROUP_BY_CAUSE && by != GROUP_BY_MODULE;
}

int groups__init(struct groups *g, const struct profile *p, enum group_by by, struct err *err)
{
	memset(g, 0, sizeof(*g));
	g->p = p;
	g->by = by;
	return by == GROUP_BY_CAUSE ? causes__init(&g->causes, p, err) : 0;
}

void groups__done(struct groups *g)
{
	causes__done(&g->causes);
}

void groups__of_task(const struct groups *g, u32 task, char *buf, size_t sz)
{
	const struct profile_task *t = &g->p->tasks[task];

	switch (g->by) {
	case GROUP_BY_PROCESS:
		snprintf(buf, sz, "%.31s-%u", profile__str(g->p, t->group_comm), t->tgid);
		break;
	case GROUP_BY_THREAD:
		snprintf(buf, sz, "%.31s-%u/%u", profile__str(g->p, t->comm), t->tgid, t->tid);
		break;
	case GROUP_BY_CGROUP:
		snprintf(buf, sz, "cgroup %llu", t->cgroup_id);
		break;
	default:
		snprintf(buf, sz, "%s", profile__str(g->p, t->comm));
	}
}

static void put_module(const struct groups *g, u32 wait, char *buf, size_t sz)
{
	const struct profile_wait *w = &g->p->waits[wait];
	u32 frame = place_own_frame(g->p, wait_stacks_of(g->p, wait, 0).user);
	const struct profile_module *m = &g->p->modules[g->p->frames[frame].module];
	const char *name = label_basename(profile__str(g->p, m->path));

	if (w->flags & WAIT_LOST)
		snprintf(buf, sz, "%s", NOTE_LOST);
	else if (frame)
		snprintf(buf, sz, "%s", *name ? name : "[unknown]");
	else if (g->p->tasks[w->task].flags & TASK_KTHREAD)
		snprintf(buf, sz, "[kernel]");
	else
		snprintf(buf, sz, "[no user stack]");
}

void groups__of_wait(const struct groups *g, u32 wait, char *buf, size_t sz)
{
	if (g->by == GROUP_BY_CAUSE)
		snprintf(buf, sz, "%s", cause_name(causes__of(&g->causes, wait)));
	else if (g->by == GROUP_BY_MODULE)
		put_module(g, wait, buf, sz);
	else
		groups__of_task(g, g->p->waits[wait].task, buf, sz);
}
