/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "base/err.h"
#include "profile/profile.h"
#include "tui/terminal.h"
#include "tui/viewer.h"

/* A viewer on the terminal. Nothing waits in here, except for the terminal. */
struct tui {
	struct viewer viewer;
	struct terminal *terminal;
	bool changed; /* what is shown is not what there is */
};

/* Errors of terminal__open(); tui__done() in either case. */
int tui__init(struct tui *t, const struct viewer_options *view, const struct terminal_options *opt,
	      struct err *err);
/* Gives the terminal back. */
void tui__done(struct tui *t);
/* Takes a window, and shows it. The errors of viewer__add(). */
int tui__add(struct tui *t, struct profile *p, struct err *err);
/* Windows before the next one are missing. */
void tui__skip(struct tui *t);
/* What the command wrote. -ENOMEM or 0. */
int tui__output(struct tui *t, const char *bytes, size_t len, struct err *err);
/* Keys that were pressed, and another size of the terminal. The errors of viewer__key(). */
int tui__turn(struct tui *t, struct err *err);
/* The recording has ended, `why` is borrowed. The errors of viewer__paint(). */
int tui__end(struct tui *t, const char *why, struct err *err);
/* The user wants to quit, or the terminal has gone. */
bool tui__is_over(const struct tui *t);

#endif
