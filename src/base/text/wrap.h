/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TEXT_WRAP_H
#define BASE_TEXT_WRAP_H

#include "base/sink.h"

#define WRAP_COLUMNS 80

/*
 * Prints a paragraph, broken at spaces into lines of at most WRAP_COLUMNS, and ends the line.
 * `column` is the current column of the cursor, `indent` the left edge of later lines. Ends at an
 * empty line or at the end of the text, and returns what follows.
 */
const char *wrap_text(struct sink *out, const char *text, int column, int indent);

#endif
