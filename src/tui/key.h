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
	KEY_OF_LEFT,
	KEY_OF_RIGHT,
	KEY_OF_F1,
	KEY_OF_MOUSE, /* no key: see mouse.h */
};

/*
 * What keys do, in the order of the help: X(NAME, first key, second key or 0, shown, help). The
 * only list of them.
 */
#define KEYS(X)                                                                                    \
	X(UP, KEY_OF_UP, 'k', "Up, k", "one row up; in Flame, the caller")                         \
	X(DOWN, KEY_OF_DOWN, 'j', "Down, j", "one row down; in Flame, the widest frame below")     \
	X(LEFT, KEY_OF_LEFT, 'h', "Left, h", "in Flame, the frame on the left")                    \
	X(RIGHT, KEY_OF_RIGHT, 'l', "Right, l", "in Flame, the frame on the right")                \
	X(PAGE_UP, KEY_OF_PAGE_UP, 0, "PgUp", "one page up")                                       \
	X(PAGE_DOWN, KEY_OF_PAGE_DOWN, 0, "PgDn", "one page down")                                 \
	X(HOME, KEY_OF_HOME, 0, "Home", "first row")                                               \
	X(END, KEY_OF_END, 'G', "End, G", "last row")                                              \
	X(NEXT, KEY_OF_TAB, 0, "Tab", "next tab; a number shows that tab, 0 the tenth")            \
	X(PREVIOUS, KEY_OF_BACK_TAB, 0, "Shift-Tab", "previous tab")                               \
	X(DRILL, KEY_OF_ENTER, 0, "Enter", "only the waits of this row; in Flame, zoom in")        \
	X(BACK, KEY_OF_ESC, KEY_OF_BACKSPACE, "Esc, Bksp", "back: details, filter, zoom, rows")    \
	X(DETAIL, 'd', 0, "d", "details of a row: hint, lengths, stacks")                          \
	X(SORT, 's', 0, "s", "sort by the next column")                                            \
	X(GROUP, 'g', 0, "g", "group in another way")                                              \
	X(FILTER, '/', 0, "/", "rows with a text; /re: a regular expression; cause:NAME")          \
	X(IDLE, 'i', 0, "i", "show waits for work, or leave them out")                             \
	X(PERIOD, 'm', 0, "m", "show the last window, the last 10, or all since the start")        \
	X(RESET, 'r', 0, "r", "begin the sum again")                                               \
	X(MARK, 'A', 0, "A", "mark what is shown as A, to compare with what comes")                \
	X(EXPORT, 'e', 0, "e", "write what is seen to a file")                                     \
	X(ADD, '+', 'a', "+, a", "also record another process")                                    \
	X(REMOVE, '-', 0, "-", "record the chosen process no longer")                              \
	X(EARLIER, '[', 0, "[", "of a store: the window before")                                   \
	X(LATER, ']', 0, "]", "of a store: the next window")                                       \
	X(FAR_EARLIER, '{', 0, "{", "of a store: ten windows back")                                \
	X(FAR_LATER, '}', 0, "}", "of a store: ten windows on")                                    \
	X(FREEZE, 'f', ' ', "f, Space", "freeze the picture; the recording goes on")               \
	X(HELP, '?', KEY_OF_F1, "?, F1", "this help")                                              \
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
