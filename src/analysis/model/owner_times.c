/* SPDX-License-Identifier: Apache-2.0 */
/* One pass finds the owners, and one adds up what these threads did. */
#include "analysis/model/owner_times.h"

#include <errno.h>
#include <string.h>

#include "analysis/view/wait_stacks.h"
#include "base/mem.h"

/* A wait for a file has an owner only if it is for a file lock, which a process owns. */
static bool is_of_process(const struct profile *p, const struct profile_wait *w)
{
	return w->owner && p->objects[w->object].kind == OBJECT_FILE;
}

static void mark_processes(struct owner_times *o)
{
	const struct profile *p = o->p;
	u32 i, other;

	for (i = 1; i < p->waits_len; i++) {
		u32 owner = p->waits[i].owner;

		if (!is_of_process(p, &p->waits[i]) || o->is_one_of_many[owner])
			continue;
		for (other = 1; other < p->tasks_len && !o->is_one_of_many[owner]; other++)
			o->is_one_of_many[owner] = other != owner &&
						   p->tasks[other].tgid == p->tasks[owner].tgid;
	}
}

int owner_times__init(struct owner_times *o, const struct profile *p, const struct causes *causes)
{
	u32 len = 0, i;

	memset(o, 0, sizeof(*o));
	o->p = p;
	o->place = mem_array(p->tasks_len, sizeof(*o->place));
	o->is_one_of_many = mem_array(p->tasks_len, sizeof(*o->is_one_of_many));
	if (!o->place || !o->is_one_of_many)
		return -ENOMEM;
	mark_processes(o);
	for (i = 1; i < p->waits_len; i++) {
		u32 owner = p->waits[i].owner;

		if (owner && !o->place[owner])
			o->place[owner] = ++len;
	}
	o->by_cause_ns = mem_array(((size_t)len + 1) * CAUSE_CNT, sizeof(*o->by_cause_ns));
	if (!o->by_cause_ns)
		return -ENOMEM;
	for (i = 1; i < p->waits_len; i++) {
		u32 place = o->place[p->waits[i].task];

		if (place)
			o->by_cause_ns[(size_t)place * CAUSE_CNT + causes__of(causes, i)] +=
				wait_ns(&p->waits[i]);
	}
	return 0;
}

void owner_times__done(struct owner_times *o)
{
	mem_free(o->place);
	mem_free(o->by_cause_ns);
	mem_free(o->is_one_of_many);
	memset(o, 0, sizeof(*o));
}

struct owner_time owner_times__of(const struct owner_times *o, u32 task)
{
	const struct profile_task *t = &o->p->tasks[task];
	const u64 *by_cause_ns = &o->by_cause_ns[(size_t)o->place[task] * CAUSE_CNT];
	struct owner_time owner = { .wall_ns = t->wall_ns, .on_ns = t->on_ns };
	u32 i;

	if (o->is_one_of_many[task] || o->p->hdr.unknown & UNKNOWN_ON_CPU)
		return (struct owner_time){ 0 };
	for (i = 0; i < CAUSE_CNT; i++) {
		if (by_cause_ns[i] <= owner.cause_ns)
			continue;
		owner.cause_ns = by_cause_ns[i];
		owner.cause = (enum cause)i;
	}
	return owner;
}
