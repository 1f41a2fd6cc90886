/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include "base/arena.h"
#include "base/types.h"

/*
 * What is on a screen, as text: lines of spans, each with attributes. The painters of this layer
 * write it and the terminal shows it, so that tests need no terminal. Nothing goes past the last
 * column or the last row: what does not fit is cut.
 */
enum attr {
	ATTR_BOLD = 1,
	ATTR_DIM = 2,
	ATTR_REVERSE = 4,
	ATTR_WARN = 8, /* in yellow, where there are colours */
	ATTR_FILL = 16, /* the colour of the cause is that of the background */
	ATTR_MATCH = 32, /* what was searched for: in magenta, or else in reverse */
	ATTR_PALE = 64, /* with ATTR_FILL: a lighter shade */
};

/* In the colour of a cause: enum cause, CAUSE_CNT (none has most) or CAUSE_SHOWN_IDLE. */
#define ATTR_OF_CAUSE(cause) (((u32)(cause) + 1) << 8)
/* The inverse; true if there is one. */
bool attr_cause(u32 attr, u32 *ret_cause);

struct span {
	const char *text; /* printable, in UTF-8, or in ASCII on an ASCII screen */
	u32 attr;
	struct span *next;
};

struct screen_line {
	struct span *first;
	struct span *last;
	u32 col; /* columns that are taken */
};

struct screen {
	struct arena arena;
	u32 rows;
	u32 cols;
	bool ascii;
	bool failed; /* memory ran out: it is not complete */
	struct screen_line *lines;
};

/* -ENOMEM or 0; screen__done() in either case. */
int screen__init(struct screen *s, u32 rows, u32 cols, bool ascii);
void screen__done(struct screen *s);
/* Behind what the row has; control characters become '?'. */
void screen__put(struct screen *s, u32 row, u32 attr, const char *text);
void screen__printf(struct screen *s, u32 row, u32 attr, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Blanks up to column `col`. */
void screen__pad(struct screen *s, u32 row, u32 attr, u32 col);
/* With its right edge at column `col`, or behind what the row has. */
void screen__put_right(struct screen *s, u32 row, u32 attr, const char *text, u32 col);
/* Keeps what the row has before column `col`. */
void screen__cut(struct screen *s, u32 row, u32 col);
/* Columns that are still free. */
u32 screen__left(const struct screen *s, u32 row);

#endif
