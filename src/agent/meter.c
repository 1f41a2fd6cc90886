/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counter must not shrink, so a name that has a row keeps it while it has threads. Rows that are
 * left go to the names with the most time in the window at hand, not to the first ones: otherwise
 * the order of thread records would decide which cgroups of a large machine can be seen.
 *
 * Containers and sessions come and go, so a row whose name was away for an hour may go to another
 * one. Its series ends then; if the name comes back, it begins at 0, as after a restart.
 */
#include "agent/meter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/view/wait_stacks.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "profile/label/cgroup_words.h"

#define CONTAINER_DIGITS 12

const char *meter_name(const char *cgroup, const char *container, char *buf)
{
	struct cgroup_words words;

	cgroup_words_of(cgroup, container, &words);
	if (*container)
		snprintf(buf, METER_NAME_SZ, "%s", container);
	else if (*words.container)
		snprintf(buf, METER_NAME_SZ, "%.*s",
			 strlen(words.container) == 64 ? CONTAINER_DIGITS : 255, words.container);
	else
		snprintf(buf, METER_NAME_SZ, "%s",
			 *words.unit ? words.unit :
			 *cgroup     ? cgroup :
				       METER_UNKNOWN);
	return buf;
}

/* A name in a window. */
struct group {
	u32 id; /* in `names` */
	u64 ns; /* of its threads, without waits for work */
	struct meter_row *row;
};

struct counting {
	struct meter *m;
	const struct profile *p;
	const struct causes *causes;
	struct strtab names; /* in the order of groups */
	u32 *group_of; /* by task */
	struct group *groups;
	struct group **by_time;
	u32 len;
};

/* The first record is no thread: it has the waits of threads that are not known. */
static bool has_unknown_threads(const struct profile *p)
{
	for (u32 i = 1; i < p->waits_len; i++) {
		if (!p->waits[i].task)
			return true;
	}
	return false;
}

static int name_tasks(struct counting *c)
{
	char name[METER_NAME_SZ];
	u32 i, id;
	int r = 0;

	for (i = !has_unknown_threads(c->p); i < c->p->tasks_len && !r; i++) {
		const struct profile_task *t = &c->p->tasks[i];
		const char *path = profile__str(c->p, t->cgroup);

		r = strtab__add(&c->names, meter_name(path, profile__str(c->p, t->container), name),
				&id);
		c->group_of[i] = id;
	}
	return r;
}

static void sum_up(struct counting *c)
{
	u32 i;

	for (i = 1; i < c->p->tasks_len; i++) {
		const struct profile_task *t = &c->p->tasks[i];

		c->groups[c->group_of[i]].ns += t->on_ns + t->runq_ns + t->preempted_ns;
	}
	for (i = 1; i < c->p->waits_len; i++) {
		const struct profile_wait *w = &c->p->waits[i];

		if (causes__class(c->causes, i) != CLASS_IDLE)
			c->groups[c->group_of[w->task]].ns += w->blocked_ns;
	}
}

static int most_first(const void *a, const void *b)
{
	const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;

	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : (x->id > y->id) - (x->id < y->id);
}

static struct meter_row *find_row(struct meter *m, const char *name)
{
	if (!strcmp(name, METER_OTHER))
		return &m->other;
	for (u32 i = 0; i < m->rows_len; i++) {
		if (!strcmp(m->rows[i].name, name))
			return &m->rows[i];
	}
	return NULL;
}

/* A free one, or that of the name that was away for longest. */
static struct meter_row *take_row(struct meter *m, const char *name, u64 now_ns)
{
	struct meter_row *row = &m->rows[0];

	if (m->rows_len < METER_ROWS) {
		row = &m->rows[m->rows_len++];
	} else {
		for (u32 i = 1; i < METER_ROWS; i++)
			row = m->rows[i].seen_ns < row->seen_ns ? &m->rows[i] : row;
		if (now_ns - row->seen_ns < METER_AWAY_NS)
			return &m->other;
	}
	*row = (struct meter_row){ .seen_ns = now_ns };
	snprintf(row->name, sizeof(row->name), "%s", name);
	return row;
}

