/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_PYLINE_H
#define SYMBOL_PYLINE_H

#include "base/types.h"
#include "base/view.h"

/*
 * The line of an instruction, from the table in the code object of CPython 3.8 to 3.13. `table` is
 * co_lnotab (3.8, 3.9), co_linetable in its 3.10 format, or the location table of 3.11 and later;
 * `cut`: its end is missing. `instr` counts units of 2 bytes. 0 if the table has no line for it, or
 * the version is not supported. The table is untrusted; any bytes are safe.
 */
u32 pyline_find(u32 version, u32 first_line, struct view table, bool cut, u32 instr);

#endif
