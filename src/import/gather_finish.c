/* SPDX-License-Identifier: Apache-2.0 */
/* From what was gathered to a profile. */
#include <errno.h>
#include <string.h>

#include "import/gather_priv.h"

/* False when a sum leaves its type. */
static bool add(u64 *sum, u64 ns)
{
	return !__builtin_add_overflow(*sum, ns, sum);
}

/* Without totals of the source, those of the list. */
static bool sum_waits(struct gather *g)
{
	bool fits = true;
	u32 i;

	for (i = 1; i < intern__len(&g->waits) && fits; i++) {
		const struct profile_wait *w = intern__at(&g->waits, i);
		struct gathered_task *t = intern__at(&g->tasks, w->task);
		struct profile_task *sum = &t->totals;

		if (!w->task || t->has_totals)
			continue;
		fits = add(&sum->blocked_ns[w->state], w->blocked_ns) &&
		       add(w->state || g->has_visited ? &sum->runq_ns : &sum->preempted_ns,
			   w->runq_ns) &&
		       add(&sum->wall_ns, w->blocked_ns) && add(&sum->wall_ns, w->runq_ns);
	}
	return fits;
}

static int add_tasks(struct gather *g)
{
	u32 i, id;
	int r = 0;

	for (i = 1; i < intern__len(&g->tasks) && !r; i++) {
		struct gathered_task *from = intern__at(&g->tasks, i);
		struct profile_task t = from->totals;

		t.tid = from->tid;
		t.cgroup = from->cgroup;
		t.container = from->container;
		t.comm = from->last_comm ? from->last_comm : from->comm;
		t.tgid = from->last_tgid ? from->last_tgid : from->tgid;
		t.group_comm = from->group_comm ? from->group_comm : t.comm;
		if (from->is_forked && !from->has_user)
			t.flags |= TASK_KTHREAD;
		r = builder__task(g->b, &t, &id);
	}
	return r;
}

static int add_waits(struct gather *g)
{
	u32 i;
	int r = 0;

	for (i = 1; i < intern__len(&g->waits) && !r; i++)
		r = builder__wait(g->b, intern__at(&g->waits, i));
	return r;
}

static int fill_header(struct gather *g, const char *source, u32 unknown)
{
	struct profile_header *h = builder__header(g->b);
	const struct import_options *opt = g->opt;
	int r = builder__str(g->b, source, &h->source);

	if (!r)
		r = builder__str(g->b, opt->version ? opt->version : "", &h->version);
	if (!r)
		r = builder__str(g->b, opt->command ? opt->command : "", &h->command);
	if (!r && !h->target)
		r = builder__str(g->b, opt->name, &h->target);
	if (!r && !h->arch)
		r = builder__str(g->b, g->arch ? g->arch : "", &h->arch);
	if (unknown & UNKNOWN_WINDOW && opt->window_ns) {
		h->window_ns = opt->window_ns;
		unknown &= ~(u32)UNKNOWN_WINDOW;
	}
	if (g->has_sums)
		unknown |= UNKNOWN_LENGTHS;
	if (g->has_unknown_counts)
		unknown |= UNKNOWN_COUNTS;
	if (g->has_visited)
		unknown |= UNKNOWN_PREEMPTION;
	h->unknown = unknown;
	h->max_ns = ~0ULL;
	h->sides = (g->has_user ? SIDE_USER : 0) | (g->has_kernel ? SIDE_KERNEL : 0);
	return r;
}

int gather__finish(struct gather *g, const char *source, u32 unknown, struct profile **ret,
		   struct err *err)
{
	int r = sum_waits(g) ? 0 : -EOVERFLOW;

	if (!r)
		r = add_tasks(g);
	if (!r)
		r = add_waits(g);
	if (!r && g->bare)
		r = builder__loss(g->b, LOSS_SOURCE_BARE, g->bare, g->bare_ns);
	if (!r)
		r = fill_header(g, source, unknown);
	if (r == -EOVERFLOW)
		return err__set(err, -EINVAL, "'%s': times add up to more than a number can hold",
				g->opt->name);
	r = builder__freeze(g->b, ret, err);
	if (r)
		return r;
	profile__count_unnamed(*ret);
	r = profile__check(*ret, err);
	if (r) {
		profile__free(*ret);
		*ret = NULL;
	}
	return r;
}