static void give_rows(struct counting *c, u64 now_ns)
{
	u32 i;

	for (i = 1; i < c->len; i++) {
		struct group *g = c->by_time[i] = &c->groups[i];

		g->id = i;
		g->row = find_row(c->m, strtab__get(&c->names, i));
		if (g->row)
			g->row->seen_ns = now_ns;
	}
	qsort(c->by_time + 1, c->len - 1, sizeof(struct group *), most_first);
	for (i = 1; i < c->len; i++) {
		struct group *g = c->by_time[i];

		if (!g->row)
			g->row = take_row(c->m, strtab__get(&c->names, g->id), now_ns);
	}
}

static void add_tasks(struct counting *c)
{
	for (u32 i = 1; i < c->p->tasks_len; i++) {
		const struct profile_task *t = &c->p->tasks[i];
		struct meter_row *row = c->groups[c->group_of[i]].row;
		u64 ns[METER_STATES] = { t->on_ns, t->runq_ns + t->preempted_ns };

		for (u32 k = 0; k < PROFILE_STATES; k++)
			ns[METER_BLOCKED] += t->blocked_ns[k];
		for (u32 k = 0; k < METER_STATES; k++) {
			row->state_ns[k] += ns[k];
			c->m->state_ns[k] += ns[k];
		}
	}
}

static void add_waits(struct counting *c)
{
	for (u32 i = 1; i < c->p->waits_len; i++) {
		const struct profile_wait *w = &c->p->waits[i];
		enum cause cause = causes__of(c->causes, i);
		enum wait_class class = causes__class(c->causes, i);
		struct meter_row *row = c->groups[c->group_of[w->task]].row;

		row->wait_ns[cause_row(cause)->family][class] += wait_ns(w);
		c->m->cause_ns[cause][class] += wait_ns(w);
	}
}

static void add_header(struct meter *m, const struct profile *p)
{
	m->windows++;
	m->recorded_ns += p->hdr.window_ns;
	m->end_wall_ns = p->hdr.begin_wall_ns + p->hdr.window_ns;
	m->period_ns = p->hdr.period_ns;
	m->prog_ns += p->hdr.prog_ns;
	m->self_cpu_ns += p->hdr.self_cpu_ns;
	for (u32 i = 0; i < LOSS_CNT; i++) {
		if (i == LOSS_UNNAMED) /* listed: nothing is missing */
			continue;
		loss_add(&m->losses[i], &p->losses[i]);
	}
}

static int count(struct counting *c, u64 now_ns)
{
	int r = strtab__init(&c->names);

	c->group_of = mem_array(c->p->tasks_len, sizeof(*c->group_of));
	if (r || !c->group_of || name_tasks(c))
		return -1;
	c->len = strtab__len(&c->names);
	c->groups = mem_array(c->len, sizeof(*c->groups));
	c->by_time = mem_array(c->len, sizeof(struct group *));
	if (!c->groups || !c->by_time)
		return -1;
	sum_up(c);
	give_rows(c, now_ns);
	add_tasks(c);
	add_waits(c);
	add_header(c->m, c->p);
	return 0;
}

int meter__take(struct meter *m, const struct profile *p, const struct ruleset *rules, u64 now_ns,
		struct err *err)
{
	struct causes causes;
	struct counting c = { .m = m, .p = p, .causes = &causes };
	int r = causes__init(&causes, p, rules, err);

	if (!r && count(&c, now_ns))
		r = err__nomem(err);
	m->uncounted += r != 0;
	strtab__done(&c.names);
	mem_free(c.group_of);
	mem_free(c.groups);
	mem_free(c.by_time);
	causes__done(&causes);
	return r;
}
