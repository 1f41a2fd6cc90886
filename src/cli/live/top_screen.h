/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LIVE_TOP_SCREEN_H
#define CLI_LIVE_TOP_SCREEN_H

#include <pthread.h>

#include "app/child.h"
#include "base/err.h"
#include "base/vec.h"
#include "capture/errand.h"
#include "profile/profile.h"
#include "tui/tui.h"

/*
 * The terminal of `top`, in a thread of its own: keys are answered while a window is drained, named
 * and written, and a terminal that stands still does not stop the recording. Windows are handed
 * over; from then on they belong to this thread, and so do viewer and terminal. The other functions
 * are for the thread that records.
 */
struct top_screen {
	struct tui tui; /* of the thread, like `child`'s output and the two below */
	struct child *child;
	struct err failed;
	char why[160];
	struct errand thread;
	bool opened;
	bool started;
	int wake_fd; /* an eventfd: there is something in what follows */
	int left_fd; /* likewise, for the thread that records: `left` was set */
	pthread_mutex_t lock; /* of what follows */
	struct vec arrived; /* struct profile * */
	bool skipped; /* windows that did not fit were freed */
	bool over; /* the recording is, because of `fate` */
	char fate[128];
	bool stop; /* show no more */
	bool left; /* the user wants to leave, the terminal is gone, or an error */
};

/* How many windows wait for a terminal that stands still; with more, the sum begins again. */
#define TOP_SCREEN_WINDOWS 60

/* Opens the terminal. top_screen__done() has to follow, also on error. Borrows all. */
int top_screen__open(struct top_screen *ts, const struct viewer_options *view,
		     const struct terminal_options *terminal, struct child *child, struct err *err);
/* Starts the thread. -EAGAIN. */
int top_screen__start(struct top_screen *ts, struct err *err);
/* Takes a window, also on error. -ENOMEM or 0. */
int top_screen__add(struct top_screen *ts, struct profile *p, struct err *err);
/* Nothing more comes; it goes on to show what there is. */
void top_screen__say_over(struct top_screen *ts, const char *fate);
/* Whether the recording should end. */
bool top_screen__has_left(struct top_screen *ts);
/* Shows no more. Waits for the thread, and returns its error. */
int top_screen__stop(struct top_screen *ts, struct err *err);
/* Gives the terminal back. All zero may be released. */
void top_screen__done(struct top_screen *ts);

#endif
