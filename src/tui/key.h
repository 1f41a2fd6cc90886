/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_KEY_H
#define TUI_KEY_H

#include "base/types.h"

/* A key: the code point that it writes, or one of these. */
enum key {
	KEY_OF_TAB = '\t',
	KEY_OF_ENTER = '\r',
	KEY_OF_ESC = 27,
	KEY_OF_BACKSPACE = 127,
	KEY_OF_UP = 0x110000, /* behind all code points */
	KEY_OF_DOWN,
	KEY_OF_PAGE_UP,
	KEY_OF_PAGE_DOWN,
	KEY_OF_HOME,
	KEY_OF_END,
	KEY_OF_BACK_TAB,
};

/*
 * What keys do, in the order of the help: X(NAME, first key, second key or 0, shown, help). The
 * only list of them.
 */
#define KEYS(X)                                                                                    \
	X(UP, KEY_OF_UP, 'k', "Up, k", "one row up")                                               \
	X(DOWN, KEY_OF_DOWN, 'j', "Down, j", "one row down")                                       \
	X(PAGE_UP, KEY_OF_PAGE_UP, 0, "PgUp", "one page up")                                       \
	X(PAGE_DOWN, KEY_OF_PAGE_DOWN, 0, "PgDn", "one page down")                                 \
	X(HOME, KEY_OF_HOME, 'g', "Home, g", "first row")                                          \
	X(END, KEY_OF_END, 'G', "End, G", "last row")                                              \
	X(NEXT, KEY_OF_TAB, 0, "Tab", "next tab; a number shows that tab")                         \
	X(PREVIOUS, KEY_OF_BACK_TAB, 0, "Shift-Tab", "previous tab")                               \
	X(DETAIL, KEY_OF_ENTER, 0, "Enter", "details of a row: its hint, lengths and stacks")      \
	X(BACK, KEY_OF_ESC, KEY_OF_BACKSPACE, "Esc", "back; in a table, remove the filter")        \
	X(SORT, 's', 0, "s", "sort by the next column")                                            \
	X(FILTER, '/', 0, "/", "show only rows with a text; Enter ends it")                        \
	X(IDLE, 'i', 0, "i", "show waits for work, or leave them out")                             \
	X(ALL, 'a', 0, "a", "show everything since the start, or the last window")                 \
	X(FREEZE, 'f', ' ', "f, Space", "freeze the picture; the recording goes on")               \
	X(HELP, '?', 'h', "?, h", "this help")                                                     \
	X(QUIT, 'q', 0, "q, Ctrl-C", "end the recording and quit")

enum action {
	ACTION_NONE,
#define X(NAME, ...) ACTION_##NAME,
	KEYS(X)
#undef X
		ACTION_CNT
};

/* ACTION_NONE: the key does nothing. */
enum action key_action(u32 key);
/* The row of an action other than ACTION_NONE in the help. */
const char *action_keys(enum action action);
const char *action_help(enum action action);

#endif
