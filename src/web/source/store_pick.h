/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_STORE_PICK_H
#define WEB_SOURCE_STORE_PICK_H

#include "app/past/past.h"
#include "web/ask/query.h"
#include "web/source/web.h"

/*
 * Windows of a store for one request, which opens the store for itself: viewers read at the same
 * time, nothing stays in memory, and windows that were written meanwhile are there. Numbers of
 * windows are those of app/past/past.h: when they begin, in ms since the epoch.
 */
struct store_pick {
	struct query_range range; /* numbers */
	const struct time_range *time; /* NULL or empty: by number or, without any, as served */
	u64 last; /* only so many, from the end; 0: all */
};

/*
 * Opens the store and finds the windows; none is no error. *ret_span is the time that was searched.
 * Errors of past.h. past__done() in either case.
 */
int store_pick__find(struct web *w, const struct store_pick *pick, struct past *past,
		     struct time_span *ret_span, struct err *err);
/*
 * All of them in one profile, which the caller frees. Damaged ones are left out and counted.
 * -ENOENT or -EBADMSG, with a sentence, if there is none; -ENOMEM also if they would take more
 * memory than may be used.
 */
int store_pick__merge(struct web *w, const struct store_pick *pick, struct profile **ret,
		      struct err *err);

#endif
