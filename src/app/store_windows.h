/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_STORE_WINDOWS_H
#define APP_STORE_WINDOWS_H

#include "app/time_range.h"
#include "base/err.h"
#include "base/notices.h"
#include "store/store.h"

/* Takes the profile, also on error. A negative errno ends the search. */
typedef int store_profile_fn(void *arg, struct profile *p, struct err *err);

struct store_search {
	struct store *store;
	struct time_span span;
	/* Only windows whose middle is in the span, so that spans side by side share none. */
	bool by_middle;
	struct notices *notices;
	store_profile_fn *each;
	void *arg;
};

/* Whether the file of a day may have windows in a span: one may begin before midnight. */
bool store_day_is_near(u32 day, const struct time_span *span);
/* Whether a window is one of those. */
bool store_search__has(const struct store_search *search, u64 begin_ns, u64 window_ns);
/*
 * The next of those windows after `at`, which becomes where it is; all zero is the beginning. Only
 * files near the span are opened, and no profile is read. 1, 0 if there is none, or -ENOMEM.
 */
int store_search__next(const struct store_search *search, struct store_cursor *at,
		       struct store_window *ret, struct err *err);
/*
 * Calls `each` for the windows of a store that overlap a span, in order; only files near it are
 * opened. A window that is damaged or was removed meanwhile is passed over and reported in
 * `notices`. 0, an error of `each`, or -ENOMEM.
 */
int store_search__run(const struct store_search *search, struct err *err);

#endif
