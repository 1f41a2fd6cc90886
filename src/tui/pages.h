/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_PAGES_H
#define TUI_PAGES_H

#include "base/err.h"
#include "profile/profile.h"
#include "tui/lines.h"
#include "tui/model/table.h"

/* What is shown in place of a table. Running out of memory is in lines.failed. */

/* A row: cause, hint, lengths, in short on one line, and the stacks with most of its time. */
void page_detail(struct lines *l, const struct table *t, u32 row, bool in_short);
/* Keys and what they do. */
void page_help(struct lines *l);

struct screen;
struct viewer;

/* The lines from v->scroll on, at rows from `y`, and not `end`. */
void page_paint(struct viewer *v, const struct lines *lines, struct screen *s, u32 y, u32 end);

#endif
