/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATTERN_H
#define ANALYSIS_PATTERN_H

#include <regex.h>

#include "base/err.h"
#include "base/types.h"

/*
 * A text that a person gives to find names by. As a glob it must fit the whole name: '*' is any
 * text, '?' one byte, and all else is itself, for names of functions are full of other marks. As a
 * regular expression (POSIX, extended) it must be found somewhere in the name.
 */
struct pattern {
	const char *text; /* borrowed */
	bool regex;
	regex_t compiled;
};

/* -EINVAL with what is wrong with the expression, -ENOMEM, or 0. On error nothing is to be done. */
int pattern__init(struct pattern *pt, const char *text, bool regex, struct err *err);
void pattern__done(struct pattern *pt);
/* Such a glob by itself; neither needs an end. */
bool pattern_fits(const char *glob, size_t glob_len, const char *name, size_t len);
bool pattern__matches(const struct pattern *pt, const char *name);

#endif
