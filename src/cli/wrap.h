/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_WRAP_H
#define CLI_WRAP_H

#include "base/sink.h"

#define WRAP_COLUMNS 80

/*
 * Prints a paragraph, broken at spaces into lines of at most WRAP_COLUMNS, and ends the line.
 * `column` is where the cursor stands, `indent` the left edge of the further lines. Ends at an
 * empty line or the end of the text, and returns what comes behind it.
 */
const char *wrap_text(struct sink *out, const char *text, int column, int indent);

#endif
