/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "base/types.h"

/* Standard output, if somebody looks at it. */

/*
 * Is it a terminal that knows colours, and does its user take them? By https://no-color.org, and
 * not where TERM is "dumb" or not set.
 */
bool terminal_color(void);
/*
 * Its columns and lines; 0 where it does not say. Of what is no terminal: as many lines as a sheet
 * of paper has, for a file or a pager does not end where a screen does, and the columns of the
 * terminal that standard error is, which mostly is that of the pager.
 */
void terminal_size(u32 *ret_columns, u32 *ret_lines);

#endif
