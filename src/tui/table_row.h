/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TABLE_ROW_H
#define TUI_TABLE_ROW_H

#include "base/text/units.h"
#include "tui/screen.h"

struct viewer;

/* The names of the columns of a table, and one of its rows: `shown` is its place. */
void table_head_paint(const struct viewer *v, struct screen *s, u32 y);
void table_row_paint(const struct viewer *v, struct screen *s, u32 y, u32 shown);

#endif
