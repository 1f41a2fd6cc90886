/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Candidates come from the critical path first. What happens when one is shortened, and another
 * path becomes the critical one, only a replay can tell.
 *
 * A wait that is not on the path may matter too: while the thread waits for one child, another one
 * waits for a lock, and is late when the thread comes to wait for it. So the longest others are
 * tried, and shown if that gains something.
 *
 * A replay does not take exactly as long as what was recorded: CPUs are scheduled by other rules.
 * Predictions are therefore the measured time plus the difference of two replays.
 */
#include "analysis/path/whatif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/name/object_label.h"
#include "analysis/name/place.h"
#include "analysis/path/replay.h"
#include "base/intern.h"
#include "base/mem.h"

#define ROWS 20
/* Candidates that are not on the path: so many are tried, and have to gain so much. */
#define OTHERS_TRIED 20
#define OTHERS_PER_MILLE 5

const u32 whatif_percent[WHATIF_STEPS] = { 25, 50, 100 };

struct candidate_key {
	u32 cause;
	u32 object; /* 0: it says nothing */
	u32 place; /* of the places; 0 if there is an object */
	u32 one; /* so that no key is all zero */
};

struct candidate {
	struct candidate_key key;
	u32 waits;
	u32 stamp; /* of the last part that counted */
	u64 path_ns;
	u64 blocked_ns; /* of all of its waits */
};

struct asking {
	const struct lanes *lanes;
	const struct profile *p;
	const struct whatif_options *opt;
	struct whatif *ret;
	struct labels labels;
	struct places places;
	struct causes causes;
	struct intern candidates; /* struct candidate */
	u32 *of_wait; /* candidate by wait */
	u8 *woken; /* by wait: it may be shortened where a thread ended it */
	u8 *percent;
	struct critical_path path;
	struct replay replay;
};

static int find_place(struct asking *s, const struct profile_wait *w, u32 *ret)
{
	int r = places__user(&s->places, w->ustack, ret);

	if (!r && !*places__text(&s->places, *ret))
		r = places__kernel(&s->places, w->kstack, ret);
	return r;
}

static int classify(struct asking *s, u32 wait)
{
	const struct profile_wait *w = &s->p->waits[wait];
	struct candidate c = { .key = { .cause = causes__of(&s->causes, wait), .one = 1 } };
	const struct cause_row *row = cause_row((enum cause)c.key.cause);
	int r = 0;

	s->woken[wait] = row->family == CAUSE_FAMILY_LOCK;
	if (object_says_something(s->p, w->object))
		c.key.object = w->object;
	else
		r = find_place(s, w, &c.key.place);
	if (!r)
		r = intern__add(&s->candidates, &c, &s->of_wait[wait]);
	if (!r) {
		struct candidate *to = intern__at(&s->candidates, s->of_wait[wait]);

		to->waits += (u32)w->count;
		to->blocked_ns += w->blocked_ns;
	}
	return r;
}

/* A part counts once, even if the path was in two waits of a candidate. */
static void credit(struct asking *s, u32 moment, const struct path_part *part, u32 stamp)
{
	struct candidate *c = intern__at(&s->candidates, s->of_wait[s->p->moments[moment].wait]);

	if (c->stamp == stamp)
		return;
	c->stamp = stamp;
	c->path_ns += part->ns;
}

static void credit_part(struct asking *s, u32 idx)
{
	const struct path_part *part = vec__at(&s->path.parts, idx);
	const struct path_link *l = vec__at(&s->path.links, part->link);

	if (part->kind == PATH_RUNNING)
		s->ret->on_cpu_ns += part->ns;
	else if (part->kind == PATH_RUNQ)
		s->ret->runq_ns += part->ns;
	else if (part->moment)
		credit(s, part->moment - 1, part, idx + 1);
	if (!path_kind_is_known((enum path_kind)part->kind))
		s->ret->unknown_ns += part->ns;
	for (; l->depth; l = vec__at(&s->path.links, l->parent)) {
		if (s->woken[s->p->moments[l->moment].wait])
			credit(s, l->moment, part, idx + 1);
	}
}

/*
 * What the thread takes if the waits of a candidate are shortened; 0: none are. `cpus` 0: nobody
 * waits for one.
 */
static int replay(struct asking *s, u32 candidate, u32 percent, u32 cpus, u64 *ret_ns)
{
	struct replay_question q = {
		.lane = s->opt->range.lane,
		.cpus = cpus ? cpus : s->lanes->len,
		.is_alone = !cpus,
		.percent = candidate ? s->percent : NULL,
		.woken = s->woken,
	};
	struct replay_answer answer;
	u32 i;
	int r;

	for (i = 1; candidate && i < s->p->waits_len; i++)
		s->percent[i] = s->of_wait[i] == candidate ? (u8)percent : 0;
	r = replay__run(&s->replay, &q, &answer);
	*ret_ns = answer.ns;
	s->ret->forced += answer.forced;
	return r;
}

/* The same as the measured time changes. */
static int predict(struct asking *s, u32 candidate, u32 percent, u32 cpus, u64 *ret_ns)
{
	u64 base_ns = s->ret->replay_ns, ns;
	int r = replay(s, candidate, percent, cpus, &ns);

	*ret_ns = s->ret->measured_ns + ns;
	*ret_ns = *ret_ns > base_ns ? *ret_ns - base_ns : 0;
	return r;
}

