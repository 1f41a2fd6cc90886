/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From sums to a builder: a row of threads for each group, whose states add up to the number of its
 * tasks times the window, and the waits in it. A task in a system call blocks a thread, so it is
 * blocked as well. What could not be read is unaccounted.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "async/tasks_priv.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "profile/estimate.h"

struct giving {
	struct tasks *t;
	struct builder *b;
	const struct capture_files *files;
	struct profile_task *totals; /* by group */
	u32 *ids; /* the builder's, by group */
};

static void add_up(struct giving *g)
{
	for (size_t i = 0; i < g->t->rows.len; i++) {
		const struct task_row *row = vec__at(&g->t->rows, i);
		struct profile_task *total = &g->totals[row->key.group];

		total->wall_ns += row->ns;
		switch ((enum task_state)row->key.state) {
		case TASK_READY:
		case TASK_STALLS:
			total->runq_ns += row->ns;
			break;
		case TASK_RUNS:
			total->on_ns += row->ns;
			break;
		case TASK_WAITS:
			total->blocked_ns[TASKS_LETTER] += row->ns;
			break;
		case TASK_CALLS:
		case TASK_STOPS:
			total->blocked_ns[row->key.letter] += row->ns;
			break;
		default:
			total->unaccounted_ns += row->ns;
		}
	}
}

static int give_groups(struct giving *g)
{
	int r = 0;

	for (u32 i = 1; !r && i < intern__len(&g->t->groups); i++) {
		struct task_group *group = intern__at(&g->t->groups, i);
		struct profile_task *total = &g->totals[i];
		bool measured = group->measured;

		group->measured = false;
		if (!total->wall_ns && !measured)
			continue;
		total->tid = i;
		total->tgid = group->tgid;
		total->start_boottime_ns = group->start_boottime_ns;
		r = builder__str(g->b, strtab__get(&g->t->names, group->name), &total->comm);
		if (!r)
			r = builder__str(g->b, strtab__get(&g->t->names, group->process_name),
					 &total->group_comm);
		if (!r)
			r = builder__task(g->b, total, &g->ids[i]);
	}
	return r;
}

/* Running, as time on a CPU, with the functions that ran. */
static int give_hot(struct giving *g, const struct task_row *row)
{
	u64 most_us = row->ns / NSEC_PER_USEC, var = row->var_us2, most;
	struct profile_hot hot = {
		.task = g->ids[row->key.group], .sysno = -1, .on_ns = row->ns, .samples = row->seen
	};
	int r;

	if (!row->ns)
		return 0;
	if (__builtin_mul_overflow(most_us, most_us, &most))
		most = ESTIMATE_VAR_MAX;
	hot.var_us2 = var < most ? var : most;
	builder__header(g->b)->on_cpu_samples += row->seen;
	r = stack_book__give(&g->t->looker.stacks, &g->t->looker.code, g->files, row->key.stack,
			     g->b, &hot.ustack);
	return r ? r : builder__hot(g->b, &hot);
}

/* What its thread was blocked in. */
static int give_look(struct giving *g, const struct task_row *row, struct profile_wait *w)
{
	struct looker *l = &g->t->looker;
	const struct look_key *k = intern__at(&l->keys, row->key.look);
	int r;

	w->state = row->key.letter;
	if (!row->key.look)
		return 0;
	w->sysno = k->sysno;
	r = stack_book__give(&l->stacks, &l->code, g->files, k->kstack, g->b, &w->kstack);
	return r ? r : things__give(&l->things, &l->code, g->files, k->object, g->b, &w->object);
}

static int give_row(struct giving *g, const struct task_row *row)
{
	struct profile_wait w = { .task = g->ids[row->key.group],
				  .sysno = -1,
				  .flags = WAIT_VISITED,
				  .samples = row->seen,
				  .var_us2 = row->var_us2 };
	int r = 0;

	if (row->key.state == TASK_RUNS)
		return give_hot(g, row);
	if (!row->ns || row->key.state == TASK_UNREAD)
		return 0;
	if (row->key.state == TASK_READY || row->key.state == TASK_STALLS) {
		w.flags |= WAIT_RUNNABLE;
		w.runq_ns = row->ns;
		w.owner = g->ids[row->key.holder];
		w.owner_tid = w.owner ? row->key.holder : 0;
	} else {
		w.state = TASKS_LETTER;
		w.blocked_ns = row->ns;
	}
	if (row->key.state == TASK_CALLS || row->key.state == TASK_STOPS)
		r = give_look(g, row, &w);
	if (r)
		return r;
	r = stack_book__give(&g->t->looker.stacks, &g->t->looker.code, g->files, row->key.stack,
			     g->b, &w.ustack);
	return r ? r : builder__wait(g->b, &w);
}

