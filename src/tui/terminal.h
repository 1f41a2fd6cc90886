/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TERMINAL_H
#define TUI_TERMINAL_H

#include "base/err.h"
#include "tui/mouse.h"
#include "tui/screen.h"

/* The terminal on standard input and output; one per process. The only user of ncurses. */
struct terminal;

struct terminal_options {
	bool color;
	bool ascii; /* only ASCII can be shown */
};

/* Whether there is one that can be used: 0, or the errors of terminal__open(). */
int terminal_check(struct err *err);
/* Takes over the screen. -ENOTTY or -EINVAL, with a sentence, if that is not possible. */
int terminal__open(const struct terminal_options *opt, struct terminal **ret, struct err *err);
/* Gives it back as it was. NULL is fine. */
void terminal__close(struct terminal *t);
/* Adapts to the size of the terminal; true if it has changed. */
bool terminal__resize(struct terminal *t);
/* An empty screen of its size. -ENOMEM or 0; screen__done() in either case. */
int terminal__screen(const struct terminal *t, struct screen *ret);
void terminal__show(struct terminal *t, const struct screen *s);
/* The next key (key.h), without waiting; 0: none, or one that is not known. */
u32 terminal__key(struct terminal *t);
/* After KEY_OF_MOUSE: what it did; false if that is nothing for us. */
bool terminal__mouse(struct terminal *t, struct mouse *ret);
/* Whether a key can be read. */
bool terminal__has_key(const struct terminal *t);
/* The other side has closed it: there will be no further key. */
bool terminal__is_gone(const struct terminal *t);

#endif
