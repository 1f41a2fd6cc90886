/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of waits. The rows of a table are interned by their key, so that one pass over the waits
 * is enough; their order is total, down to the names, so that equal profiles print equal tables.
 */
#include "analysis/top.h"

#include <errno.h>

#include "analysis/label.h"
#include "analysis/place.h"
#include "analysis/syscall_name.h"
#include "analysis/wait_stacks.h"
#include "base/intern.h"
#include "base/mem.h"
#include "profile/estimate.h"

struct group_key {
	u32 cause;
	u32 state;
	s32 sysno;
	u32 comm; /* string id; 0 when not grouped by it */
	u32 user; /* text id */
	u32 kernel;
};

struct group {
	struct group_key key;
	u64 blocked_ns;
	u64 runq_ns;
	u64 count;
	u64 max_ns;
	u64 samples;
	u64 var_us2;
	u64 hist[PROFILE_HIST_LEN];
};

struct grouping {
	const struct profile *p;
	enum top_by by;
	struct causes causes;
	struct labels labels;
	struct places places;
	struct intern groups;
};

/* A thread loses its CPU, or faults, in whatever call it is: the call does not say why. */
static bool syscall_matters(enum cause cause)
{
	switch (cause) {
	case CAUSE_PREEMPTED:
	case CAUSE_YIELD:
	case CAUSE_NEW:
	case CAUSE_THROTTLED:
	case CAUSE_FAULT:
	case CAUSE_STOPPED:
	case CAUSE_EXIT:
	case CAUSE_KTHREAD:
	case CAUSE_LOST:
		return false;
	default:
		return true;
	}
}

static int add_wait(struct grouping *g, u32 wait)
{
	const struct profile_wait *w = &g->p->waits[wait];
	struct group fresh = { 0 };
	struct group *group;
	u32 id, i;
	int r = 0;

	fresh.key.cause = causes__of(&g->causes, wait);
	fresh.key.state = w->state;
	fresh.key.sysno = syscall_matters(fresh.key.cause) ? w->sysno : -1;
	if (g->by == TOP_BY_PLACE) {
		struct wait_stacks s = wait_stacks_of(g->p, wait, 0);

		fresh.key.comm = g->p->tasks[w->task].group_comm;
		r = places__user(&g->places, s.user, &fresh.key.user);
		if (!r)
			r = places__kernel(&g->places, s.kernel, &fresh.key.kernel);
	}
	if (!r)
		r = intern__add(&g->groups, &fresh, &id);
	if (r)
		return r;
	group = intern__at(&g->groups, id);
	group->blocked_ns += w->blocked_ns;
	group->runq_ns += w->runq_ns;
	group->count += w->count;
	group->samples += w->samples;
	group->var_us2 = estimate_add_var(group->var_us2, w->var_us2);
	if (group->max_ns < w->max_ns)
		group->max_ns = w->max_ns;
	for (i = 0; i < PROFILE_HIST_LEN; i++)
		group->hist[i] += w->hist[i];
	return 0;
}

static int copy_text(struct arena *a, const char *text, const char **ret_copy)
{
	*ret_copy = arena__strdup(a, text);
	return *ret_copy ? 0 : -ENOMEM;
}

static int to_row(const struct grouping *g, const struct group *group, struct arena *a,
		  struct top_row *row)
{
	int r;

	row->cause = group->key.cause;
	row->state = group->key.state;
	row->syscall = syscall_name(profile__str(g->p, g->p->hdr.arch), group->key.sysno);
	row->blocked_ns = group->blocked_ns;
	row->runq_ns = group->runq_ns;
	row->count = group->count;
	row->max_ns = group->max_ns;
	row->samples = group->samples;
	row->var_us2 = group->var_us2;
	memcpy(row->hist, group->hist, sizeof(row->hist));
	if (g->by != TOP_BY_PLACE)
		return 0;
	r = copy_text(a, profile__str(g->p, group->key.comm), &row->comm);
	if (!r)
		r = copy_text(a, places__text(&g->places, group->key.user), &row->user);
	if (!r)
		r = copy_text(a, places__text(&g->places, group->key.kernel), &row->kernel);
	return r;
}

u64 top_row__off_ns(const struct top_row *row)
{
	return row->blocked_ns + row->runq_ns;
}

static int compare_u64_down(u64 a, u64 b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int longest_first(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	int r = compare_u64_down(top_row__off_ns(x), top_row__off_ns(y));

	if (!r)
		r = compare_u64_down(x->count, y->count);
	if (!r)
		r = strcmp(cause_name(x->cause), cause_name(y->cause));
	if (!r)
		r = compare_text(x->syscall, y->syscall);
	if (!r)
		r = compare_u64_down(y->state, x->state);
	if (!r)
		r = compare_text(x->comm, y->comm);
	if (!r)
		r = compare_text(x->user, y->user);
	return r ? r : compare_text(x->kernel, y->kernel);
}

static int freeze(const struct grouping *g, struct arena *a, struct top *top)
{
	u32 len = intern__len(&g->groups) - 1, i;
	int r;

	top->rows = arena__array(a, len, sizeof(*top->rows));
	if (!top->rows)
		return -ENOMEM;
	for (i = 0; i < len; i++) {
		r = to_row(g, intern__at(&g->groups, i + 1), a, &top->rows[i]);
		if (r)
			return r;
		top->blocked_ns += top->rows[i].blocked_ns;
		top->runq_ns += top->rows[i].runq_ns;
	}
	top->len = len;
	if (len)
		qsort(top->rows, len, sizeof(*top->rows), longest_first);
	return 0;
}

int top__build(const struct profile *p, enum top_by by, struct arena *a, struct top *ret_top,
	       struct err *err)
{
	struct grouping g = { .p = p, .by = by };
	u32 i;
	int r;

	memset(ret_top, 0, sizeof(*ret_top));
	r = causes__init(&g.causes, p, NULL);
	if (!r)
		r = labels__init(&g.labels, p, NULL);
	if (!r)
		r = places__init(&g.places, p, &g.labels, NULL);
	if (!r)
		r = intern__init(&g.groups, sizeof(struct group), sizeof(struct group_key));
	for (i = 1; i < p->waits_len && !r; i++)
		r = add_wait(&g, i);
	if (!r)
		r = freeze(&g, a, ret_top);
	intern__done(&g.groups);
	places__done(&g.places);
	labels__done(&g.labels);
	causes__done(&g.causes);
	return r ? err__nomem(err) : 0;
}
