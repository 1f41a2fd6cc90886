/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_PUSH_H
#define PUSH_PUSH_H

#include "push/pusher.h"

/* Sends the windows of a store to targets. */

struct push_options {
	const char *store; /* directory */
	const char *state; /* directory for cursors; NULL: the store */
	const char *const *urls;
	size_t urls_len;
	const struct ruleset *rules; /* NULL: the built-in ones */
	/*
	 * Where targets begin that have had nothing: CLOCK_REALTIME; 0: with the first window of
	 * the store; ~0: with the next one that is written.
	 */
	u64 since_wall_ns;
	bool follow; /* until `stop` says so; otherwise until all have all windows */
	bool (*stop)(void); /* asked by all threads; NULL: never */
	push_say_fn *say; /* called by the thread of any target */
	void (*status)(void *arg, const char *text); /* of all targets, now and then; NULL */
	void *arg; /* of both */
};

/* Of all targets. */
struct push_result {
	u64 taken; /* windows */
	u64 days; /* files of days that were taken */
	u64 refused; /* of both */
	u64 lost;
	u64 bytes;
	u32 behind; /* targets that do not have everything */
	bool takes_windows; /* there is a target for them */
	bool takes_days;
	struct store_day growing; /* a file that is sent when its day is over; all 0: none */
};

/*
 * Without `follow`, a target that does not take a window is tried again a few times, and then left
 * behind. Errors: of a URL, the store, the cursors, or libcurl.
 */
int push_run(const struct push_options *opt, struct push_result *ret, struct err *err);

#endif
