/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The invariants of a profile as code. A builder cannot violate most of them, but a profile may
 * come from a file, and the sums come from the kernel: faults in either are detected here. Ids are
 * checked before they are used, and sums are computed so that no overflow can make a wrong one look
 * right.
 */
#include <errno.h>
#include <stdint.h>

#include "base/mem.h"
#include "profile/check/check_priv.h"
#include "profile/profile.h"

#define STACK_FLAGS STACK_CUT
#define FRAME_FLAGS (FRAME_KERNEL | FRAME_RETURN | FRAME_TRUNCATED | FRAME_INLINED)
#define TASK_FLAGS (TASK_KTHREAD | TASK_EXITED | TASK_EXECED | TASK_BORN)

typedef unsigned __int128 wide;

int check_zero(const char *what, const void *items, u32 len, size_t elem_sz, struct err *err)
{
	const u8 *p = items;
	size_t i;

	if (!items || !len)
		return err__set(err, -EINVAL, "there is no array of %s", what);
	for (i = 0; i < elem_sz; i++) {
		if (p[i])
			return err__set(err, -EINVAL, "element 0 of the %s is not zero", what);
	}
	return 0;
}

static int check_arrays(const struct profile *p, struct err *err)
{
	int r;

	if (!strtab__len(&p->strings) || profile__str(p, 0)[0])
		return err__set(err, -EINVAL, "string 0 is not empty");
	r = check_zero("modules", p->modules, p->modules_len, sizeof(*p->modules), err);
	if (!r)
		r = check_zero("frames", p->frames, p->frames_len, sizeof(*p->frames), err);
	if (!r)
		r = check_zero("stacks", p->stacks, p->stacks_len, sizeof(*p->stacks), err);
	if (!r)
		r = check_zero("tasks", p->tasks, p->tasks_len, sizeof(*p->tasks), err);
	if (!r)
		r = check_zero("objects", p->objects, p->objects_len, sizeof(*p->objects), err);
	if (!r)
		r = check_zero("waits", p->waits, p->waits_len, sizeof(*p->waits), err);
	if (!r)
		r = check_zero("hots", p->hots, p->hots_len, sizeof(*p->hots), err);
	if (!r)
		r = check_zero("bins", p->bins, p->bins_len, sizeof(*p->bins), err);
	if (!r)
		r = check_zero("measured waits", p->measured, p->measured_len, sizeof(*p->measured),
			       err);
	return r;
}

static int check_header(const struct profile *p, struct err *err)
{
	const struct profile_header *h = &p->hdr;

	if (!has_str(p, h->host) || !has_str(p, h->kernel) || !has_str(p, h->arch) ||
	    !has_str(p, h->version) || !has_str(p, h->command) || !has_str(p, h->target) ||
	    !has_str(p, h->hooks) || !has_str(p, h->boot) || !has_str(p, h->selection) ||
	    !has_str(p, h->source) || !has_str(p, h->trigger))
		return err__set(err, -EINVAL, "the header has a string that does not exist");
	if (h->unknown & ~(u32)UNKNOWN_ALL || (h->unknown & ~(u32)UNKNOWN_FOLDED && !h->source))
		return err__set(err, -EINVAL, "the header lacks what no import or sum lacks");
	if (h->filtered > 1 || h->idle_known > 1 || h->wakers > 1 ||
	    h->sides & ~(u32)(SIDE_USER | SIDE_KERNEL))
		return err__set(err, -EINVAL, "the header has an unknown flag");
	if (!h->visit_hz != !h->visit_sources || h->visit_sources & ~(u32)VISIT_SOURCES_ALL)
		return err__set(err, -EINVAL, "the header does not say who visited threads");
	if (h->period_min_ns > h->period_ns || h->period_ns > h->period_max_ns ||
	    h->period_max_ns > h->period_sum_ns)
		return err__set(err, -EINVAL, "the periods of the header contradict each other");
	return 0;
}

static int check_modules(const struct profile *p, struct err *err)
{
	u32 i;

	for (i = 1; i < p->modules_len; i++) {
		const struct profile_module *m = &p->modules[i];

		if (m->kind > MODULE_NOTE)
			return err__set(err, -EINVAL, "module %u is of unknown kind %u", i,
					m->kind);
		if (m->has_bias > 1 || (m->bias && !m->has_bias))
			return err__set(err, -EINVAL, "module %u has an impossible bias", i);
		if (!has_str(p, m->path) || !has_str(p, m->build_id))
			return err__set(err, -EINVAL, "module %u has a string that does not exist",
					i);
	}
	return 0;
}

