/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "base/types.h"

/* Properties of standard output if it is a terminal. */

/*
 * Whether it is a terminal with colours, and the user wants them: see https://no-color.org; not if
 * TERM is "dumb" or unset.
 */
bool terminal_color(void);
/*
 * Its columns and lines; 0 if unknown. If it is not a terminal: the lines of a sheet of paper,
 * because a file or a pager does not end at the bottom of a screen, and the columns of the terminal
 * on standard error, which is usually the pager's.
 */
void terminal_size(u32 *ret_columns, u32 *ret_lines);

#endif
