/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_VIEWER_H
#define TUI_VIEWER_H

#include "analysis/cause/cause_memo.h"
#include "base/err.h"
#include "base/vec.h"
#include "tui/key.h"
#include "tui/screen.h"
#include "tui/table.h"
#include "tui/windows.h"

/*
 * What the user looks at: windows in, keys in, pictures out. Knows no terminal. A picture depends
 * on nothing else: neither on a clock nor on the environment.
 */
#define VIEWER_FILTER_SZ 64
#define VIEWER_CHOSEN_SZ 256

struct viewer_options {
	const char *target; /* what is recorded, as text */
	const char *file; /* where windows are written to; NULL: nowhere */
	const struct ruleset *rules; /* for causes; NULL: the built-in ones */
	bool wakers; /* they are recorded: there is a tab of them */
};

struct viewer {
	struct viewer_options opt;
	struct windows windows;
	const struct profile *p; /* what is shown: one of `windows`; NULL: none came yet */
	struct cause_memo memo; /* of `p` */
	struct table table; /* of `p`, unless the tab is TAB_COST */
	bool has_table;
	u32 threads; /* of `p` */
	struct vec busy; /* u64 by window: blocked time for work in a second of it */
	u32 busy_shown; /* how many of them are: not those that came while it is frozen */
	const char *over; /* why the recording has ended; NULL: it goes on */

	enum tab tab;
	struct list {
		enum sort sort;
		u32 row; /* of those that are shown */
		u32 first; /* at the top of the screen */
		char chosen
			[VIEWER_CHOSEN_SZ]; /* its text, which is followed; "": the first row is */
	} lists[TAB_CNT];
	bool detail;
	bool missing; /* the chosen row is not in the table */
	bool help;
	u32 scroll; /* of what is no table */
	u32 page; /* rows of the list in the last picture */
	u32 page_len; /* lines of what is no table, likewise */
	bool typing;
	char filter[VIEWER_FILTER_SZ];
	bool idle;
	bool all; /* since the start */
	bool quit;
};

/* Borrows what the options point to. */
void viewer__init(struct viewer *v, const struct viewer_options *opt);
void viewer__done(struct viewer *v);
/* Takes a window, also on error: -ENOMEM, or an error of profile_merge(). */
int viewer__add(struct viewer *v, struct profile *p, struct err *err);
/* The recording has ended, `why` is borrowed. */
void viewer__end(struct viewer *v, const char *why);
/* The same errors. */
int viewer__key(struct viewer *v, u32 key, struct err *err);
/* -ENOMEM or 0. */
int viewer__paint(struct viewer *v, struct screen *s);

/* For painters: whether there is such a tab, and what its key is. */
bool viewer__has_tab(const struct viewer *v, enum tab tab);
u32 viewer__number_of_tab(const struct viewer *v, enum tab tab);

#endif