/* A truncation mark is not code, states the reason, and has its name from the start. */
static int check_truncated(const struct profile_frame *f, u32 i, struct err *err)
{
	if (f->flags != FRAME_TRUNCATED)
		return err__set(err, -EINVAL, "frame %u is truncated and code", i);
	if (f->addr == STACK_END_ROOT || f->addr >= STACK_END_CNT)
		return err__set(err, -EINVAL, "frame %u is truncated for no known reason", i);
	if (!f->name)
		return err__set(err, -EINVAL, "frame %u is truncated and has no name", i);
	return 0;
}

static int check_place(const struct profile *p, u32 i, struct err *err)
{
	const struct profile_frame *f = &p->frames[i];

	if (!has_str(p, f->file) || (f->line && !f->file))
		return err__set(err, -EINVAL, "frame %u has a line without a file", i);
	if (f->flags & FRAME_INLINED &&
	    (!f->name || f->flags & ~(u32)(FRAME_INLINED | FRAME_RETURN)))
		return err__set(err, -EINVAL, "frame %u is inlined and has no name, or is more", i);
	return 0;
}

static int check_frames(const struct profile *p, struct err *err)
{
	u32 i;
	int r;

	for (i = 1; i < p->frames_len; i++) {
		const struct profile_frame *f = &p->frames[i];

		if (f->module >= p->modules_len)
			return err__set(err, -EINVAL, "frame %u is in module %u of %u", i,
					f->module, p->modules_len);
		if (!has_str(p, f->name))
			return err__set(err, -EINVAL, "frame %u has a name that does not exist", i);
		if (f->flags & ~(u32)FRAME_FLAGS || f->reason >= FRAME_REASON_CNT)
			return err__set(err, -EINVAL, "frame %u has an unknown flag or reason", i);
		if ((f->reason == FRAME_NAMED) != (f->name != 0))
			return err__set(err, -EINVAL,
					"frame %u has a name and a reason for none, or neither", i);
		r = f->flags & FRAME_TRUNCATED ? check_truncated(f, i, err) : 0;
		if (!r)
			r = check_place(p, i, err);
		if (r)
			return r;
	}
	return 0;
}

static int check_stacks(const struct profile *p, struct err *err)
{
	u32 i;

	for (i = 1; i < p->stacks_len; i++) {
		const struct profile_stack *s = &p->stacks[i];

		if (s->parent >= i)
			return err__set(err, -EINVAL, "stack %u comes before its parent %u", i,
					s->parent);
		if (!s->frame || s->frame >= p->frames_len)
			return err__set(err, -EINVAL, "stack %u has frame %u of %u", i, s->frame,
					p->frames_len);
		if (s->parent && p->frames[s->frame].flags & FRAME_TRUNCATED &&
		    p->frames[s->frame].addr != STACK_END_GAP)
			return err__set(err, -EINVAL, "stack %u goes on behind a truncated frame",
					i);
		if (s->depth != p->stacks[s->parent].depth + 1)
			return err__set(err, -EINVAL, "stack %u is %u deep, its parent %u", i,
					s->depth, p->stacks[s->parent].depth);
		if (s->flags & ~(u32)STACK_FLAGS)
			return err__set(err, -EINVAL, "stack %u has an unknown flag", i);
	}
	return 0;
}

static int check_tasks(const struct profile *p, struct err *err)
{
	u32 i, s;

	for (i = 1; i < p->tasks_len; i++) {
		const struct profile_task *t = &p->tasks[i];
		wide sum = (wide)t->on_ns + t->preempted_ns + t->runq_ns + t->unaccounted_ns;

		if (!has_str(p, t->comm) || !has_str(p, t->group_comm) || !has_str(p, t->cgroup) ||
		    !has_str(p, t->container))
			return err__set(err, -EINVAL, "task %u has a string that does not exist",
					i);
		if (t->flags & ~(u32)TASK_FLAGS)
			return err__set(err, -EINVAL, "task %u has an unknown flag", i);
		for (s = 0; s < PROFILE_STATES; s++)
			sum += t->blocked_ns[s];
		if (sum > UINT64_MAX)
			return err__set(err, -EINVAL, "the parts of task %u overflow", i);
		if (sum != t->wall_ns)
			return err__set(err, -EINVAL,
					"task %u (tid %u) has %llu ns in its parts, %llu ns in all",
					i, t->tid, (u64)sum, t->wall_ns);
	}
	return 0;
}

