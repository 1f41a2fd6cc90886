/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TEXT_REGEX_H
#define BASE_TEXT_REGEX_H

#include <regex.h>

#include "base/err.h"

/*
 * Compiles a regular expression from outside (POSIX, extended). glibc copies what is repeated when
 * it compiles: `a++++++++++++++++++++` takes 700 MB. And it follows every path that takes no text:
 * `((a|b|)?(a|b|)?...)*` takes 43 s with 28 of these (calc_eclosure_iter() in posix/regcomp.c keeps
 * no result that a loop may still add to). So an expression is refused that would become more than
 * REGEX_STEPS_MAX steps, may have more than REGEX_PATHS_MAX such paths, has more than
 * REGEX_DEPTH_MAX groups in each other, or has an anchor in a loop that takes no text. What passes
 * compiles in less than a second: 45,000 random ones, the limits are from experiments.
 *
 * -EINVAL with what is wrong, -ENOMEM, or 0: then the caller calls regfree(). After an error there
 * is nothing to release. `flags`: those of regcomp() besides REG_EXTENDED.
 */
#define REGEX_STEPS_MAX 2000
#define REGEX_PATHS_MAX 4000
#define REGEX_DEPTH_MAX 50

int regex_compile(regex_t *ret, const char *text, int flags, struct err *err);

#endif
