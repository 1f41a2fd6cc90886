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
/* Whether it is a terminal of a locale that is not UTF-8. */
bool terminal_ascii(void);
/*
 * Its columns; 0 if unknown. If it is not a terminal: those of the terminal on standard error,
 * which is usually the pager's.
 */
u32 terminal_columns(void);

#endif
