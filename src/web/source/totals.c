/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name that gets a row keeps it: a counter must not shrink. Those that come when all rows are
 * taken are summed up as one, and so no time is missing.
 */
#include "web/source/totals.h"

#include <errno.h>
#include <string.h>

#include "base/text/utf8.h"
#include "profile/loss.h"

int totals__init(struct totals *t)
{
	memset(t, 0, sizeof(*t));
	pthread_mutex_init(&t->lock, NULL);
	return strtab__init(&t->names);
}

void totals__done(struct totals *t)
{
	strtab__done(&t->names);
	pthread_mutex_destroy(&t->lock);
}

static struct comm_total *row_of(struct totals *t, const char *raw)
{
	char name[TOTALS_NAME_SZ];
	u32 i, id;

	utf8_copy_harmless(raw, name, sizeof(name));
	if (!strcmp(name, TOTALS_OTHER))
		return &t->other;

	for (i = 0; i < t->comms_len; i++) {
		if (!strcmp(strtab__get(&t->names, t->comms[i].name), name))
			return &t->comms[i];
	}
	if (t->comms_len == TOTALS_MAX_COMMS || strtab__add(&t->names, name, &id))
		return &t->other;
	t->comms[t->comms_len].name = id;
	return &t->comms[t->comms_len++];
}

static void add_task(struct totals *t, const struct profile *p, const struct profile_task *task)
{
	struct comm_total *row = row_of(t, profile__str(p, task->group_comm));
	u32 i;

	row->on_ns += task->on_ns;
	row->runq_ns += task->preempted_ns + task->runq_ns;
	for (i = 0; i < PROFILE_STATES; i++)
		row->blocked_ns += task->blocked_ns[i];
}

static void add_losses(struct totals *t, const struct profile *p)
{
	int i;

	for (i = 0; i < LOSS_CNT; i++) {
		if (i == LOSS_UNNAMED)
			continue;
		loss_add(&t->losses[i], &p->losses[i]);
	}
}

void totals__add(struct totals *t, const struct profile *p, const struct window_sums *s)
{
	u32 i;

	pthread_mutex_lock(&t->lock);
	t->windows++;
	t->recorded_ns += s->length_ns;
	t->threads = s->threads;
	t->on_ns += s->on_ns;
	t->runq_ns += s->runq_ns;
	t->blocked_ns += s->blocked_ns;
	t->idle_ns += s->idle_ns;
	t->lost_ns += s->lost_ns;
	for (i = 0; i < s->causes_len; i++)
		t->cause_ns[s->causes[i].cause][s->causes[i].class] += s->causes[i].ns;
	for (i = 1; i < p->tasks_len; i++)
		add_task(t, p, &p->tasks[i]);
	add_losses(t, p);
	effort_seen_text(p, t->effort[0], sizeof(t->effort[0]));
	effort_cost_text(p, t->effort[1], sizeof(t->effort[1]));
	pthread_mutex_unlock(&t->lock);
}

void totals__skip(struct totals *t)
{
	pthread_mutex_lock(&t->lock);
	t->skipped++;
	pthread_mutex_unlock(&t->lock);
}

u64 totals__lost(struct totals *t)
{
	u64 events = 0;
	int i;

	pthread_mutex_lock(&t->lock);
	for (i = 0; i < LOSS_CNT; i++)
		events += t->losses[i].events;
	pthread_mutex_unlock(&t->lock);
	return events;
}
