/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_BAR_H
#define TUI_BAR_H

#include "base/types.h"

/* A number as one column, a ninth to nine ninths high: of 0, a blank. */
const char *bar_of(u64 n, u64 most, bool ascii);

#endif
