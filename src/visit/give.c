/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From tallies to a builder. The rows of a thread add up to its totals exactly: what was never seen
 * blocked is a rest, and time waiting for a CPU is a row of its own, because nobody knows after
 * which wait it came.
 */
#include <errno.h>

#include "profile/estimate.h"
#include "visit/visits_priv.h"

_Static_assert((int)CS_END_CNT == STACK_END_CNT && (int)CS_END_ROOT == STACK_END_ROOT,
	       "a profile says why a stack ends as a walk does");

struct giving {
	struct visits *v;
	struct builder *b;
	const struct capture_files *files;
	struct vec tasks; /* u32: builder's id by closed thread */
	struct map64 by_tid; /* to the builder's id */
	u64 bare_visits; /* without a stack */
	u64 bare_ns;
};

/* Names of functions, without those of programs that are over. */
static int give_functions(struct giving *g)
{
	struct python_codes *codes = &g->v->looker.python.codes;

	g->files->forget(g->files->arg, &g->v->past);
	python_codes__forget(codes, &g->v->past);
	return python_codes__give(codes, g->files->give_function, g->files->arg);
}

/* Functions whose names or lines were lost since the last window. */
static u64 lost_functions(struct giving *g)
{
	const struct python_codes *codes = &g->v->looker.python.codes;
	u64 lost = codes->lines_lost + codes->full, before = g->v->functions_lost;

	g->v->functions_lost = lost;
	return lost - before;
}

static int give_losses(struct giving *g)
{
	int r = builder__loss(g->b, LOSS_STACK_UNREAD, g->bare_visits, g->bare_ns);

	if (!r)
		r = builder__loss(g->b, LOSS_PYTHON_UNREAD, g->v->closed.python_unread, 0);
	return r ? r : builder__loss(g->b, LOSS_CODE_LOST, lost_functions(g), 0);
}

static int give_task(struct giving *g, const struct closed_thread *c)
{
	const struct visit_window *w = &g->v->closed;
	const struct visit_tally *t = &c->tally;
	struct profile_task task = { .tid = c->tid, .tgid = c->tgid, .flags = c->flags };
	u32 *id = vec__push(&g->tasks);
	int r;

	if (!id)
		return -ENOMEM;
	task.start_boottime_ns = c->start_boottime_ns;
	task.begin_ns = t->first.at_ns > w->begin_ns ? t->first.at_ns - w->begin_ns : 0;
	task.wall_ns = t->wall_ns;
	task.on_ns = t->on_ns;
	task.runq_ns = t->runq_ns;
	task.unaccounted_ns = t->unaccounted_ns;
	task.switches = c->switches;
	task.preemptions = c->preemptions;
	for (size_t i = 0; i < t->shares.len; i++) {
		const struct tally_share *s = vec__at(&t->shares, i);

		task.blocked_ns[s->state] += s->blocked_ns;
	}
	task.blocked_ns[1] += t->blocked_ns; /* most waits are interruptible */
	r = builder__str(g->b, c->comm, &task.comm);
	if (!r)
		r = builder__str(g->b, c->group_comm, &task.group_comm);
	if (!r)
		r = builder__task(g->b, &task, id);
	return r ? r : map64__set(&g->by_tid, c->tid, *id);
}

/* The number that the program has for a thread of its own is ours, unless it is in a container. */
static u32 owner_task(const struct giving *g, u32 tid)
{
	u64 id;

	return tid && map64__get(&g->by_tid, tid, &id) ? (u32)id : 0;
}

/* A share of less than what a chosen wait may stand for: see profile__check(). */
static u64 sound_variance(const struct giving *g, const struct tally_share *s)
{
	u64 period_us = 1000000 / g->v->rounds.hz;
	u64 most = 4 * period_us * period_us * s->visits;

	return s->var_us2 < most ? s->var_us2 : most;
}