/* How it was read, for the foot of the summary. */
static int give_hooks(struct giving *g, struct profile_header *h)
{
	const struct task_window *w = &g->t->closed;
	char failed[64] = "", text[256];

	if (w->failed)
		snprintf(failed, sizeof(failed), "; %llu reading%s failed", w->failed,
			 units_plural(w->failed));
	snprintf(text, sizeof(text), "memory of the processes, at random instants%s%s%s",
		 g->t->turn.refused ? "" : ", with real-time priority",
		 w->in_parts ? ", a random part of them at a time" : "", failed);
	return builder__str(g->b, text, &h->hooks);
}

static int give_header(struct giving *g)
{
	const struct task_window *w = &g->t->closed;
	struct profile_header *h = builder__header(g->b);
	u64 period_ns = NSEC_PER_SEC / g->t->rounds.hz;

	h->begin_mono_ns = w->begin_ns;
	h->begin_wall_ns = w->begin_wall_ns;
	h->window_ns = w->end_ns - w->begin_ns;
	h->max_ns = ~0ULL;
	h->sides = SIDE_USER | SIDE_KERNEL;
	h->visit_hz = h->on_cpu_hz = g->t->rounds.hz;
	h->visit_sources = VISITS_OF_TASKS;
	h->visited_ns = h->window_ns;
	h->unknown = UNKNOWN_THREADS;
	h->visits = w->seen;
	h->visits_changed = w->torn;
	h->visit_passes = w->kept.rounds;
	h->visit_passes_missed = w->left_out;
	h->visit_late_ns = w->kept.late_ns;
	h->visit_late_max_ns = w->kept.late_max_ns;
	h->self_cpu_ns = w->cpu_ns;
	h->period_ns = h->period_min_ns = h->period_max_ns = period_ns;
	h->period_sum_ns = 2 * period_ns;
	return give_hooks(g, h);
}

/* Names of functions, without those of programs that are over; what was lost in this window. */
static int give_functions(struct giving *g)
{
	struct python_codes *codes = &g->t->functions;
	u64 lost = codes->lines_lost + codes->full, before = g->t->functions_lost;
	int r;

	g->files->forget(g->files->arg, &g->t->past);
	python_codes__forget(codes, &g->t->past);
	r = python_codes__give(codes, g->files->give_function, g->files->arg);
	g->t->functions_lost = lost;
	return r ? r : builder__loss(g->b, LOSS_CODE_LOST, lost - before, 0);
}

static int give_all(struct giving *g)
{
	struct tasks *t = g->t;
	int r = code_files__give(&t->looker.code, g->files);

	add_up(g);
	if (!r)
		r = give_functions(g);
	if (!r)
		r = stack_book__begin(&t->looker.stacks, g->b);
	if (!r)
		r = things__begin(&t->looker.things);
	if (!r)
		r = give_groups(g);
	for (size_t i = 0; !r && i < t->rows.len; i++)
		r = give_row(g, vec__at(&t->rows, i));
	if (!r)
		r = tasks_measure__give(t, g->b, g->files, g->ids);
	return r ? r : give_header(g);
}

int tasks__drain(struct tasks *t, struct builder *b, const struct capture_files *files,
		 struct err *err)
{
	u32 len = intern__len(&t->groups);
	struct giving g = { .t = t, .b = b, .files = files };
	int r = -ENOMEM;

	g.totals = mem_array(len, sizeof(*g.totals));
	g.ids = mem_array(len, sizeof(*g.ids));
	if (g.totals && g.ids)
		r = give_all(&g);
	mem_free(g.totals);
	mem_free(g.ids);
	t->counted_cpu_ns = clock_thread_cpu_ns(); /* passes do not pay for this */
	return r ? err__wrap(err, r, "cannot take in the tasks: %s", err_str(r)) : 0;
}