static int check_objects(const struct profile *p, struct err *err)
{
	u32 i;

	for (i = 1; i < p->objects_len; i++) {
		const struct profile_object *o = &p->objects[i];

		if (!profile_object__is_valid(o))
			return err__set(err, -EINVAL, "object %u is of an unknown kind", i);
		if (!has_str(p, o->name) || !has_str(p, o->peer) || !has_str(p, o->file))
			return err__set(err, -EINVAL, "object %u has a string that does not exist",
					i);
	}
	return 0;
}

int check_row(const struct profile *p, const struct row_type *type, const void *row, u32 i,
	      struct err *err)
{
	const struct row_limits limits = {
		.tasks = p->tasks_len,
		.stacks = p->stacks_len,
		.objects = p->objects_len,
		.wakers = p->wakers_len,
	};
	const char *what = row_type__missing(type, row, &limits);
	u32 c;

	if (what)
		return err__set(err, -EINVAL, "%s %u has %s that does not exist", type->noun, i,
				what);
	for (c = 0; c < type->columns_len; c++) {
		const struct row_column *col = &type->columns[c];

		if (col->is_kernel &&
		    profile__stack_end(p, (u32)row_column__get(col, row), NULL) != STACK_END_ROOT)
			return err__set(err, -EINVAL, "the kernel stack of %s %u is truncated",
					type->noun, i);
	}
	return 0;
}

static int check_owner(const struct profile *p, u32 i, struct err *err)
{
	const struct profile_wait *w = &p->waits[i];

	if (w->owner && p->tasks[w->owner].tid != w->owner_tid)
		return err__set(err, -EINVAL, "wait %u is for another thread than it says", i);
	return 0;
}

static int check_hist(const struct profile_wait *w, u32 i, struct err *err)
{
	u64 sum = 0;
	u32 h;

	for (h = 0; h < PROFILE_HIST_LEN; h++)
		sum += w->hist[h];
	if (w->flags & WAIT_NO_LENGTHS && (sum || w->max_ns))
		return err__set(err, -EINVAL, "wait %u is a rest and yet knows lengths", i);
	if (w->flags & WAIT_VISITED && (w->count || sum || w->max_ns))
		return err__set(err, -EINVAL, "wait %u was visited and yet counted", i);
	if (sum != w->count && !(w->flags & WAIT_NO_LENGTHS))
		return err__set(err, -EINVAL, "wait %u counts %llu, its histogram %llu", i,
				w->count, sum);
	return 0;
}

/*
 * A chosen wait stands for itself, or for at most two periods. It adds less than the square of that
 * to the variance.
 */
static int check_samples(const struct profile *p, u32 i, struct err *err)
{
	const struct profile_wait *w = &p->waits[i];
	wide period_us = p->hdr.period_max_ns / 1000;
	bool together = profile_header__is_of_tasks(&p->hdr); /* many tasks may move as one */

	if (w->flags & WAIT_NO_LENGTHS) {
		if (w->samples || w->var_us2)
			return err__set(err, -EINVAL, "wait %u is a rest and yet was chosen", i);
		return 0;
	}
	if (p->hdr.visit_hz && !w->count && !(w->flags & WAIT_VISITED)) {
		if (!w->samples || w->var_us2 > w->samples * 4 * period_us * period_us)
			return err__set(err, -EINVAL,
					"wait %u was not seen, or its variance is too large", i);
		return 0;
	}
	if (!(w->flags & WAIT_VISITED) && (w->samples > w->count || !w->samples != !w->count ||
					   (!profile__is_sampled(p) && w->samples != w->count)))
		return err__set(err, -EINVAL, "wait %u counts %llu with %llu samples", i, w->count,
				w->samples);
	if (!together && w->var_us2 > w->samples * 4 * period_us * period_us)
		return err__set(err, -EINVAL, "the variance of wait %u is too large", i);
	return 0;
}

static int check_waits(const struct profile *p, struct err *err)
{
	u32 i;
	int r;

	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];

		r = check_row(p, &wait_row_type, w, i, err);
		if (!r && w->max_ns > (wide)w->blocked_ns + w->runq_ns)
			r = err__set(err, -EINVAL, "the longest of wait %u exceeds its sum", i);
		if (!r)
			r = check_owner(p, i, err);
		if (!r)
			r = check_hist(w, i, err);
		if (!r)
			r = check_samples(p, i, err);
		if (r)
			return r;
	}
	return 0;
}

