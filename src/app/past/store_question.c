/* SPDX-License-Identifier: Apache-2.0 */
#include "app/past/store_question.h"

#include <errno.h>
#include <sys/stat.h>

#include "analysis/cause/cause_memo.h"
#include "app/past/query_requests.h"
#include "app/recording_file.h"
#include "app/store_hours.h"
#include "app/store_windows.h"
#include "profile/windows/source.h"
#include "recording/reader.h"
#include "store/store.h"

struct asking {
	struct store *store;
	struct store_query *query;
	struct time_span span;
	const struct ruleset *rules;
	struct notices *notices;
	bool requests; /* are asked for */
	struct profile_pile pile; /* windows with what requests are made of */
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
	if (!r && a->requests && p->hdr.max_moments)
		return profile_pile__add(&a->pile, p, err);
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

/* The windows of one file that overlap the range. */
static int add_file(struct asking *a, struct recording *rec, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < recording__windows_len(rec) && !r; i++) {
		const struct recording_window *w = recording__window(rec, i);
		struct profile *p = NULL;

		if (!time_span__has(&a->span, w->begin_wall_ns, w->begin_wall_ns + w->window_ns))
			continue;
		r = recording__read(rec, i, &p, err);
		if (r == -EBADMSG)
			r = 0; /* the recording says so */
		else if (!r)
			r = add_window(a, p, err);
	}
	for (size_t i = 0; !r && recording__damage(rec, i); i++)
		r = notices__add(a->notices, recording__damage(rec, i)) ? err__nomem(err) : 0;
	return r;
}

static int fill_from_file(struct asking *a, const struct store_question *sq, bool all,
			  struct err *err)
{
	struct recording *rec = NULL;
	int r = recording__open(sq->store, &rec, err);
	size_t len = r ? 0 : recording__windows_len(rec);

	if (!r && len) {
		const struct recording_window *last = recording__window(rec, len - 1);

		r = time_range__span(&sq->range, recording__window(rec, 0)->begin_wall_ns,
				     last->begin_wall_ns + last->window_ns, &a->span, err);
	}
	if (!r)
		r = all ? add_file(a, rec, err) :
			  store_query__add_sums(a->query, sq->store, a->span.from_ns, a->span.to_ns,
						err);
	recording__close(rec);
	return r;
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

static int fill_all(struct asking *a, const struct store_question *sq, bool all, struct err *err)
{
	struct stat st;
	int r;

	a->requests = store_query__needs_requests(a->query);
	if (!stat(sq->store, &st) && S_ISREG(st.st_mode))
		return fill_from_file(a, sq, all, err);
	r = store__open(sq->store, &a->store, err);
	return r ? r : fill(a, sq, all, err);
}

/* A request may begin in one window and end in another. */
static int add_requests(struct asking *a, struct err *err)
{
	struct profile *p = NULL;
	int r = profile_pile__take(&a->pile, &p, err);

	if (!r && p && p->marks_len)
		r = query_requests_add(a->query, p, a->rules, err);
	profile__free(p);
	return r;
}

int store_question__ask(const struct store_question *sq, query_row_fn *row, void *arg,
			struct notices *notices, struct err *err)
{
	struct asking a = { .rules = sq->rules, .notices = notices };
	bool all = false;
	int r = store_query__open(&a.query, err);

	profile_pile__init(&a.pile);
	if (!r)
		r = store_query__check(a.query, sq->sql, &all, err);
	if (!r)
		r = fill_all(&a, sq, all, err);
	if (!r)
		r = add_requests(&a, err);
	if (!r)
		r = store_query__run(a.query, sq->sql, row, arg, err);
	store__close(a.store);
	profile_pile__done(&a.pile);
	store_query__free(a.query);
	return r;
}
