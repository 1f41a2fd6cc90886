/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_MODEL_FILTER_H
#define TUI_MODEL_FILTER_H

#include <regex.h>

#include "base/types.h"

#define FILTER_SZ 128

/*
 * What the user looks for, as typed: a part of a name in any case, or, behind a '/', a regular
 * expression (POSIX, extended, in any case). An empty one matches everything.
 */
struct filter {
	char text[FILTER_SZ];
	bool regex; /* `compiled` is */
	bool wrong; /* it is no regular expression: nothing matches */
	regex_t compiled;
};

/* A text that is too long is cut. filter__done() in any case. All zero is an empty filter. */
void filter__set(struct filter *f, const char *text);
void filter__done(struct filter *f);
bool filter__is_empty(const struct filter *f);
bool filter__matches(const struct filter *f, const char *text);

#endif
