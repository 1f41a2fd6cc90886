/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_PAGES_H
#define TUI_PAGES_H

#include "base/err.h"
#include "profile/profile.h"
#include "tui/lines.h"
#include "tui/table.h"

/* What is shown in place of a table. Running out of memory is in lines.failed. */

/* A row: cause, hint, lengths, and the stacks with most of its time. */
void page_detail(struct lines *l, const struct table *t, u32 row);
/* Keys and what they do. */
void page_help(struct lines *l);
/* What the recording cost and lost. */
void page_cost(struct lines *l, const struct profile *p);

#endif
