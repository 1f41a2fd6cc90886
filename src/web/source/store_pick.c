/* SPDX-License-Identifier: Apache-2.0 */
#include "web/source/store_pick.h"

#include <errno.h>

#include "base/self_memory.h"
#include "profile/windows/source.h"
#include "web/source/picked.h"

#define MOST_SEQ (~0ULL / NSEC_PER_MSEC - 1)

static bool has_numbers(const struct query_range *range)
{
	return range->from > 1 || range->to < MOST_SEQ;
}

/* The times at which windows with these numbers begin. */
static struct time_span span_of_numbers(const struct query_range *range)
{
	u64 to = range->to < MOST_SEQ ? range->to : MOST_SEQ;

	return (struct time_span){ range->from * NSEC_PER_MSEC, (to + 1) * NSEC_PER_MSEC };
}

int store_pick__find(struct web *w, const struct store_pick *pick, struct past *past,
		     struct time_span *ret_span, struct err *err)
{
	const bool has_time = pick->time && !past_range_is_empty(pick->time);
	struct past_choice choice = {
		.from = pick->range.from,
		.to = pick->range.to,
		.last = pick->last,
	};
	int r = past__init(past, w->opt.path, err);

	if (!r && !has_time && has_numbers(&pick->range))
		choice.span = span_of_numbers(&pick->range);
	else if (!r)
		r = past__span(past, has_time ? pick->time : &w->opt.range, &choice.span, err);
	if (!r)
		r = past__choose(past, &choice, err);
	*ret_span = choice.span;
	return r;
}

static u64 rows_of(const struct profile *p)
{
	return (u64)p->waits_len + p->tasks_len + p->stacks_len + p->frames_len;
}

/* The answer to one viewer must not take the memory of all. */
static int add(struct profile_pile *pile, struct profile *p, size_t idx, struct err *err)
{
	if (self_memory_allows(rows_of(p) * PICKED_BYTES_PER_ROW))
		return profile_pile__add(pile, p, err);
	profile__free(p);
	return err__set(err, -ENOMEM, "not enough memory for more than %zu windows; ask for fewer",
			idx);
}

static int add_all(struct web *w, struct past *past, struct profile_pile *pile, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < past__len(past) && !r; i++) {
		struct profile *p;

		r = past__read(past, i, &p, err);
		if (!r)
			r = add(pile, p, i, err);
		else if (r != -ENOMEM) {
			totals__skip(&w->totals);
			r = 0;
		}
	}
	return r;
}

int store_pick__merge(struct web *w, const struct store_pick *pick, struct profile **ret,
		      struct err *err)
{
	struct profile_pile pile;
	struct time_span span;
	struct past past;
	int r;

	*ret = NULL;
	profile_pile__init(&pile);
	r = store_pick__find(w, pick, &past, &span, err);
	if (!r)
		r = add_all(w, &past, &pile, err);
	if (!r)
		r = profile_pile__take(&pile, ret, err);
	if (!r && !*ret)
		r = past__nothing(&past, &span, err);
	past__done(&past);
	profile_pile__done(&pile);
	return r;
}