/* The listed time of one task. */
struct listed {
	u64 blocked_ns;
	u64 runq_ns;
};

static int sum_listed(const struct profile *p, struct listed *by_task, struct err *err)
{
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];
		struct listed *l = &by_task[w->task];

		if (__builtin_add_overflow(l->blocked_ns, w->blocked_ns, &l->blocked_ns) ||
		    __builtin_add_overflow(l->runq_ns, w->runq_ns, &l->runq_ns))
			return err__set(err, -EINVAL, "the waits of task %u overflow", w->task);
	}
	return 0;
}

/* Wait filters exclude waits on purpose; otherwise nothing may be missing. */
static int compare(const struct profile *p, u32 task, const char *what, u64 listed, u64 total,
		   struct err *err)
{
	if (listed == total || (p->hdr.filtered && listed < total))
		return 0;
	return err__set(err, -EINVAL,
			"the waits of task %u (tid %u) list %llu ns %s, its totals have %llu ns",
			task, p->tasks[task].tid, listed, what, total);
}

/*
 * The listed short waits of a thread are a whole number of periods: one for each completed period,
 * and one or none for the last. Their sum is within one period of the truth for each period used.
 * The split is not bounded like this.
 */
static int compare_sampled(const struct profile *p, u32 task, wide listed, wide total,
			   struct err *err)
{
	u32 parts = p->tasks[task].parts;
	wide bound = (wide)p->hdr.period_sum_ns * (parts ? parts : 1);

	if (listed <= total + bound && (p->hdr.filtered || total <= listed + bound))
		return 0;
	return err__set(err, -EINVAL,
			"the waits of task %u (tid %u) list %llu ns, its totals have %llu ns: "
			"sampling explains %llu ns",
			task, p->tasks[task].tid, (u64)listed, (u64)total, (u64)bound);
}

static int compare_task(const struct profile *p, u32 task, const struct listed *l, struct err *err)
{
	const struct profile_task *t = &p->tasks[task];
	u64 blocked = 0;
	u32 s;
	int r;

	for (s = 0; s < PROFILE_STATES; s++)
		blocked += t->blocked_ns[s];
	if (profile__is_sampled(p))
		return compare_sampled(p, task, (wide)l->blocked_ns + l->runq_ns,
				       (wide)blocked + t->preempted_ns + t->runq_ns, err);
	r = compare(p, task, "blocked", l->blocked_ns, blocked, err);
	if (r)
		return r;
	return compare(p, task, "waiting for a CPU", l->runq_ns, t->preempted_ns + t->runq_ns, err);
}

/* Task 0 is for waits whose thread is unknown: they have no totals. */
static int check_listed(const struct profile *p, struct err *err)
{
	struct listed *by_task;
	u32 i;
	int r;

	by_task = mem_array(p->tasks_len, sizeof(*by_task));
	if (!by_task)
		return err__nomem(err);
	r = sum_listed(p, by_task, err);
	for (i = 1; i < p->tasks_len && !r; i++)
		r = compare_task(p, i, &by_task[i], err);
	mem_free(by_task);
	return r;
}

static int check_intervals(const struct profile *p, struct err *err)
{
	u32 i;

	for (i = 0; i < p->intervals_len; i++) {
		const struct profile_interval *iv = &p->intervals[i];

		if (!iv->length_ns || (i && iv->begin_ns <= iv[-1].begin_ns))
			return err__set(err, -EINVAL,
					"interval %u is empty, or not behind the one before", i);
	}
	return 0;
}

/* A row has either time or the mark that there was no sample, never both, and always a thread. */
static int check_hot(const struct profile *p, u32 i, struct err *err)
{
	const struct profile_hot *h = &p->hots[i];
	wide on_us;
	int r = check_row(p, &hot_row_type, h, i, err);

	if (r)
		return r;
	if (h->flags & HOT_NOT_SAMPLED ? h->samples || h->ustack || h->kstack : !h->samples)
		return err__set(err, -EINVAL, "hot %u has %llu samples, and should not", i,
				h->samples);
	on_us = p->tasks[h->task].on_ns / 1000 + 1;
	if (h->var_us2 > on_us * on_us)
		return err__set(err, -EINVAL, "the variance of hot %u is too large", i);
	return 0;
}

