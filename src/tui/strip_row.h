/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_STRIP_ROW_H
#define TUI_STRIP_ROW_H

#include "tui/screen.h"

struct viewer;

/* What a row of a thread has behind its numbers: name, strip, and its wait at the end. */
void strip_row_paint(const struct viewer *v, struct screen *s, u32 y, u32 attr, const char *name);
/* The names of these, behind the first, which begins at column `from`. */
void strip_head_paint(struct screen *s, u32 y, u32 from);

#endif
