/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TERM_COLOR_H
#define TUI_TERM_COLOR_H

#include "base/types.h"
#include "render/words/color.h"

/*
 * Colours in the numbers of a terminal that has 8, 16, 256, or, above that, all: 0xRRGGBB. -1 is
 * its own colour of text or background.
 */
int term_color(struct color c, int colors);
/* Black or white, whichever is more readable on it. */
int term_color_on(struct color c, int colors);
/* Of an attribute's cause: enum cause, CAUSE_CNT or CAUSE_SHOWN_IDLE. */
struct color term_color_of_cause(u32 cause, bool pale);

#endif
