/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_HEAD_H
#define TUI_HEAD_H

#include "tui/screen.h"

struct viewer;

/* What stands above every tab; the first row below it. On few rows, less of it. */
u32 head_paint(struct viewer *v, struct screen *s);

#endif
