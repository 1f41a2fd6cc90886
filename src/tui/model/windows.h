/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_MODEL_WINDOWS_H
#define TUI_MODEL_WINDOWS_H

#include "base/err.h"
#include "profile/profile.h"
#include "profile/windows/source.h"

/*
 * A sum of so many threads and waits begins again with the next window: on a machine that starts
 * many programs it would otherwise grow without end. Its length says since when it is.
 */
#define WINDOWS_MAX_ROWS 300000

/* How many the latest are. */
#define WINDOWS_LATEST 10

/*
 * The windows of a recording that goes on: the last one, and all of them in one, which is made only
 * when asked for. While it is held, both stay as they are and what comes is kept for later.
 */
struct windows {
	struct profile *last; /* NULL: none came yet */
	struct profile *all; /* NULL: not made */
	struct profile *some; /* the latest in one; NULL: not made */
	struct vec latest; /* struct profile *: copies, up to `last`; only while wanted */
	bool want_latest;
	struct profile_pile before; /* what `last` is not; with `all`, nothing */
	struct profile *held_last; /* came while it was held: the newest, and those before it */
	struct profile_pile held_before;
	bool held;
	bool skipped; /* windows that came would not meet those that are here */
	u32 max_rows; /* WINDOWS_MAX_ROWS, except in tests */
};

void windows__init(struct windows *w);
void windows__done(struct windows *w);
/* Takes `p`, also on error. An error of profile_pile__add(). */
int windows__add(struct windows *w, struct profile *p, struct err *err);
int windows__hold(struct windows *w, bool hold, struct err *err);
/* Windows before the next one are missing, so the sum begins again with it. */
void windows__skip(struct windows *w);
/* Sets `all`. An error of profile_merge(). */
int windows__sum(struct windows *w, struct err *err);
/*
 * From now on, copies of the last WINDOWS_LATEST are kept, or no longer. Windows that come while it
 * is held are not among them, except the last one. An error of profile_merge().
 */
int windows__keep_latest(struct windows *w, bool keep, struct err *err);
/* Sets `some`. An error of profile_merge(). */
int windows__sum_latest(struct windows *w, struct err *err);
/* The sum begins again with the last window. Frees `all` and `some`. */
int windows__reset(struct windows *w, struct err *err);

#endif
