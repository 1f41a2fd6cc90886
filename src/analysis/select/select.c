/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each filter (select_filters.c) is counted, so that an error can name the one that left nothing.
 *
 * The result goes through a builder, because a part of a profile must pass the same checks as any
 * other: analyses and formats know nothing about selections.
 */
#include "analysis/select/select_priv.h"

#include <errno.h>
#include <stdio.h>

#include "analysis/cause/cause.h"
#include "analysis/model/idle_time.h"
#include "analysis/name/pattern.h"
#include "analysis/view/wait_stacks.h"
#include "base/map64.h"
#include "base/mem.h"
#include "base/sink.h"
#include "base/text/units.h"
#include "profile/windows/part.h"

static bool has_bounds(const struct select_options *opt)
{
	return opt->min.ns || opt->min.ppm || opt->max.ns || opt->max.ppm;
}

static bool chooses_waits(const struct select_options *opt)
{
	size_t i;

	for (i = 0; i < select_wait_filters_len; i++) {
		if (select_wait_filters[i].is_on(opt))
			return true;
	}
	return has_bounds(opt);
}

bool select_options__any(const struct select_options *opt)
{
	size_t i;

	for (i = 0; i < select_task_filters_len; i++) {
		if (select_task_filters[i].is_on(opt))
			return true;
	}
	return chooses_waits(opt);
}

static int filter_tasks(struct selecting *s, const struct select_task_filter *f, struct err *err)
{
	u32 before = 0, after = 0, i;

	for (i = 1; i < s->p->tasks_len; i++) {
		before += s->tasks[i];
		s->tasks[i] = s->tasks[i] && f->lets(s, &s->p->tasks[i]);
		after += s->tasks[i];
	}
	s->tasks[0] = false; /* waits without a thread belong to nobody */
	if (after)
		return 0;
	return err__set(err, -ENOENT, "nothing selected: %s matches none of %u thread%s", f->option,
			before, units_plural(before));
}

/* Suggests a full name that contains the given text. */
static int nothing_left(const struct selecting *s, const char *option, u64 before, struct err *err)
{
	bool under = strcmp(option, "--under") == 0;
	const char *like = "";
	size_t i;

	for (i = 0; under && i < s->opt->under.len && !*like; i++)
		like = select_frames_like(s->p, s->opt->under.at[i]);
	return err__set(err, -ENOENT,
			"nothing selected: %s matches none of %llu sum%s of waits%s%s%s", option,
			before, units_plural(before), *like ? "; there is a frame '" : "", like,
			*like ? "'" : "");
}

static int filter_waits(struct selecting *s, const struct select_wait_filter *f, struct err *err)
{
	u64 before = s->waits_cnt;
	u32 i;

	s->waits_cnt = 0;
	for (i = 1; i < s->p->waits_len; i++) {
		s->waits[i] = s->waits[i] && f->lets(s, i);
		s->waits_cnt += s->waits[i];
	}
	return s->waits_cnt ? 0 : nothing_left(s, f->option, before, err);
}

/* The waits of the remaining threads. */
static void begin_waits(struct selecting *s)
{
	u32 i;

	for (i = 1; i < s->p->waits_len; i++) {
		s->waits[i] = s->tasks[s->p->waits[i].task];
		s->waits_cnt += s->waits[i];
	}
}

static u64 bound_ns(const struct select_bound *bound, u64 total_ns)
{
	return bound->ppm ? (u64)((unsigned __int128)total_ns * bound->ppm / 1000000) : bound->ns;
}

static u64 stacks_key(const struct profile_wait *w)
{
	return (u64)w->ustack << 32 | w->kstack;
}

/* Waits and time on a CPU are not parts of one sum. */
static bool is_bound(const struct selecting *s, u32 row, u32 kind)
{
	return s->waits[row] && (s->p->waits[row].flags & WAIT_ON_CPU) == kind;
}

static int sum_stacks(const struct selecting *s, u32 kind, struct map64 *sums, u64 *ret_total_ns)
{
	u32 i;

	*ret_total_ns = 0;
	for (i = 1; i < s->p->waits_len; i++) {
		const struct profile_wait *w = &s->p->waits[i];
		u64 sum = 0;

		if (!is_bound(s, i, kind))
			continue;
		map64__get(sums, stacks_key(w), &sum);
		*ret_total_ns += wait_ns(w);
		if (map64__set(sums, stacks_key(w), sum + wait_ns(w)))
			return -ENOMEM;
	}
	return 0;
}