static int give_share(struct giving *g, const struct closed_thread *c, u32 task,
		      const struct tally_share *s)
{
	const struct look_key *k = intern__at(&g->v->looker.keys, s->key);
	struct looker *l = &g->v->looker;
	struct profile_wait w = { .task = task, .flags = WAIT_VISITED, .sysno = k->sysno };
	int r;

	if (!s->blocked_ns && !s->visits)
		return 0;
	w.state = s->state;
	w.blocked_ns = s->blocked_ns;
	w.samples = s->visits;
	w.var_us2 = sound_variance(g, s);
	w.owner_tid = k->owner_tid;
	w.owner = owner_task(g, k->owner_tid);
	if (!k->ustack && g->v->keeps_user && !(c->flags & TASK_KTHREAD)) {
		g->bare_visits += s->visits;
		g->bare_ns += s->blocked_ns;
	}
	r = stack_book__give(&l->stacks, &l->code, g->files, k->ustack, g->b, &w.ustack);
	if (!r)
		r = stack_book__give(&l->stacks, &l->code, g->files, k->kstack, g->b, &w.kstack);
	if (!r)
		r = things__give(&l->things, &l->code, g->files, k->object, g->b, &w.object);
	return r ? r : builder__wait(g->b, &w);
}

static int give_rows(struct giving *g, const struct closed_thread *c, u32 task)
{
	const struct visit_tally *t = &c->tally;
	struct profile_wait runq = { .task = task,
				     .sysno = -1,
				     .flags = WAIT_VISITED | WAIT_RUNNABLE };
	struct profile_wait rest = { .task = task, .sysno = -1, .flags = WAIT_LOST, .state = 1 };
	int r = 0;

	for (size_t i = 0; !r && i < t->shares.len; i++)
		r = give_share(g, c, task, vec__at(&t->shares, i));
	runq.runq_ns = t->runq_ns;
	rest.blocked_ns = t->blocked_ns;
	if (!r && t->runq_ns)
		r = builder__wait(g->b, &runq);
	if (!r && t->blocked_ns)
		r = builder__wait(g->b, &rest);
	return r;
}

static int give_header(struct giving *g)
{
	const struct visit_window *w = &g->v->closed;
	struct profile_header *h = builder__header(g->b);
	u64 period_ns = NSEC_PER_SEC / g->v->rounds.hz;

	h->begin_mono_ns = w->begin_ns;
	h->begin_wall_ns = w->begin_wall_ns;
	h->window_ns = w->end_ns - w->begin_ns;
	h->max_ns = ~0ULL;
	h->sides = (g->v->keeps_user ? SIDE_USER : 0) | (g->v->keeps_kernel ? SIDE_KERNEL : 0);
	h->visit_hz = g->v->rounds.hz;
	h->visit_sources = VISITS_OF_PROC;
	h->visited_ns = h->window_ns;
	h->visits = w->visits;
	h->visits_changed = w->looks;
	h->visit_passes = w->kept.rounds;
	h->visit_late_ns = w->kept.late_ns;
	h->visit_late_max_ns = w->kept.late_max_ns;
	h->self_cpu_ns = w->cpu_ns;
	h->period_ns = period_ns;
	h->period_min_ns = period_ns;
	h->period_max_ns = period_ns;
	h->period_sum_ns = 2 * period_ns;
	return builder__str(g->b, "/proc, at random instants", &h->hooks);
}

static int give_all(struct giving *g)
{
	struct looker *l = &g->v->looker;
	const struct vec *threads = &g->v->closed.threads;
	int r = code_files__give(&l->code, g->files);

	if (!r)
		r = give_functions(g);
	if (!r)
		r = stack_book__begin(&l->stacks, g->b);
	if (!r)
		r = things__begin(&l->things);
	for (size_t i = 0; !r && i < threads->len; i++)
		r = give_task(g, vec__at(threads, i));
	for (size_t i = 0; !r && i < threads->len; i++)
		r = give_rows(g, vec__at(threads, i), *(u32 *)vec__at(&g->tasks, i));
	if (!r)
		r = give_header(g);
	return r ? r : give_losses(g);
}

int visits__drain(struct visits *v, struct builder *b, const struct capture_files *files,
		  struct err *err)
{
	struct giving g = { .v = v, .b = b, .files = files };
	int r;

	vec__init(&g.tasks, sizeof(u32));
	map64__init(&g.by_tid);
	r = give_all(&g);
	vec__done(&g.tasks);
	map64__done(&g.by_tid);
	return r ? err__wrap(err, r, "cannot take in the visits: %s", err_str(r)) : 0;
}
