/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells are kept, not a table: most functions wait in few of the hundreds of windows.
 *
 * Process names and not processes: an hour of yesterday has none of today's PIDs.
 */
#include "analysis/regress/regress_rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/cause/cause.h"
#include "analysis/diff/symbol_key.h"
#include "analysis/name/place.h"
#include "analysis/view/wait_stacks.h"

struct adding {
	struct regress_rows *rr;
	const struct profile *p;
	struct causes causes;
	struct labels labels;
	struct places places;
};

int regress_rows__init(struct regress_rows *rr, struct err *err)
{
	int r;

	memset(rr, 0, sizeof(*rr));
	vec__init(&rr->slots, sizeof(struct regress_slot));
	vec__init(&rr->cells, sizeof(struct regress_cell));
	vec__init(&rr->sums, sizeof(u64));
	vec__init(&rr->touched, sizeof(u32));
	r = strtab__init(&rr->names);
	if (!r)
		r = intern__init(&rr->keys, sizeof(struct regress_key), sizeof(struct regress_key));
	return r ? err__nomem(err) : 0;
}

void regress_rows__done(struct regress_rows *rr)
{
	strtab__done(&rr->names);
	intern__done(&rr->keys);
	vec__done(&rr->slots);
	vec__done(&rr->cells);
	vec__done(&rr->sums);
	vec__done(&rr->touched);
}

static int add_ns(struct regress_rows *rr, const struct regress_key *key, u64 ns)
{
	u32 id, *touched;
	u64 *sum;
	int r = intern__add(&rr->keys, key, &id);

	if (r)
		return r;
	while (rr->sums.len <= id) {
		if (!vec__push(&rr->sums))
			return -ENOMEM;
	}
	sum = vec__at(&rr->sums, id);
	if (!*sum) {
		touched = vec__push(&rr->touched);
		if (!touched)
			return -ENOMEM;
		*touched = id;
	}
	*sum += ns;
	return 0;
}

/* Numbers of CPUs and workers change from day to day. */
static int name_process(struct regress_rows *rr, const struct profile *p,
			const struct profile_task *t, u32 *ret_id)
{
	const char *name = profile__str(p, t->group_comm);
	const char *slash = t->flags & TASK_KTHREAD ? strchr(name, '/') : NULL;

	return strtab__add_len(&rr->names, name, slash ? (size_t)(slash - name) : strlen(name),
			       ret_id);
}

static int add_function(struct adding *a, u32 wait, u32 process, u64 ns)
{
	struct regress_key key = { .kind = REGRESS_FUNCTION, .process = process };
	u32 frame = places__own(&a->places, wait_stacks_of(a->p, wait, 0).user);
	char name[SYMBOL_KEY_SZ], module[SYMBOL_KEY_SZ];
	int r;

	if (!frame)
		return 0;
	symbol_key_name(a->p, frame, name, sizeof(name));
	symbol_key_module(a->p, frame, module, sizeof(module));
	r = strtab__add(&a->rr->names, name, &key.function);
	if (!r)
		r = strtab__add(&a->rr->names, module, &key.module);
	return r ? r : add_ns(a->rr, &key, ns);
}

static int add_wait(struct adding *a, u32 wait)
{
	const struct profile_wait *w = &a->p->waits[wait];
	bool idle = causes__class(&a->causes, wait) == CLASS_IDLE;
	struct regress_key key = { .kind = REGRESS_CAUSE, .cause = causes__of(&a->causes, wait) };
	u64 ns = idle ? w->runq_ns : wait_ns(w);
	int r;

	if (!ns)
		return 0;
	r = name_process(a->rr, a->p, &a->p->tasks[w->task], &key.process);
	if (!r)
		r = add_ns(a->rr, &key, ns);
	return r ? r : add_function(a, wait, key.process, ns);
}

/* The slot of a window; NULL: out of memory. */
static struct regress_slot *find_slot(struct regress_rows *rr, u64 length_ns, u32 day, bool is_sum)
{
	struct regress_slot *last = rr->slots.len ? vec__at(&rr->slots, rr->slots.len - 1) : NULL;

	if (!is_sum && length_ns > rr->longest_ns)
		rr->longest_ns = length_ns;
	if (!is_sum && last && !last->is_sum && last->day == day &&
	    (length_ns < rr->longest_ns / 2 || last->length_ns < rr->longest_ns / 2))
		return last;
	last = vec__push(&rr->slots);
	if (last)
		*last = (struct regress_slot){ .day = day, .is_sum = is_sum };
	return last;
}

/* Moves the sums of the window at hand to cells. */
static int keep(struct regress_rows *rr)
{
	for (size_t i = 0; i < rr->touched.len; i++) {
		u32 id = *(u32 *)vec__at(&rr->touched, i);
		u64 *sum = vec__at(&rr->sums, id);
		struct regress_cell *cell = vec__push(&rr->cells);

		if (!cell)
			return -ENOMEM;
		*cell = (struct regress_cell){ id, (u32)rr->slots.len - 1, *sum };
		*sum = 0;
	}
	vec__reset(&rr->touched);
	return 0;
}

int regress_rows__add(struct regress_rows *rr, const struct profile *p, const struct ruleset *rules,
		      u32 day, bool is_sum, struct err *err)
{
	struct adding a = { .rr = rr, .p = p };
	struct regress_slot *slot;
	int r = causes__init(&a.causes, p, rules, err);

	if (!r && (labels__init(&a.labels, p, NULL) || places__init(&a.places, p, &a.labels, NULL)))
		r = err__nomem(err);
	for (u32 i = 1; i < p->waits_len && !r; i++)
		r = add_wait(&a, i) ? err__nomem(err) : 0;
	slot = r ? NULL : find_slot(rr, p->hdr.window_ns, day, is_sum);
	if (slot)
		slot->length_ns += p->hdr.window_ns;
	if (!r && (!slot || keep(rr)))
		r = err__nomem(err);
	places__done(&a.places);
	labels__done(&a.labels);
	causes__done(&a.causes);
	return r;
}
