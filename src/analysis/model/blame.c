/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wakes have the parts of waits that somebody ended, and what a wait has beyond its wakes ended by
 * itself, so both together are all of it. Parts are interned by their words: threads with one name
 * and the places of equal functions are one part, as a reader would add them up. A server has many
 * threads that do the same.
 *
 * The cause of a waker's own wait comes from the rules, like that of any wait: these waits are made
 * a profile of their own for it, a row for each wake.
 */
#include <errno.h>

#include "analysis/model/blame_priv.h"
#include "analysis/name/waker_label.h"
#include "base/mem.h"
#include "profile/wake_wait.h"

const char *blame_kind_name(enum blame_kind kind)
{
	static const char *const names[BLAME_KINDS] = {
		[BLAME_RUNNING] = "running",
		[BLAME_RUNQ] = "runq",
		[BLAME_BLOCKED] = "blocked",
		[BLAME_UNBORN] = "unborn",
		[BLAME_INTERRUPT] = "interrupt",
		[BLAME_UNKNOWN] = "unknown",
		[BLAME_WOKEN] = "woken",
		[BLAME_PREEMPTED] = "preempted",
		[BLAME_NEW] = "new",
		[BLAME_OPEN] = "open",
		[BLAME_UNSEEN] = "unseen",
	};

	return (u32)kind < BLAME_KINDS ? names[kind] : "unseen";
}

/* The wait of a waker, as if it were listed. */
static struct profile_wait own_wait(const struct profile *p, const struct profile_wake *wake)
{
	return (struct profile_wait){
		.task = p->wakers[wake->waker].task,
		.ustack = wake->did_ustack,
		.kstack = wake->did_kstack,
		.sysno = wake->did_sysno,
		.state = wake->did_state,
		.flags = wake->did_flags,
		.object = wake->did_object,
	};
}

static int find_own_causes(struct blaming *b, struct cause_memo *memo)
{
	struct profile_wait *waits = mem_array(b->p->wakes_len, sizeof(*waits));
	u32 i;

	b->own = *b->p;
	b->own.waits = waits;
	b->own.waits_len = b->p->wakes_len;
	if (!waits)
		return -ENOMEM;
	for (i = 1; i < b->p->wakes_len; i++)
		waits[i] = own_wait(b->p, &b->p->wakes[i]);
	return causes__init(&b->causes, &b->own, memo ? memo->rules : NULL, NULL);
}

/* Samples of one thread at one place. */
struct place_sum {
	u32 task;
	u32 place;
	u64 ns;
};

/* Equal sums are decided by the text, because the order of samples must not matter. */
static void keep_longest(const struct intern *sums, const struct places *places, u32 *by_task)
{
	u32 i;

	for (i = 1; i < intern__len(sums); i++) {
		const struct place_sum *at = intern__at(sums, i), *best;
		u32 *top = &by_task[at->task];

		best = intern__at(sums, *top);
		if (!*top || at->ns > best->ns ||
		    (at->ns == best->ns && strcmp(places__text(places, at->place),
						  places__text(places, best->place)) < 0))
			*top = i;
	}
}

static int sum_samples(struct blaming *b, struct intern *sums)
{
	u32 i, id;
	int r = 0;

	for (i = 1; i < b->p->hots_len && !r; i++) {
		const struct profile_hot *h = &b->p->hots[i];
		struct place_sum fresh = { .task = h->task };

		if (!h->ustack)
			continue;
		r = places__user(&b->places, h->ustack, &fresh.place);
		if (!r)
			r = intern__add(sums, &fresh, &id);
		if (!r)
			((struct place_sum *)intern__at(sums, id))->ns += h->on_ns;
	}
	return r;
}

static int find_top_places(struct blaming *b)
{
	struct intern sums = { 0 };
	u32 i;
	int r = intern__init(&sums, sizeof(struct place_sum), offsetof(struct place_sum, ns));

	b->top_place = mem_array(b->p->tasks_len, sizeof(*b->top_place));
	if (!r && b->top_place)
		r = sum_samples(b, &sums);
	if (!r && b->top_place) {
		keep_longest(&sums, &b->places, b->top_place);
		for (i = 0; i < b->p->tasks_len; i++)
			b->top_place[i] =
				((struct place_sum *)intern__at(&sums, b->top_place[i]))->place;
	}
	intern__done(&sums);
	return r || !b->top_place ? -ENOMEM : 0;
}

