/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SERIES_H
#define APP_SERIES_H

#include "app/run.h"
#include "base/err.h"
#include "base/types.h"
#include "profile/profile.h"
#include "session/session.h"

struct recorder;
struct ruleset;

/* A recording of one window or of many. */
struct series {
	u64 every_ns; /* length of a window; 0: one window for everything */
	bool align; /* see struct live */
	struct recorder *recorder; /* gets each window as soon as it is over; NULL: none */
	const struct ruleset *rules; /* for the causes of its waits; NULL: the built-in ones */
	bool apart; /* nobody wants all of it in one profile */
	/* with `apart`: takes each window, also on error, when the recorder has it; NULL: nobody */
	int (*each)(void *arg, struct profile *p, struct err *err);
	void *each_arg;
};

/*
 * Runs a session to its end, and gives all of it in one profile, which the caller frees; NULL if
 * `apart`: one profile of a day has every thread of that day, while windows that only go into a
 * file take no memory afterwards. After an error the recorder has the windows that were over
 * before.
 */
int series_record(const struct series *series, struct session *s, const struct run_options *run,
		  struct profile **ret, struct err *err);

#endif