/* To the ns, because nothing is estimated; a filter excludes some. */
static int compare_hot(const struct profile *p, const u64 *by_task, struct err *err)
{
	u32 i;

	for (i = 1; i < p->tasks_len; i++) {
		const struct profile_task *t = &p->tasks[i];

		if (by_task[i] != t->on_ns && !(p->hdr.filtered && by_task[i] < t->on_ns))
			return err__set(err, -EINVAL,
					"task %u (tid %u) was on a CPU for %llu ns, its hots list "
					"%llu ns",
					i, t->tid, t->on_ns, by_task[i]);
	}
	return 0;
}

static bool is_in_order(const struct profile_replicate *before, const struct profile_replicate *r)
{
	return before->wait < r->wait ||
	       (before->wait == r->wait && before->interval < r->interval);
}

static int check_replicates(const struct profile *p, struct err *err)
{
	int r = check_intervals(p, err);
	wide sum = 0;
	u32 i;

	for (i = 0; i < p->replicates_len && !r; i++) {
		const struct profile_replicate *rep = &p->replicates[i];
		const struct profile_wait *w;

		if (!rep->wait || rep->wait >= p->waits_len || rep->interval >= p->intervals_len)
			return err__set(err, -EINVAL,
					"replicate %u is of a wait or interval that does not exist",
					i);
		if (!rep->ns || (i && !is_in_order(rep - 1, rep)))
			return err__set(err, -EINVAL, "replicate %u is 0, or not in order", i);
		w = &p->waits[rep->wait];
		sum = i && rep[-1].wait == rep->wait ? sum + rep->ns : rep->ns;
		if (sum > (wide)w->blocked_ns + w->runq_ns)
			return err__set(err, -EINVAL,
					"the replicates of wait %u are more than its sum",
					rep->wait);
	}
	return r;
}

static int check_hots(const struct profile *p, struct err *err)
{
	u64 *by_task;
	u32 i;
	int r = 0;

	if (!p->hdr.on_cpu_hz && (p->hots_len > 1 || p->hdr.on_cpu_samples))
		return err__set(err, -EINVAL, "there are hots, and CPUs were not sampled");
	if (!p->hdr.on_cpu_hz)
		return 0;
	by_task = mem_array(p->tasks_len, sizeof(*by_task));
	if (!by_task)
		return err__nomem(err);
	for (i = 1; i < p->hots_len && !r; i++) {
		const struct profile_hot *h = &p->hots[i];

		r = check_hot(p, i, err);
		if (!r && __builtin_add_overflow(by_task[h->task], h->on_ns, &by_task[h->task]))
			r = err__set(err, -EINVAL, "the hots of task %u overflow", h->task);
	}
	if (!r)
		r = compare_hot(p, by_task, err);
	mem_free(by_task);
	return r;
}

static int check_one_measured(const struct profile *p, u32 i, struct err *err)
{
	const struct profile_measured *m = &p->measured[i];
	u64 count = 0;
	int r = check_row(p, &measured_row_type, m, i, err);

	for (u32 b = 0; b < MEASURED_HIST_LEN; b++)
		count += m->hist[b];
	if (!r && (!m->count || m->count != count))
		r = err__set(err, -EINVAL, "the histogram of measured wait %u has %llu of %llu", i,
			     count, m->count);
	if (!r && m->max_ns > m->total_ns)
		r = err__set(err, -EINVAL, "the longest of measured wait %u exceeds its sum", i);
	return r;
}

static int check_measured(const struct profile *p, struct err *err)
{
	int r = 0;

	if (!p->hdr.measured && p->measured_len > 1)
		return err__set(err, -EINVAL, "there are measured waits, and none were measured");
	for (u32 i = 1; i < p->measured_len && !r; i++)
		r = check_one_measured(p, i, err);
	return r;
}

int profile__check(const struct profile *p, struct err *err)
{
	static int (*const checks[])(const struct profile *, struct err *) = {
		check_arrays, check_header,	check_modules, check_frames,
		check_stacks, check_tasks,	check_objects, check_waits,
		check_listed, check_replicates, check_hots,    bins_check,
		check_wakers, check_moments,	check_marks,   check_measured,
	};
	size_t i;
	int r = 0;

	for (i = 0; i < ARRAY_LEN(checks) && !r; i++)
		r = checks[i](p, err);
	return r;
}