static int name_wakers(struct blaming *b)
{
	char label[WAKER_LABEL_SZ];
	u32 i;
	int r = 0;

	b->who_of_waker = mem_array(b->p->wakers_len, sizeof(*b->who_of_waker));
	if (!b->who_of_waker)
		return -ENOMEM;
	for (i = 1; i < b->p->wakers_len && !r; i++) {
		waker_label_shared(b->p, i, label, sizeof(label));
		r = strtab__add(&b->texts, label, &b->who_of_waker[i]);
	}
	return r;
}

static int init_tables(struct blaming *b)
{
	int r = strtab__init(&b->texts);

	if (!r)
		r = intern__init(&b->sums, sizeof(struct sum), offsetof(struct sum, ns));
	if (!r)
		r = intern__init(&b->paths, sizeof(struct path), offsetof(struct path, depth));
	if (!r)
		r = intern__init(&b->pending, sizeof(struct pending), offsetof(struct pending, ns));
	if (!r)
		r = link_threads__init(&b->sum_threads, b->p);
	return r ? r : link_threads__init(&b->path_threads, b->p);
}

static int init(struct blaming *b, struct cause_memo *memo)
{
	const struct profile *p = b->p;
	int r = labels__init(&b->labels, p, NULL);

	if (!r)
		r = places__init(&b->places, p, &b->labels, NULL);
	if (!r)
		r = init_tables(b);
	if (!r)
		r = wake_waits(p, &b->wait_of_wake);
	if (!r)
		r = find_own_causes(b, memo);
	if (!r)
		r = find_top_places(b);
	if (!r)
		r = name_wakers(b);
	if (!r)
		r = wake_index__init(&b->index, p, b->who_of_waker);
	b->left = mem_array(p->waits_len, sizeof(*b->left));
	if (r || !b->left)
		return -ENOMEM;
	memcpy(b->left, p->waits, p->waits_len * sizeof(*b->left));
	return 0;
}

static void done(struct blaming *b)
{
	mem_free(b->wait_of_wake);
	mem_free(b->left);
	mem_free(b->own.waits);
	mem_free(b->top_place);
	mem_free(b->who_of_waker);
	causes__done(&b->causes);
	wake_index__done(&b->index);
	link_threads__done(&b->sum_threads);
	link_threads__done(&b->path_threads);
	intern__done(&b->sums);
	intern__done(&b->paths);
	intern__done(&b->pending);
	strtab__done(&b->texts);
	places__done(&b->places);
	labels__done(&b->labels);
}

int blame__build(const struct profile *p, struct blame_sets sets, struct cause_memo *memo,
		 struct arena *a, struct blame *ret, struct err *err)
{
	struct blaming b = { .p = p, .set_of_wait = sets.of_wait };
	u32 i;
	int r = init(&b, memo);

	for (i = 1; i < p->wakes_len && !r; i++)
		r = blame_add_wake(&b, i);
	if (!r)
		r = blame_follow(&b);
	for (i = 1; i < p->waits_len && !r; i++)
		r = blame_add_rest(&b, i);
	if (!r)
		r = blame_freeze(&b, sets.len, a, ret);
	done(&b);
	return r ? err__nomem(err) : 0;
}

int blame__build_all(const struct profile *p, struct cause_memo *memo, struct arena *a,
		     struct blame *ret, struct err *err)
{
	u32 *set_of_wait = mem_array(p->waits_len, sizeof(*set_of_wait)), i;
	struct causes causes;
	int r = causes__recall(&causes, p, memo, NULL);

	for (i = 1; i < p->waits_len && !r && set_of_wait; i++) {
		if (causes__class(&causes, i) == CLASS_IDLE)
			set_of_wait[i] = BLAME_NO_SET;
	}
	causes__done(&causes);
	r = r || !set_of_wait ?
		    err__nomem(err) :
		    blame__build(p, (struct blame_sets){ set_of_wait, 1 }, memo, a, ret, err);
	mem_free(set_of_wait);
	return r;
}

int blame__build_rows(const struct profile *p, const struct top *top, struct cause_memo *memo,
		      struct arena *a, struct blame **ret_sets, struct err *err)
{
	struct blame *sets;
	int r;

	*ret_sets = NULL;
	if (!p->hdr.wakers)
		return 0;
	sets = arena__array(a, (size_t)top->len + 1, sizeof(*sets));
	if (!sets)
		return err__nomem(err);
	r = blame__build(p, (struct blame_sets){ top->row_of_wait, top->len }, memo, a, sets, err);
	if (!r)
		r = blame__build_all(p, memo, a, &sets[top->len], err);
	*ret_sets = sets;
	return r;
}
