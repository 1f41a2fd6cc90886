/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_PATTERN_H
#define ANALYSIS_NAME_PATTERN_H

#include <regex.h>

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"

/*
 * A text from the user that selects names. As a glob it must match the whole name: '*' is any text,
 * '?' one byte, and everything else is literal, because function names are full of special
 * characters. As a regular expression (POSIX, extended) it must match somewhere in the name.
 */
struct pattern {
	const char *text; /* borrowed */
	bool regex;
	regex_t compiled;
};

/*
 * -EINVAL with what is wrong with the expression, -ENOMEM, or 0. After an error nothing needs to be
 * released.
 */
int pattern__init(struct pattern *pt, const char *text, bool regex, struct err *err);
void pattern__done(struct pattern *pt);
/* Matches one glob; neither string needs a NUL. */
bool pattern_fits(const char *glob, size_t glob_len, const char *name, size_t len);
bool pattern__matches(const struct pattern *pt, const char *name);

/*
 * Several patterns: a vec of struct pattern. `texts` are borrowed. Errors are those of
 * pattern__init(); release with patterns__done() in either case.
 */
int patterns__init(struct vec *patterns, const char *const *texts, size_t len, bool regex,
		   struct err *err);
void patterns__done(struct vec *patterns);
/* Whether one of them matches. */
bool patterns__match(const struct vec *patterns, const char *name);

#endif