static int most_first(const void *a, const void *b, void *arg)
{
	const struct intern *candidates = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	const struct candidate *c = intern__at(candidates, x), *d = intern__at(candidates, y);

	if (c->path_ns != d->path_ns)
		return c->path_ns > d->path_ns ? -1 : 1;
	if (c->blocked_ns != d->blocked_ns)
		return c->blocked_ns > d->blocked_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int fill_row(struct asking *s, u32 id, struct arena *a, struct whatif_row *row)
{
	const struct candidate *c = intern__at(&s->candidates, id);
	char object[OBJECT_LABEL_SZ];
	u32 i;
	int r = 0;

	object_label_without_device(s->p, c->key.object, object, sizeof(object));
	*row = (struct whatif_row){
		.cause = c->key.cause,
		.object = arena__strdup(a, object),
		.place = arena__strdup(a, places__text(&s->places, c->key.place)),
		.waits = c->waits,
		.path_ns = c->path_ns,
	};
	if (!row->object || !row->place)
		return -ENOMEM;
	for (i = 0; i < WHATIF_STEPS && !r; i++)
		r = predict(s, id, whatif_percent[i], s->ret->cpus, &row->ns[i]);
	return r;
}

/* Whether a candidate has a row: 1 or 0, or -ENOMEM. `tried` counts those beside the path. */
static int is_shown(struct asking *s, u32 id, u32 *tried)
{
	const struct candidate *c = intern__at(&s->candidates, id);
	u64 ns;
	int r;

	if (c->path_ns)
		return 1;
	if (!c->blocked_ns || ++*tried > OTHERS_TRIED)
		return 0;
	r = predict(s, id, 100, s->ret->cpus, &ns);
	return r ? r : ns + s->ret->cpus_ns / 1000 * OTHERS_PER_MILLE < s->ret->cpus_ns;
}

static int fill_rows(struct asking *s, struct arena *a)
{
	u32 len = intern__len(&s->candidates) - 1, rows = s->opt->rows ? s->opt->rows : ROWS, i;
	u32 tried = 0;
	u32 *ids = mem_array((size_t)len + 1, sizeof(*ids));
	int r = 0;

	s->ret->rows = arena__array(a, (size_t)rows + 1, sizeof(*s->ret->rows));
	if (!ids || !s->ret->rows)
		r = -ENOMEM;
	for (i = 0; i < len && !r; i++)
		ids[i] = i + 1;
	if (!r)
		qsort_r(ids, len, sizeof(*ids), most_first, &s->candidates);
	for (i = 0; i < len && s->ret->len < rows && r >= 0; i++) {
		r = is_shown(s, ids[i], &tried);
		if (r > 0)
			r = fill_row(s, ids[i], a, &s->ret->rows[s->ret->len++]);
	}
	mem_free(ids);
	return r < 0 ? r : 0;
}

static int answer(struct asking *s, struct arena *a)
{
	struct whatif *w = s->ret;
	u32 i;
	int r = 0;

	for (i = 1; i < s->p->waits_len && !r; i++)
		r = classify(s, i);
	for (i = 0; i < s->path.parts.len && !r; i++)
		credit_part(s, i);
	w->measured_ns = s->opt->range.end_ns - s->opt->range.begin_ns;
	w->recorded_cpus = s->p->hdr.ncpu ? s->p->hdr.ncpu : s->lanes->len;
	w->cpus = s->opt->cpus ? s->opt->cpus : w->recorded_cpus;
	if (!r)
		r = replay(s, 0, 0, w->recorded_cpus, &w->replay_ns);
	if (!r)
		r = predict(s, 0, 0, w->cpus, &w->cpus_ns);
	if (!r)
		r = predict(s, 0, 0, 2 * w->cpus, &w->twice_ns);
	if (!r)
		r = predict(s, 0, 0, 0, &w->all_ns);
	return r ? r : fill_rows(s, a);
}

static int begin(struct asking *s, struct cause_memo *memo)
{
	int r = causes__recall(&s->causes, s->p, memo, NULL);

	if (!r)
		r = labels__init(&s->labels, s->p, NULL);
	if (!r)
		r = places__init(&s->places, s->p, &s->labels, NULL);
	if (!r)
		r = intern__init(&s->candidates, sizeof(struct candidate),
				 sizeof(struct candidate_key));
	if (!r)
		r = critical_path__init(&s->path, s->lanes, s->opt->range);
	if (!r)
		r = replay__init(&s->replay, s->lanes);
	s->of_wait = mem_array(s->p->waits_len, sizeof(*s->of_wait));
	s->woken = mem_array(s->p->waits_len, sizeof(*s->woken));
	s->percent = mem_array(s->p->waits_len, sizeof(*s->percent));
	return s->of_wait && s->woken && s->percent ? r : -ENOMEM;
}

int whatif__build(const struct lanes *lanes, const struct whatif_options *opt,
		  struct cause_memo *memo, struct arena *a, struct whatif *ret, struct err *err)
{
	struct asking s = { .lanes = lanes, .p = lanes->p, .opt = opt, .ret = ret };
	int r;

	memset(ret, 0, sizeof(*ret));
	r = begin(&s, memo);
	if (!r)
		r = answer(&s, a);
	replay__done(&s.replay);
	critical_path__done(&s.path);
	intern__done(&s.candidates);
	mem_free(s.of_wait);
	mem_free(s.woken);
	mem_free(s.percent);
	places__done(&s.places);
	labels__done(&s.labels);
	causes__done(&s.causes);
	return r ? err__nomem(err) : 0;
}
