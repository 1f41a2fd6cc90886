/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_PUSHER_H
#define PUSH_PUSHER_H

#include "analysis/cause/ruleset.h"
#include "push/backoff.h"
#include "push/cursor.h"
#include "push/http.h"
#include "push/sent_stacks.h"
#include "push/url.h"

/*
 * Sends the windows of a store, or its days that are over, to one target, in order, each at least
 * once. Not thread-safe.
 */

enum push_level {
	PUSH_ERROR = 3, /* as syslog numbers them */
	PUSH_WARNING = 4,
	PUSH_INFO = 6,
};

/* Takes a sentence for the log, without a full stop. */
typedef void push_say_fn(void *arg, enum push_level level, const char *sentence);

struct pusher_options {
	const char *state; /* directory for cursors */
	const char *store; /* whose cursors they are, if it is another directory; "" */
	const struct ruleset *rules; /* NULL: the built-in ones */
	bool (*stop)(void); /* NULL: never */
	u64 delay_ns; /* after the end of a window, at most half of its length */
	push_say_fn *say;
	void *say_arg;
};

struct pusher {
	const struct pusher_options *opt; /* borrowed */
	struct push_url url;
	struct push_cursor cursor;
	struct http *http; /* NULL: a directory */
	struct sent_stacks stacks;
	struct backoff backoff;
	u64 taken; /* windows, or files of days */
	u64 refused; /* those that the target will never take */
	u64 lost; /* those that were damaged, or removed before they were sent */
	u64 bytes; /* of bodies that were taken */
	u64 window_ns; /* length of the last window */
	struct store_day growing; /* a file that is sent when its day is over; all 0: none */
	bool needs_user; /* the last try failed by what time alone does not mend */
	char trouble[200]; /* why the last try failed; "": it did not */
};

/*
 * Reads the cursor: the errors of push_cursor__init() and http__new(). Release with pusher__done()
 * in either case.
 */
int pusher__init(struct pusher *p, const struct push_url *url, const struct pusher_options *opt,
		 struct err *err);
void pusher__done(struct pusher *p);
/*
 * A target that has had nothing begins with the first window that ends after this instant
 * (CLOCK_REALTIME); ~0: with the next one that will be written. Errors of the store and the cursor.
 */
int pusher__begin(struct pusher *p, struct store *s, u64 since_wall_ns, struct err *err);

/* Says once what target->find_fault() found. */
void pusher__note_fault(struct pusher *p, const char *why);

enum pusher_step {
	PUSHER_IDLE = 0, /* it has all windows */
	PUSHER_WENT_ON, /* one more window, or day, is done with */
	PUSHER_WAITS, /* until backoff.next_ns */
};

/*
 * Sends the next window, if there is one and it is time. A server that does not take it is no
 * error: see `trouble`. Errors are those of this machine, such as a cursor that cannot be written.
 */
int pusher__step(struct pusher *p, struct store *s, u64 now_mono_ns, struct err *err);

#endif
