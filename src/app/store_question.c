/* SPDX-License-Identifier: Apache-2.0 */
#include "app/store_question.h"

#include <errno.h>

#include "analysis/cause/cause_memo.h"
#include "app/recording_file.h"
#include "base/clock.h"
#include "store/store.h"

#define DAY_NS (86400 * NSEC_PER_SEC)
#define HOUR_NS (3600 * NSEC_PER_SEC)

struct asking {
	struct store *store;
	struct store_query *query;
	struct time_span span;
	const struct ruleset *rules;
	struct notices *notices;
};

/* Whether a file may have windows in the span; one that begins on a day may end on the next. */
static bool is_near(const struct asking *a, u32 day)
{
	u64 begin_ns = store_day_begin_ns(day), slack_ns = begin_ns < HOUR_NS ? begin_ns : HOUR_NS;

	return time_span__has(&a->span, begin_ns - slack_ns, begin_ns + DAY_NS + HOUR_NS);
}

static int add_sums(struct asking *a, struct err *err)
{
	for (size_t i = 0; i < store__files_len(a->store); i++) {
		const struct store_file f = store__file(a->store, i);
		struct err why = { 0 };
		int r;

		if (!is_near(a, f.file.day))
			continue;
		r = store_query__add_sums(a->query, f.path, a->span.from_ns, a->span.to_ns, &why);
		if (r == -ENOMEM || (r && notices__add(a->notices, why.msg)))
			return err__nomem(err);
	}
	return 0;
}

static int add_window(struct asking *a, const struct store_window *w, struct err *err)
{
	struct cause_memo memo = { .rules = a->rules };
	struct err why = { 0 };
	struct profile *p;
	int r = store__read(a->store, &w->at, &p, &why);

	if (r == -EBADMSG || r == -ENOENT)
		return notices__add(a->notices, why.msg) ? err__nomem(err) : 0;
	if (r)
		return err__set(err, r, "%s", why.msg);
	memo.p = p;
	r = recording_file_add(store_query__recorder(a->query), p, &memo, err);
	cause_memo__done(&memo);
	profile__free(p);
	return r;
}

/* Before the first window of the first file that may be in the span. */
static struct store_cursor begin_of(const struct asking *a)
{
	struct store_cursor at = { 0 };

	for (size_t i = 0; i < store__files_len(a->store); i++) {
		struct store_day file = store__file(a->store, i).file;

		if (is_near(a, file.day))
			return (struct store_cursor){ .file = file };
	}
	return at;
}

static int add_windows(struct asking *a, struct err *err)
{
	struct store_cursor at = begin_of(a);
	struct store_window w;
	int r;

	while ((r = store__next(a->store, &at, &w, err)) > 0 && is_near(a, w.at.file.day)) {
		at = w.at;
		if (time_span__has(&a->span, w.begin_wall_ns, w.begin_wall_ns + w.window_ns))
			r = add_window(a, &w, err);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

static int fill(struct asking *a, const struct time_range *range, bool all, struct err *err)
{
	u64 first_ns = 0, last_ns = ~0ULL;
	int r = 0;

	if (!store__files_len(a->store))
		return err__set(err, -ENOENT, "the store has no windows");
	if (time_range__is_relative(range))
		r = store__span(a->store, &first_ns, &last_ns, err);
	if (!r)
		r = time_range__span(range, first_ns, last_ns, &a->span, err);
	if (!r)
		r = all ? add_windows(a, err) : add_sums(a, err);
	for (size_t i = 0; !r && store__damage(a->store, i); i++)
		r = notices__add(a->notices, store__damage(a->store, i)) ? err__nomem(err) : 0;
	return r;
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
		r = fill(&a, &sq->range, all, err);
	if (!r)
		r = store_query__run(a.query, sq->sql, row, arg, err);
	store__close(a.store);
	store_query__free(a.query);
	return r;
}
