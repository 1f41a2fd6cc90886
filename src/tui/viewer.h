/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_VIEWER_H
#define TUI_VIEWER_H

#include "analysis/cause/cause_memo.h"
#include "base/err.h"
#include "base/vec.h"
#include "tui/key.h"
#include "tui/model/comparison.h"
#include "tui/model/drill.h"
#include "tui/model/filter.h"
#include "tui/model/flame.h"
#include "tui/model/output.h"
#include "tui/model/strips.h"
#include "tui/model/table.h"
#include "tui/model/windows.h"
#include "tui/mouse.h"
#include "tui/prompt.h"
#include "tui/screen.h"

/*
 * What the user looks at: windows in, keys in, pictures out. Knows no terminal. A picture depends
 * on nothing else: neither on a clock nor on the environment.
 */
#define VIEWER_SAID_SZ 512

/* What a viewer asks of whoever records; each is called from viewer__key(). */
struct viewer_host {
	/*
	 * Writes a profile to a file in the format of its ending. -EEXIST if there is such a file,
	 * unless `replace`; or a negative errno with a sentence. NULL: nothing can be written.
	 */
	int (*write)(void *arg, const struct profile *p, struct cause_memo *memo, const char *path,
		     bool replace, struct err *err);
	const char *no_targets; /* why targets cannot be changed; NULL: they can */
	bool by_cgroup; /* targets are paths of cgroups, not PIDs */
	int (*change_target)(void *arg, bool add, const char *whom, struct err *err);
	/*
	 * Of a store: shows the window that lies so many before (< 0) or after the last one, or
	 * the same one anew (0), by viewer__rewind() and viewer__add(). NULL: windows come by
	 * themselves.
	 */
	int (*step)(void *arg, int by, struct err *err);
	void *arg;
};

struct viewer_options {
	const char *target; /* what is recorded, as text */
	const char *file; /* where windows are written to; NULL: nowhere */
	const struct ruleset *rules; /* for causes; NULL: the built-in ones */
	const struct viewer_host *host; /* NULL: there is no one to ask */
	bool output; /* a command runs: there is a tab of what it writes */
	bool wakers; /* they are recorded: there is a tab of them */
};

/* The place in the rows of a tab. */
struct list {
	enum table_kind kind;
	enum sort sort;
	u32 row; /* of those that are shown */
	u32 first; /* at the top of the screen */
	char chosen[CRUMB_TEXT_SZ]; /* its text, which is followed; "": the first row is */
};

enum detail {
	DETAIL_NONE,
	DETAIL_PANE, /* below the table */
	DETAIL_PAGE, /* in its place */
};

/* Which windows are shown. */
enum period {
	PERIOD_LAST,
	PERIOD_LATEST,
	PERIOD_ALL, /* since the start, or since the sum began again */
	PERIOD_CNT,
};

struct viewer {
	struct viewer_options opt;
	struct windows windows;
	const struct profile *base; /* one of `windows`; NULL: none came yet */
	struct cause_memo base_memo;
	struct drill drill;
	struct profile *part; /* of `base`: what was drilled into; NULL: all of it */
	struct cause_memo part_memo;
	/* what is shown: `part` or `base`, with its causes; NULL: nothing has been drilled into */
	const struct profile *p;
	struct cause_memo *memo;
	struct profile_budget budget; /* of `base` */
	u64 idle_ns; /* of it, blocked and waiting for a CPU in waits for work: */
	u64 idle_runq_ns; /* this much for a CPU */
	struct strips *strips; /* up to the last window that is shown; NULL: none came yet */
	struct strips *strips_now; /* up to the last one: another only while it is frozen */
	struct vec busy; /* u64 by window: blocked time for work in a second of it */
	u32 busy_shown; /* how many of them are: not those that came while it is frozen */
	const char *over; /* why the recording has ended; NULL: it goes on */

	enum tab tab;
	struct list lists[TAB_CNT];
	struct table table; /* of `p`, if the tab has one */
	bool has_table;
	struct flame flame; /* likewise */
	struct comparison comparison; /* likewise */
	struct output output;
	enum detail detail;
	bool missing; /* the chosen row is not in the table */
	bool help;
	u32 scroll; /* of what is no table */
	u32 page; /* rows of the list in the last picture */
	u32 page_len; /* lines of what is no table, likewise */
	u32 rows; /* of the screen, likewise */
	u32 rows_from; /* where the first of the page is, likewise */
	u32 tabs_row; /* where the tabs are, and each one ends: 0, it is not shown */
	u32 tab_ends[TAB_CNT];
	struct prompt prompt;
	char asked_of[PROMPT_SZ]; /* the file or the PID of a question; "": none */
	struct filter filter;
	char said[VIEWER_SAID_SZ]; /* until the next key */
	bool idle;
	enum period period;
	bool quit;
};

/* Borrows what the options point to. */
void viewer__init(struct viewer *v, const struct viewer_options *opt);
void viewer__done(struct viewer *v);
/* Whether it shows a store: its host can step. */
bool viewer__is_of_store(const struct viewer *v);
/* Takes a window, also on error: -ENOMEM, or an error of profile_merge(). */
int viewer__add(struct viewer *v, struct profile *p, struct err *err);
/* Forgets all windows, but not what was chosen: others come. */
void viewer__rewind(struct viewer *v);
/* Windows before the next one are missing. */
void viewer__skip(struct viewer *v);
/* What the command wrote. -ENOMEM or 0. */
int viewer__output(struct viewer *v, const char *bytes, size_t len);
/* The recording has ended, `why` is borrowed. */
void viewer__end(struct viewer *v, const char *why);
/* The same errors. */
int viewer__key(struct viewer *v, u32 key, struct err *err);
int viewer__mouse(struct viewer *v, const struct mouse *mouse, struct err *err);
/* -ENOMEM or 0. */
int viewer__paint(struct viewer *v, struct screen *s);

/* For views, keys and painters. */

bool viewer__has_tab(const struct viewer *v, enum tab tab);
/* What its key is: from 1. */
u32 viewer__number_of_tab(const struct viewer *v, enum tab tab);
int viewer__show_tab(struct viewer *v, enum tab tab, struct err *err);
/* Shows what `windows` has, and what was drilled into. */
int viewer__show(struct viewer *v, struct err *err);
/* The same with another choice within the tab. */
int viewer__build(struct viewer *v, struct err *err);
/* Before what is drilled into, or all that is shown, is freed. */
void viewer__forget(struct viewer *v);
void viewer__forget_base(struct viewer *v);
/* What stands in the last line until the next key. */
void viewer__say(struct viewer *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct list *viewer__list(struct viewer *v);
/* Moves a place up to `last` by a line, a page, or to an end; false: the action moves nothing. */
bool viewer__move(const struct viewer *v, enum action action, u32 last, u32 *at);

#endif