/* `kind`: WAIT_ON_CPU, or 0. */
static int bound_kind(struct selecting *s, u32 kind)
{
	u64 total_ns, min_ns, max_ns;
	struct map64 sums;
	u32 i;
	int r;

	map64__init(&sums);
	r = sum_stacks(s, kind, &sums, &total_ns);
	min_ns = bound_ns(&s->opt->min, total_ns);
	max_ns = bound_ns(&s->opt->max, total_ns);
	for (i = 1; i < s->p->waits_len && !r; i++) {
		u64 sum = 0;

		if (!is_bound(s, i, kind))
			continue;
		map64__get(&sums, stacks_key(&s->p->waits[i]), &sum);
		s->waits[i] = sum >= min_ns && (!max_ns || sum <= max_ns);
		s->waits_cnt += s->waits[i];
	}
	map64__done(&sums);
	return r;
}

static int filter_bounds(struct selecting *s, struct err *err)
{
	u64 before = s->waits_cnt;

	s->waits_cnt = 0;
	if (bound_kind(s, 0) || bound_kind(s, WAIT_ON_CPU))
		return err__nomem(err);
	return s->waits_cnt ? 0 : nothing_left(s, "--min or --max", before, err);
}

static int choose(struct selecting *s, struct err *err)
{
	size_t i;
	int r = 0;

	memset(s->tasks, true, s->p->tasks_len * sizeof(*s->tasks));
	for (i = 0; i < select_task_filters_len && !r; i++) {
		if (select_task_filters[i].is_on(s->opt))
			r = filter_tasks(s, &select_task_filters[i], err);
	}
	if (!r)
		begin_waits(s);
	for (i = 0; i < select_wait_filters_len && !r; i++) {
		if (select_wait_filters[i].is_on(s->opt))
			r = filter_waits(s, &select_wait_filters[i], err);
	}
	return r || !has_bounds(s->opt) ? r : filter_bounds(s, err);
}

static int join_words(struct selecting *s, struct builder *b, struct profile_header *h)
{
	const char *before = profile__str(s->p, s->p->hdr.selection);
	struct sink words;
	int r;

	sink__init_mem(&words);
	sink__printf(&words, "%s%s%s", before, *before ? " " : "",
		     s->opt->words ? s->opt->words : "");
	r = sink__finish(&words, NULL);
	if (!r)
		r = builder__str(b, words.len ? words.buf : "", &h->selection);
	sink__done(&words);
	return r;
}

static bool keeps_all_tasks(const struct selecting *s)
{
	u32 i;

	for (i = 1; i < s->p->tasks_len; i++) {
		if (!s->tasks[i])
			return false;
	}
	return true;
}

/* Waits for work that were not selected stay waits for work in the budget. */
static void keep_idle(const struct selecting *s, struct profile_header *h)
{
	struct idle_time idle = { 0 };
	bool known = !s->p->hdr.filtered && chooses_waits(s->opt);

	/* a selection of a selection has only one sum for all threads */
	if (s->p->hdr.idle_known && keeps_all_tasks(s))
		return;
	if (known)
		idle = idle_time_of(s->p, &s->causes, s->tasks);
	h->idle_known = known;
	memcpy(h->idle_ns, idle.ns, sizeof(h->idle_ns));
	h->idle_var_us2 = idle.var_us2;
}

static int fill_header(struct selecting *s, struct part *pt)
{
	struct profile_header *h = builder__header(pt->b);
	struct profile_budget budget;
	int r = part__header(pt, h);

	if (!r)
		r = join_words(s, pt->b, h);
	if (!r && !s->p->hdr.selection) {
		r = profile__budget(s->whole, &budget);
		h->whole_off_ns = budget.listed_blocked_ns + budget.listed_runq_ns;
		h->whole_wall_ns = budget.wall_ns;
		h->whole_on_ns = budget.listed_on_ns;
		h->whole_threads = budget.threads;
	}
	keep_idle(s, h);
	h->filtered |= chooses_waits(s->opt);
	h->measured &= !chooses_waits(s->opt);
	if (chooses_waits(s->opt))
		h->hist_unit_ns = 0;
	return r;
}

static int keep_tasks(struct selecting *s, struct part *pt, u32 *task_ids)
{
	bool without_hist = chooses_waits(s->opt);
	struct profile_task t;
	u32 i;
	int r = 0;

	for (i = 1; i < s->p->tasks_len && !r; i++) {
		if (!s->tasks[i])
			continue;
		r = part__task(pt, i, &t);
		if (without_hist)
			t.hist_on_ns = t.hist_runq_ns = t.hist_blocked_ns = 0;
		if (!r)
			r = builder__task(pt->b, &t, &task_ids[i]);
	}
	for (i = 1; i < s->p->bins_len && !r && !without_hist; i++) {
		if (s->tasks[s->p->bins[i].task])
			r = part__bin(pt, i, task_ids[s->p->bins[i].task]);
	}
	return r;
}

