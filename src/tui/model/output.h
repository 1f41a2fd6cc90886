/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_MODEL_OUTPUT_H
#define TUI_MODEL_OUTPUT_H

#include "base/types.h"

#define OUTPUT_LINES 2000
#define OUTPUT_LINE_SZ 1024

/* The last lines that a command wrote; older ones are counted and forgotten. */
struct output {
	char **lines; /* in a ring; NULL: nothing came yet */
	u32 first;
	u32 len;
	u64 dropped;
	char partial[OUTPUT_LINE_SZ]; /* the last line, which has no end yet */
	size_t partial_len;
};

/* All zero is an empty one. */
void output__done(struct output *o);
/* A line ends with '\n' or '\r', and at OUTPUT_LINE_SZ. -ENOMEM or 0. */
int output__add(struct output *o, const char *bytes, size_t len);
/* From the oldest on; NULL behind the last. */
const char *output__line(const struct output *o, u32 idx);

#endif
