/* SPDX-License-Identifier: Apache-2.0 */
#include "app/store_windows.h"

#include <errno.h>

#include "base/clock.h"

#define DAY_NS (86400 * NSEC_PER_SEC)
#define HOUR_NS (3600 * NSEC_PER_SEC)

bool store_day_is_near(u32 day, const struct time_span *span)
{
	u64 begin_ns = store_day_begin_ns(day), slack_ns = begin_ns < HOUR_NS ? begin_ns : HOUR_NS;

	return time_span__has(span, begin_ns - slack_ns, begin_ns + DAY_NS + HOUR_NS);
}

bool store_search__has(const struct store_search *search, u64 begin_ns, u64 window_ns)
{
	u64 middle_ns = begin_ns + window_ns / 2;

	if (search->by_middle)
		return time_span__has(&search->span, middle_ns, middle_ns);
	return time_span__has(&search->span, begin_ns, begin_ns + window_ns);
}

static int read_one(const struct store_search *search, const struct store_window *w,
		    struct err *err)
{
	struct err why = { 0 };
	struct profile *p;
	int r = store__read(search->store, &w->at, &p, &why);

	if (r == -EBADMSG || r == -ENOENT)
		return notices__add(search->notices, why.msg) ? err__nomem(err) : 0;
	if (r)
		return err__set(err, r, "%s", why.msg);
	return search->each(search->arg, p, err);
}

/* Before the first window of the first file that may be in the span. */
static struct store_cursor begin_of(const struct store_search *search)
{
	struct store_cursor at = { 0 };

	for (size_t i = 0; i < store__files_len(search->store); i++) {
		struct store_day file = store__file(search->store, i).file;

		if (store_day_is_near(file.day, &search->span))
			return (struct store_cursor){ .file = file };
	}
	return at;
}

int store_search__next(const struct store_search *search, struct store_cursor *at,
		       struct store_window *ret, struct err *err)
{
	int r;

	if (!at->file.part)
		*at = begin_of(search);
	if (!at->file.part)
		return 0;
	while ((r = store__next(search->store, at, ret, err)) > 0 &&
	       store_day_is_near(ret->at.file.day, &search->span)) {
		*at = ret->at;
		if (store_search__has(search, ret->begin_wall_ns, ret->window_ns))
			return 1;
	}
	return r < 0 ? r : 0;
}

int store_search__run(const struct store_search *search, struct err *err)
{
	struct store_cursor at = { 0 };
	struct store_window w;
	int r;

	while ((r = store_search__next(search, &at, &w, err)) > 0) {
		r = read_one(search, &w, err);
		if (r < 0)
			return r;
	}
	return r;
}
