/* SPDX-License-Identifier: Apache-2.0 */
#include "app/past/store_question.h"

#include <errno.h>

#include "analysis/cause/cause_memo.h"
#include "app/recording_file.h"
#include "app/store_hours.h"
#include "app/store_windows.h"
#include "store/store.h"

struct asking {
	struct store *store;
	struct store_query *query;
	struct time_span span;
	const struct ruleset *rules;
	struct notices *notices;
};

/* Windows of files near the span: the sums in their tables. */
static int add_sums(struct asking *a, struct store *store, const struct time_span *span,
		    struct err *err)
{
	for (size_t i = 0; i < store__files_len(store); i++) {
		const struct store_file f = store__file(store, i);
		struct err why = { 0 };
		int r;

		if (!store_day_is_near(f.file.day, span))
			continue;
		r = store_query__add_sums(a->query, f.path, span->from_ns, span->to_ns, &why);
		if (r == -ENOMEM || (r && notices__add(a->notices, why.msg)))
			return err__nomem(err);
	}
	return 0;
}

static int add_window(void *arg, struct profile *p, struct err *err)
{
	struct asking *a = arg;
	struct cause_memo memo = { .rules = a->rules, .p = p };
	int r = recording_file_add(store_query__recorder(a->query), p, &memo, err);

	cause_memo__done(&memo);
	profile__free(p);
	return r;
}

static int add_windows(struct asking *a, struct store *store, const struct time_span *span,
		       struct err *err)
{
	const struct store_search search = {
		.store = store,
		.span = *span,
		.notices = a->notices,
		.each = add_window,
		.arg = a,
	};

	return store_search__run(&search, err);
}

static int add(struct asking *a, struct store *store, const struct time_span *span, bool all,
	       struct err *err)
{
	int r = all ? add_windows(a, store, span, err) : add_sums(a, store, span, err);

	for (size_t i = 0; !r && store__damage(store, i); i++)
		r = notices__add(a->notices, store__damage(store, i)) ? err__nomem(err) : 0;
	return r;
}

/* Sums of hours whose windows are gone, then windows. */
static int add_times(struct asking *a, const char *dir, bool all, struct err *err)
{
	struct time_span before = a->span;
	struct store *hours;
	u64 until_ns;
	int r = store_hours__open(a->store, dir, &a->span, &hours, &until_ns, err);

	before.to_ns = until_ns < before.to_ns ? until_ns : before.to_ns;
	if (!r && hours)
		r = add(a, hours, &before, all, err);
	store__close(hours);
	return r ? r : add(a, a->store, &a->span, all, err);
}

static int fill(struct asking *a, const struct store_question *sq, bool all, struct err *err)
{
	const struct time_range *range = &sq->range;
	u64 first_ns = 0, last_ns = ~0ULL;
	int r = 0;

	if (!store__files_len(a->store))
		return err__set(err, -ENOENT, "the store has no windows");
	if (time_range__is_relative(range))
		r = store__span(a->store, &first_ns, &last_ns, err);
	if (!r)
		r = time_range__span(range, first_ns, last_ns, &a->span, err);
	return r ? r : add_times(a, sq->store, all, err);
}

int store_question__ask(const struct store_question *sq, query_row_fn *row, void *arg,
			struct notices *notices, struct err *err)
{
	struct asking a = { .rules = sq->rules, .notices = notices };
	bool all = false;
	int r = store_query__open(&a.query, err);

	if (!r)
		r = store_query__check(a.query, sq->sql, &all, err);
	if (!r)
		r = store__open(sq->store, &a.store, err);
	if (!r)
		r = fill(&a, sq, all, err);
	if (!r)
		r = store_query__run(a.query, sq->sql, row, arg, err);
	store__close(a.store);
	store_query__free(a.query);
	return r;
}
