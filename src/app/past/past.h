/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_PAST_PAST_H
#define APP_PAST_PAST_H

#include "app/time_range.h"
#include "base/err.h"
#include "base/notices.h"
#include "base/vec.h"
#include "store/store.h"

/*
 * The windows of a store for somebody who looks at them one after the other: first where they lie
 * in time, and then the profiles that are looked at. A store of a month has 43,200 windows, so
 * nothing is read that was not asked for. Not thread-safe: each viewer opens its own.
 *
 * A window is named by when it begins, in ms since the epoch. Such a name means the same window in
 * each life of a viewer, and whatever range was chosen.
 */
struct past {
	struct store *store;
	struct notices notices; /* what is damaged */
	struct vec windows; /* struct past_window, chosen, in order of time */
};

struct past_window {
	u64 seq; /* when it begins: ms since the epoch */
	u64 begin_ns; /* CLOCK_REALTIME */
	u64 window_ns; /* length */
	struct store_cursor at;
};

/* How much is shown unless somebody asks for a range: the last hour of the store. */
#define PAST_DEFAULT_NS (3600 * NSEC_PER_SEC)

/* Of the windows that overlap `span`, those named `from` to `to`. */
struct past_choice {
	struct time_span span;
	u64 from;
	u64 to;
	u64 last; /* only so many, from the end; 0: all */
	size_t most; /* only so many, from the beginning; 0: all */
};

/* Every window of a span. */
#define PAST_ALL(time)                                                                             \
	(struct past_choice)                                                                       \
	{                                                                                          \
		.span = (time), .to = ~0ULL                                                        \
	}

/* Whether all recordings of a directory have names as in a store, and there is one. */
bool past_is_store(const char *dir);
/*
 * Opens the directory. -ENOENT with a sentence if it has no file of a store, or an error of
 * store__open(). past__done() in either case.
 */
int past__init(struct past *past, const char *dir, struct err *err);
void past__done(struct past *past);

/* Whether nothing was given. */
bool past_range_is_empty(const struct time_range *range);
/*
 * The time that a range means in this store; an empty one is the last hour. -EINVAL: the range ends
 * before it begins; -ENOENT or -EBADMSG if the store has no window that can be read; -ENOMEM.
 */
int past__span(struct past *past, const struct time_range *range, struct time_span *ret,
	       struct err *err);
/* When the first window begins and the last one ends. The same errors. */
int past__bounds(struct past *past, u64 *ret_first_ns, u64 *ret_last_ns, struct err *err);

/*
 * Finds windows, without reading their profiles. Also those written since the last call. None is no
 * error. Files that cannot be read are passed over, and are in `notices`. -ENOMEM or 0.
 */
int past__choose(struct past *past, const struct past_choice *choice, struct err *err);
/* Why nothing was chosen: -ENOENT, or -EBADMSG if windows of that time may be unreadable. */
int past__nothing(struct past *past, const struct time_span *span, struct err *err);
size_t past__len(const struct past *past);
const struct past_window *past__at(const struct past *past, size_t idx);
/*
 * The profile of a chosen window, which the caller frees. -EBADMSG or -ENOENT if it is damaged or
 * was removed meanwhile, also in `notices`; or another error of store__read().
 */
int past__read(struct past *past, size_t idx, struct profile **ret, struct err *err);

#endif