static int keep(struct selecting *s, struct part *pt)
{
	u32 *task_ids = mem_array(s->p->tasks_len, sizeof(*task_ids)), i;
	int r = task_ids ? fill_header(s, pt) : -ENOMEM;

	if (!r)
		r = keep_tasks(s, pt, task_ids);
	for (i = 1; i < s->p->waits_len && !r; i++) {
		u32 waits_len = s->whole->waits_len;

		if (s->waits[i])
			r = i < waits_len ? part__wait(pt, i, task_ids) :
					    part__hot(pt, i - waits_len + 1, task_ids);
	}
	if (!r)
		r = select_wakers__keep(&s->wakers, s->waits, pt, task_ids);
	if (!r)
		r = part__replicates(pt, 0);
	if (!r)
		r = part__moments(pt, 0, task_ids);
	if (!r)
		r = part__marks(pt, 0, task_ids);
	for (i = 1; i < s->whole->measured_len && !r && !chooses_waits(s->opt); i++) {
		if (s->tasks[s->whole->measured[i].task])
			r = part__measured(pt, i, task_ids);
	}
	if (!r)
		r = part__losses(pt);
	mem_free(task_ids);
	return r;
}

static int build(struct selecting *s, struct profile **ret, struct err *err)
{
	struct builder *b = builder__new();
	struct part pt;
	int r = b ? part__init(&pt, s->whole, b) : -ENOMEM;

	if (!b)
		return err__nomem(err);
	if (!r)
		r = keep(s, &pt);
	/* the builder wrote the message for what it refused */
	r = r && r != -EINVAL ? err__nomem(err) : builder__freeze(b, ret, err);
	if (!r && s->p->losses[LOSS_UNNAMED].events)
		profile__count_unnamed(*ret);
	part__done(&pt);
	builder__free(b);
	return r;
}

static int init_patterns(const struct selecting *s, const struct select_texts *texts,
			 struct vec *patterns, struct err *err)
{
	return patterns__init(patterns, texts->at, texts->len, s->opt->regex, err);
}

static int prepare(struct selecting *s, struct err *err)
{
	int r = select_wakers__init(&s->wakers, s->whole, s->opt, err);

	s->whole = s->wakers.p;
	if (!r)
		r = viewed__init(&s->view, s->whole, VIEW_WALL, err);
	if (r)
		return r;
	s->p = s->view.p;
	if (!r)
		r = causes__init(&s->causes, s->p, s->opt->rules, err);
	if (!r)
		r = init_patterns(s, &s->opt->comms, &s->comms, err);
	if (!r)
		r = init_patterns(s, &s->opt->cgroups, &s->cgroups, err);
	if (!r)
		r = init_patterns(s, &s->opt->units, &s->units, err);
	if (!r)
		r = init_patterns(s, &s->opt->containers, &s->containers, err);
	if (!r)
		r = init_patterns(s, &s->opt->pods, &s->pods, err);
	if (!r)
		r = init_patterns(s, &s->opt->objects, &s->objects, err);
	if (!r)
		r = init_patterns(s, &s->opt->owners, &s->owners, err);
	if (!r)
		r = select_frames__init(&s->frames, s->p, s->opt, err);
	s->tasks = mem_array(s->p->tasks_len, sizeof(*s->tasks));
	s->waits = mem_array(s->p->waits_len, sizeof(*s->waits));
	if (!r && (!s->tasks || !s->waits))
		r = err__nomem(err);
	return r;
}

int select_profile(const struct profile *p, const struct select_options *opt, struct profile **ret,
		   struct err *err)
{
	struct selecting s = { .whole = p, .opt = opt };
	int r;

	r = prepare(&s, err);
	if (!r)
		r = choose(&s, err);
	if (!r)
		r = build(&s, ret, err);
	patterns__done(&s.comms);
	patterns__done(&s.cgroups);
	patterns__done(&s.units);
	patterns__done(&s.containers);
	patterns__done(&s.pods);
	patterns__done(&s.objects);
	patterns__done(&s.owners);
	causes__done(&s.causes);
	select_frames__done(&s.frames);
	viewed__done(&s.view);
	select_wakers__done(&s.wakers);
	mem_free(s.tasks);
	mem_free(s.waits);
	return r;
}
