/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_LINES_H
#define TUI_LINES_H

#include "base/arena.h"
#include "base/types.h"
#include "base/vec.h"

/* A page of text that can be longer than the screen, broken at spaces to its width. */
struct line {
	u32 attr;
	const char *text;
};

struct lines {
	struct arena arena;
	struct vec list; /* struct line */
	u32 cols;
	bool ascii;
	bool failed; /* memory ran out */
};

void lines__init(struct lines *l, u32 cols, bool ascii);
void lines__done(struct lines *l);
/* Begins a line at column `indent`; later ones begin there, too. "" is an empty line. */
void lines__put(struct lines *l, u32 attr, u32 indent, const char *text);
void lines__printf(struct lines *l, u32 attr, u32 indent, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
