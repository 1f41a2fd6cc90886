/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An exec ends one record of a thread and begins another inside the window. So a thread began there
 * if all of its records did, and it ended there if one of them says so.
 */
#include "profile/windows/short_lives.h"

#include <errno.h>
#include <stddef.h>

#include "base/intern.h"
#include "base/mem.h"

struct life {
	u64 start_boottime_ns;
	u64 tid;
	/* not in the key */
	bool was_there;
	bool ended;
	bool made_others_wait;
};

/* Owners of what others waited for, and wakers. */
static void mark_makers(const struct profile *p, const u32 *ids, struct intern *lives)
{
	for (u32 i = 1; i < p->waits_len; i++) {
		struct life *life = intern__at(lives, ids[p->waits[i].owner]);

		life->made_others_wait |= p->waits[i].owner;
	}
	for (u32 i = 1; i < p->wakers_len; i++) {
		struct life *life = intern__at(lives, ids[p->wakers[i].task]);

		life->made_others_wait |= p->wakers[i].task;
	}
}

int short_lives__find(struct short_lives *e, const struct profile *p)
{
	struct intern lives;
	u32 *ids = mem_array(p->tasks_len, sizeof(*ids)), i;
	int r = intern__init(&lives, sizeof(struct life), offsetof(struct life, was_there));

	e->is = mem_array(p->tasks_len, sizeof(*e->is));
	if (!ids || !e->is)
		r = -ENOMEM;
	for (i = 1; i < p->tasks_len && !r; i++) {
		const struct profile_task *t = &p->tasks[i];
		struct life key = { .start_boottime_ns = t->start_boottime_ns, .tid = t->tid },
			    *life;

		r = intern__add(&lives, &key, &ids[i]);
		if (r)
			break;
		life = intern__at(&lives, ids[i]);
		life->was_there |= !(t->flags & TASK_BORN);
		life->ended |= t->flags & TASK_EXITED;
	}
	if (!r)
		mark_makers(p, ids, &lives);
	for (i = 1; i < p->tasks_len && !r; i++) {
		const struct life *life = intern__at(&lives, ids[i]);

		e->is[i] = life->ended && !life->was_there && !life->made_others_wait;
	}
	intern__done(&lives);
	mem_free(ids);
	return r;
}

void short_lives__done(struct short_lives *e)
{
	mem_free(e->is);
	e->is = NULL;
}

bool short_lives__has(const struct short_lives *e, u32 task)
{
	return e->is[task];
}
